"""The steps' table says of each function what the template then has, and of its role all that it allows."""

from __future__ import annotations

import re
from typing import Any

import pytest

from infra.functions.step_table import STEPS
from tests.support.aws.definition import definition_of, resources, states
from tests.support.aws.stacks import Built

#: of every function: its log, its traces, and to be attached to the VPC
LOGS = {"logs:CreateLogStream", "logs:PutLogEvents"}
TRACES = {"xray:PutTelemetryRecords", "xray:PutTraceSegments"}
#: of whoever stores or reads what the account's own key encrypts
KEYS = {"kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey"}
#: whoever launches from a template that names a parameter looks it up
LOOK_UP = "ssm:GetParameters"
#: a state is named after its step, behind its leg's kind and, of many loaders, ``Many``
NAMED = re.compile(r"(?:Broker|Managed)?(?:Many)?(\w+)")
#: the step of the one state that has another name: it is the second time that the run comes to it
OTHERWISE = {"AwaitTasks": "EstablishTasks"}


def functions_of(built: Built) -> dict[str, dict[str, Any]]:
    """By their names in the table, with InVpc or Outside behind it where there are two."""
    found = resources(built.template, "AWS::Lambda::Function")
    return {re.sub(r"^Functions(\w+)[0-9A-F]{8}$", r"\1", name): each for name, each in found.items()}


def allowed(built: Built, function: dict[str, Any]) -> set[str]:
    """The actions of its role's policies, but for those that attach it to the VPC."""
    role = function["Role"]["Fn::GetAtt"][0]
    documents = [
        each["PolicyDocument"]
        for kind in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy")
        for each in resources(built.template, kind).values()
        if {"Ref": role} in each.get("Roles", [])
    ]
    given = [statement["Action"] for document in documents for statement in document["Statement"]]
    return {one for action in given for one in ([action] if isinstance(action, str) else action)}


@pytest.fixture(scope="module", params=["plain", "grown"])
def built(request) -> Built:
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def defined_states(plain) -> dict[str, dict[str, Any]]:
    return states(definition_of(plain.template))


def test_every_function_is_of_a_step_and_every_step_has_its_functions(built):
    table = {name for step_name, step in STEPS.items() for name, _ in step.functions(step_name)}
    assert functions_of(built).keys() == table


def test_functions_have_the_limits_of_their_steps(built):
    found = functions_of(built)
    for step_name, step in STEPS.items():
        for name, inside in step.functions(step_name):
            properties = found[name]
            assert properties["Handler"] == f"handlers.{step.handler}.handler", name
            assert (properties["MemorySize"], properties["Timeout"]) == (step.memory_mb, step.limit_s), name
            assert ("VpcConfig" in properties) == inside, name


def test_a_role_allows_what_its_step_needs_and_nothing_else(built):
    found, keyed = functions_of(built), built.settings.get("kms_key_arn")
    for step_name, step in STEPS.items():
        for name, inside in step.functions(step_name):
            needed = step.needs_of(inside=inside).actions
            beside = LOGS | TRACES | (KEYS if keyed else set())
            given = allowed(built, found[name])
            if built.settings.get("image"):  # it is looked up when the stack is deployed
                needed -= {LOOK_UP}
            assert given - beside == needed - beside, name


def test_states_are_named_after_the_steps_whose_functions_they_call(defined_states):
    called = {
        name: re.sub(r".*Functions(\w+?)(?:InVpc|Outside)?[0-9A-F]{8}$", r"\1", state["Resource"])
        for name, state in defined_states.items()
        if state["Type"] == "Task" and "Functions" in state["Resource"]
    }
    assert len(called) > len(STEPS)
    for name, step in called.items():
        assert OTHERWISE.get(name, NAMED.fullmatch(name)[1]) == step, name


def test_a_state_calls_as_often_as_its_step_says(defined_states):
    for name, state in defined_states.items():
        step = STEPS.get(OTHERWISE.get(name, NAMED.fullmatch(name)[1] if NAMED.fullmatch(name) else ""))
        if state["Type"] != "Task" or step is None:
            continue
        again = [each for each in state["Retry"] if each["ErrorEquals"] == ["States.ALL"]]
        assert 1 + sum(each["MaxAttempts"] for each in again) == max(step.attempts, 1), name
        assert state["TimeoutSeconds"] > step.limit_s, name
