"""The scheduled run in the template: when, what, who may do what, and where it goes when it cannot."""

from __future__ import annotations

import json
import re

import pytest

from breakeven.errors import InputError
from infra.context.context_read import read_context
from tests.support.aws.definition import resources
from tests.support.aws.stacks import of


def only(template, kind, prefix=""):
    ((name, found),) = [
        (name, found) for name, found in resources(template, kind).items() if name.startswith(prefix)
    ]
    return name, found


def statements(template, role):
    """What policies allow a role."""
    return [
        statement
        for policy in resources(template, "AWS::IAM::Policy").values()
        if {"Ref": role} in policy["Roles"]
        for statement in policy["PolicyDocument"]["Statement"]
    ]


@pytest.fixture(scope="module")
def schedule(plain):
    return only(plain.template, "AWS::Scheduler::Schedule")[1]


def test_it_is_monthly_within_an_hour_and_runs_the_default_suite(schedule):
    assert schedule["ScheduleExpression"] == "cron(0 6 1 * ? *)"
    assert schedule["ScheduleExpressionTimezone"] == "UTC"
    assert schedule["FlexibleTimeWindow"] == {"Mode": "FLEXIBLE", "MaximumWindowInMinutes": 60}
    assert json.loads(schedule["Target"]["Input"]) == {
        "scheduled_time": "<aws.scheduler.scheduled-time>",
        "input": {"suite": "breakeven"},
    }


def test_what_cannot_be_delivered_or_started_goes_to_one_queue(plain, schedule):
    queue, found = only(plain.template, "AWS::SQS::Queue", "Schedule")
    arn = {"Fn::GetAtt": [queue, "Arn"]}
    assert schedule["Target"]["DeadLetterConfig"] == {"Arn": arn}
    retries = schedule["Target"]["RetryPolicy"]
    assert (retries["MaximumRetryAttempts"], retries["MaximumEventAgeInSeconds"]) == (10, 6 * 3600)
    _, starter = only(plain.template, "AWS::Lambda::Function", "FunctionsStartScheduled")
    assert starter["DeadLetterConfig"] == {"TargetArn": arn}
    assert found["MessageRetentionPeriod"] == 14 * 86_400
    assert found["SqsManagedSseEnabled"] is True


def test_scheduler_may_call_the_one_function_and_that_may_start_the_one_state_machine(plain, schedule):
    (role, _) = only(plain.template, "AWS::IAM::Role", "ScheduleRole")
    assert schedule["Target"]["RoleArn"] == {"Fn::GetAtt": [role, "Arn"]}
    starter, function = only(plain.template, "AWS::Lambda::Function", "FunctionsStartScheduled")
    queue, _ = only(plain.template, "AWS::SQS::Queue", "Schedule")
    send = ("sqs:SendMessage", {"Fn::GetAtt": [queue, "Arn"]})
    found = {one["Action"]: one["Resource"] for one in statements(plain.template, role)}
    assert found == dict([("lambda:InvokeFunction", {"Fn::GetAtt": [starter, "Arn"]}), send])
    machine, _ = only(plain.template, "AWS::StepFunctions::StateMachine")
    own = {
        str(one["Action"]): one["Resource"]
        for one in statements(plain.template, function["Role"]["Fn::GetAtt"][0])
        if "logs:" not in str(one["Action"]) and "xray:" not in str(one["Action"])
    }
    assert own == dict([("states:StartExecution", {"Ref": machine}), send])


def test_only_scheduler_for_this_account_may_take_the_role(plain):
    _, role = only(plain.template, "AWS::IAM::Role", "ScheduleRole")
    (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "scheduler.amazonaws.com"}
    assert statement["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}


@pytest.mark.installed
def test_context_says_when_what_and_where(grown):
    _, schedule = only(grown.template, "AWS::Scheduler::Schedule")
    assert schedule["ScheduleExpression"] == "cron(30 4 2 * ? *)"
    assert schedule["ScheduleExpressionTimezone"] == "Europe/Dublin"
    assert json.loads(schedule["Target"]["Input"])["input"] == {"suite": "capacity", "scale": 0.5}
    _, queue = only(grown.template, "AWS::SQS::Queue", "Schedule")
    assert re.fullmatch(r"arn:aws:kms:.*", queue["KmsMasterKeyId"])


@pytest.mark.installed
def test_off_there_is_nothing_of_it():
    template = of({"schedule": "off"}).template
    assert resources(template, "AWS::Scheduler::Schedule") == {}
    assert not any(name.startswith("Schedule") for name in resources(template, "AWS::SQS::Queue"))
    handlers = {one["Handler"] for one in resources(template, "AWS::Lambda::Function").values()}
    assert "handlers.run.start_scheduled.handler" not in handlers
    assert not any("NotStarted" in name for name in resources(template, "AWS::CloudWatch::Alarm"))


@pytest.mark.parametrize(
    "value", ["weekly", "off", "rate(1 day)", "rate(30 days)", "cron(0 12 ? * MON-FRI *)"]
)
def test_what_can_be_a_schedule(value):
    assert read_context({"breakeven:schedule": value}).schedule == value


@pytest.mark.parametrize(
    ("field", "value", "remedy"),
    [
        ("schedule", "rate(5 minutes)", "rate(N days)"),
        ("schedule", "rate(1 days)", "rate(N days)"),
        ("schedule", "cron(0 * * * ? *)", "with numbers for both"),
        ("schedule", "cron(0 6 1 * ?)", "cron(MINUTE HOUR"),
        ("schedule", "daily", "monthly, weekly, off"),
        ("schedule_suite", "mine", "one of big-backlog, breakeven, "),
        ("schedule_scale", "0", "above 0, at most 1"),
        ("schedule_time_zone", "Dublin", "such as Europe/Dublin"),
        ("no_run_alarm_days", "-1", "0 for no alarm"),
    ],
)
def test_what_cannot_is_named_with_the_remedy(field, value, remedy):
    with pytest.raises(InputError) as caught:
        read_context({f"breakeven:{field}": value})
    assert caught.value.field == f"breakeven:{field}"
    assert remedy in caught.value.remedy


def test_a_run_that_its_plan_would_refuse_each_month_is_not_scheduled():
    dear = {"breakeven:schedule_suite": "sqs-vs-rabbitmq-2012", "breakeven:max_sqs_usd": "4"}
    with pytest.raises(InputError) as caught:
        read_context(dear)
    assert caught.value.field == "breakeven:schedule_suite"
    assert "see breakeven:schedule_scale" in caught.value.remedy
    assert "could cost" in caught.value.remedy
    read_context({**dear, "breakeven:schedule_scale": "0.1"})
    with pytest.raises(InputError, match="max_sqs_usd"):
        read_context({"breakeven:max_sqs_usd": "0.01"})


def test_a_suite_that_the_deployment_does_not_allow_is_not_scheduled():
    given = {"breakeven:suites": "capacity"}
    with pytest.raises(InputError) as caught:
        read_context(given)
    assert caught.value.field == "breakeven:schedule_suite"
    assert "one of breakeven:suites, capacity" in caught.value.remedy
    assert read_context({**given, "breakeven:schedule": "off"}).suites == ("capacity",)
