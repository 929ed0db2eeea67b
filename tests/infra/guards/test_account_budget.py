"""What a deployment sets about money: the plan function's limits, and the budget that warns."""

from __future__ import annotations

import pytest

from breakeven.errors import InputError
from breakeven.planning.budget.allowance import Allowance, allowance_of
from infra.context.context_read import read_context
from tests.support.aws.definition import resources, template_of


def limits(**context):
    return read_context({f"breakeven:{name}": value for name, value in context.items()})


def environment_of(template, handler):
    (found,) = [
        function["Environment"]["Variables"]
        for function in resources(template, "AWS::Lambda::Function").values()
        if function["Handler"].endswith(f".{handler}.handler")
    ]
    return found


def test_the_plan_function_has_its_limits_from_its_deployment(assembly):
    variables = environment_of(template_of(assembly), "plan_run")
    assert variables.items() >= Allowance().environment().items()
    assert allowance_of(variables) == Allowance()


def test_context_sets_them():
    found = limits(max_msg_per_s="5000", max_sqs_usd=2.5, suites="breakeven, capacity", budget_usd="10")
    assert found.allowance == Allowance(max_msg_per_s=5000, max_sqs_usd=2.5, suites=("breakeven", "capacity"))
    assert found.budget_usd == 10


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("max_msg_per_s", "many", "messages a second"),
        ("max_msg_per_s", 0, "above 0"),
        ("max_sqs_usd", "-1", "dollars"),
        ("max_sqs_usd", "nan", "dollars"),
        ("suites", "quick,fast", "names out of big-backlog, breakeven, "),
        ("suites", "", "names out of"),
        ("budget_usd", "a lot", "dollars a month"),
    ],
)
def test_context_that_is_no_limit_fails_at_synthesis_with_key_and_remedy(name, value, remedy):
    with pytest.raises(InputError) as caught:
        limits(**{name: value})
    assert (caught.value.where, caught.value.field) == ("context", f"breakeven:{name}")
    assert caught.value.value == value
    assert remedy in caught.value.remedy


def test_a_budget_warns_the_topic_of_what_was_spent_and_of_what_is_forecast(assembly):
    template = template_of(assembly)
    (budget,) = resources(template, "AWS::Budgets::Budget").values()
    assert budget["Budget"] == {
        "BudgetType": "COST",
        "TimeUnit": "MONTHLY",
        "BudgetLimit": {"Amount": 40, "Unit": "USD"},
    }
    (topic,) = resources(template, "AWS::SNS::Topic")
    warnings = set()
    for one in budget["NotificationsWithSubscribers"]:
        assert one["Subscribers"] == [{"SubscriptionType": "SNS", "Address": {"Ref": topic}}]
        warnings.add((one["Notification"]["NotificationType"], one["Notification"]["Threshold"]))
    assert warnings == {("ACTUAL", 80), ("ACTUAL", 100), ("FORECASTED", 100)}


def test_budgets_of_this_account_alone_may_write_to_the_topic(assembly):
    (policy,) = resources(template_of(assembly), "AWS::SNS::TopicPolicy").values()
    (statement,) = [
        one for one in policy["PolicyDocument"]["Statement"] if one.get("Sid") == "BudgetWarnings"
    ]
    assert statement["Principal"] == {"Service": "budgets.amazonaws.com"}
    assert statement["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
