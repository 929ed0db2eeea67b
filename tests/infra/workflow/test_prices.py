"""Who may ask the Price List, and that planning has the time for it."""

from __future__ import annotations

import json

from breakeven.pricing.prices.refresh import BUDGET_S
from breakeven.steps.run.account_capacity import pricing_client
from tests.support.aws.definition import definition_of, resources, states, template_of


def test_only_planning_may_ask_and_only_for_prices(assembly):
    allowed = [
        (name, statement)
        for name, policy in resources(template_of(assembly), "AWS::IAM::Policy").items()
        for statement in policy["PolicyDocument"]["Statement"]
        if "pricing:" in json.dumps(statement)
    ]
    ((name, statement),) = allowed
    assert "FunctionsPlan" in name
    assert [each for each in statement["Action"] if each.startswith("pricing:")] == ["pricing:GetProducts"]
    assert (statement["Effect"], statement["Resource"]) == ("Allow", "*")


def test_planning_ends_before_its_state_does_whatever_hangs(assembly):
    config = pricing_client().meta.config
    # between two attempts there is a pause of a second at most; the rest of planning has ten
    once = config.connect_timeout + config.read_timeout + 1
    most = BUDGET_S + config.retries["total_max_attempts"] * once + 10
    assert most <= states(definition_of(template_of(assembly)))["Plan"]["TimeoutSeconds"]
