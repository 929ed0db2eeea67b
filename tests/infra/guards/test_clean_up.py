"""The rule on executions that end badly, and the watchdog's schedule, as they would be deployed."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from moto.events.models import EventPattern

from tests.support.aws.definition import allowed, definition_of, resources, states, template_of
from tests.support.aws.status_change import status_change

MACHINE = "arn:aws:states:eu-west-1:123456789012:stateMachine:Breakeven"
#: entries that let go of all that a run has made, with the handler's name
RELEASING = {"ReleaseRun": "release_run", "CleanUp": "clean_up", "Watchdog": "watchdog"}
#: what ends or halts something that an account may have of others, too
ENDING = re.compile(
    "ec2:(Terminate|Stop|Start|Reboot|Delete|Deregister|Detach)|mq:(Delete|Reboot)|sqs:DeleteQueue"
)
OWNED = {"StringEquals": {"aws:ResourceTag/breakeven:owner": "QueueBreakeven"}}
#: what carries no tag of ours: what Amazon MQ makes, by the one that it gives or, as its caller, in our VPC
#: alone; the configuration that it makes with each broker
OF_AMAZON_MQ = {
    frozenset({"ec2:DeleteVpcEndpoints"}): "aws:ResourceTag/AMQManaged",
    frozenset({"ec2:DeleteNetworkInterface", "ec2:DetachNetworkInterface"}): "ec2:Vpc",
    frozenset({"ec2:DeleteNetworkInterfacePermission"}): "ec2:AuthorizedService",
    frozenset({"mq:DeleteConfiguration"}): None,
}
#: what each that lets go of a run's may end by its owner's tag
RUNS_OWN = {
    "ec2:TerminateInstances",
    "ec2:DeleteNetworkInterface",
    "ec2:DeleteVolume",
    "ec2:DeleteVpcEndpoints",
    "mq:DeleteBroker",
    "sqs:DeleteQueue",
}


def rule(template: dict[str, Any], key: str) -> dict[str, Any]:
    """The one rule that has a pattern, or a schedule."""
    (found,) = [
        each
        for name, each in resources(template, "AWS::Events::Rule").items()
        if key in each and name.startswith("CleanUp")
    ]
    return found


def function_of(template: dict[str, Any], handler: str) -> str:
    (found,) = [
        name
        for name, each in resources(template, "AWS::Lambda::Function").items()
        if each["Handler"].endswith(f".{handler}.handler")
    ]
    return found


@pytest.fixture
def pattern(assembly) -> EventPattern:
    template = template_of(assembly)
    given = rule(template, "EventPattern")["EventPattern"]
    (machine,) = resources(template, "AWS::StepFunctions::StateMachine")
    assert given["detail"]["stateMachineArn"] == [{"Ref": machine}]
    return EventPattern.load(json.dumps(given | {"detail": given["detail"] | {"stateMachineArn": [MACHINE]}}))


@pytest.mark.parametrize("status", ["FAILED", "ABORTED", "TIMED_OUT"])
def test_the_rule_hears_of_executions_that_ended_badly(pattern, status):
    assert pattern.matches_event(status_change(MACHINE, "monthly", status))


@pytest.mark.parametrize("status", ["RUNNING", "SUCCEEDED", "PENDING_REDRIVE"])
def test_and_of_no_others(pattern, status):
    assert not pattern.matches_event(status_change(MACHINE, "monthly", status))


def test_nor_of_another_machine_or_service(pattern):
    assert not pattern.matches_event(status_change(f"{MACHINE}2", "monthly", "FAILED"))
    event = status_change(MACHINE, "monthly", "FAILED")
    assert not pattern.matches_event({**event, "source": "aws.batch"})
    assert not pattern.matches_event({**event, "detail-type": "AWS API Call via CloudTrail"})


def test_the_rule_calls_the_clean_up_and_what_it_cannot_deliver_is_kept(assembly):
    template = template_of(assembly)
    (target,) = rule(template, "EventPattern")["Targets"]
    clean_up = function_of(template, "clean_up")
    assert target["Arn"] == {"Fn::GetAtt": [clean_up, "Arn"]}
    assert target["RetryPolicy"]["MaximumRetryAttempts"] > 0
    (queue,) = [name for name in resources(template, "AWS::SQS::Queue") if name.startswith("CleanUp")]
    kept = {"Fn::GetAtt": [queue, "Arn"]}
    assert target["DeadLetterConfig"]["Arn"] == kept
    (failing,) = [
        each
        for each in resources(template, "AWS::Lambda::EventInvokeConfig").values()
        if each["FunctionName"] == {"Ref": clean_up}
    ]
    assert failing["DestinationConfig"]["OnFailure"]["Destination"] == kept
    assert failing["MaximumRetryAttempts"] == 2


def test_the_watchdog_looks_every_15_minutes_whatever_the_rule_does(assembly):
    template = template_of(assembly)
    schedule, watchdog = rule(template, "ScheduleExpression"), function_of(template, "watchdog")
    assert schedule["ScheduleExpression"] == "rate(15 minutes)"
    assert [target["Arn"] for target in schedule["Targets"]] == [{"Fn::GetAtt": [watchdog, "Arn"]}]
    assert "EventPattern" not in schedule
    (machine,) = resources(template, "AWS::StepFunctions::StateMachine")
    function = template["Resources"][watchdog]["Properties"]
    assert function["Environment"]["Variables"]["BREAKEVEN_STATE_MACHINE"] == {"Ref": machine}


def test_both_rules_are_on_and_may_call_their_function(assembly):
    template = template_of(assembly)
    rules = resources(template, "AWS::Events::Rule")
    assert {each["State"] for each in rules.values()} == {"ENABLED"}
    permitted = {
        (each["SourceArn"]["Fn::GetAtt"][0], each["FunctionName"]["Fn::GetAtt"][0])
        for each in resources(template, "AWS::Lambda::Permission").values()
        if each["Principal"] == "events.amazonaws.com"
    }
    assert permitted == {
        (name, target["Arn"]["Fn::GetAtt"][0]) for name, each in rules.items() for target in each["Targets"]
    }


def test_neither_is_a_part_of_the_workflow(assembly):
    """They would end with it."""
    called = {each.get("Resource") for each in states(definition_of(template_of(assembly))).values()}
    assert not called & {function_of(template_of(assembly), name) for name in ("clean_up", "watchdog")}


def test_whoever_ends_something_ends_the_owners_own_alone(assembly):
    ended: dict[str, set[str]] = {entry: set() for entry in RELEASING}
    for name, actions, statement in allowed(template_of(assembly)):
        if not (ending := {action for action in actions if ENDING.match(action)}):
            continue
        assert "*" not in "".join(actions), name
        condition = statement.get("Condition")
        if condition == OWNED or _names_queues(statement, ending):
            for entry in RELEASING:
                ended[entry] |= ending if name.startswith(f"Functions{entry}Role") else set()
        else:
            by = OF_AMAZON_MQ[frozenset(ending)]
            assert [*(condition or {}).get("StringEquals", [])] == ([by] if by else []), name
    assert ended == dict.fromkeys(RELEASING, RUNS_OWN)


def _names_queues(statement: dict[str, Any], ending: set[str]) -> bool:
    """Queues have no condition by tag (SQS API permissions): theirs are those of our names."""
    return ending == {"sqs:DeleteQueue"} and json.dumps(statement["Resource"]).endswith(':be-*"]]}')
