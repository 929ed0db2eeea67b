"""What ``breakeven doctor`` says of the account's plan and of the zones, before anything is launched."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from breakeven.targets.records.rabbitmq_records import INSTANCE_TYPE
from cli.doctor.doctor_command import examine
from cli.doctor.doctor_machines import account_plan, zones
from tests.unit.cli.test_cli_doctor import account, deployed, refusing


def pages(*found: dict[str, Any]) -> Any:
    """A client's ``get_paginator``, whose answer comes in several pages."""
    return lambda _: SimpleNamespace(paginate=lambda **_: [*found])


def plan(kind: str) -> dict[str, Any]:
    if kind == "none":
        return {"get_account_plan_state": refusing("ResourceNotFoundException")}
    return {"get_account_plan_state": lambda: {"accountPlanType": kind}}


def types(*, eligible: bool) -> dict[str, Any]:
    found = {"InstanceType": INSTANCE_TYPE, "FreeTierEligible": eligible}
    return {"get_paginator": pages({"InstanceTypes": []}, {"InstanceTypes": [found]})}


@pytest.mark.parametrize(
    ("kind", "eligible", "level"),
    [("FREE", False, "stop"), ("FREE", True, "note"), ("PAID", False, "ok"), ("none", False, "ok")],
)
def test_the_free_plan_stops_a_run_whose_type_is_not_eligible(kind, eligible, level):
    found = account_plan(account(freetier=plan(kind), ec2=types(eligible=eligible)), None)
    assert found[0] == level
    assert INSTANCE_TYPE in found[1]
    assert ("upgrade the account to the paid plan" in found[1]) == (level == "stop")


def offering(*offered: str) -> dict[str, Any]:
    found = [{"InstanceType": INSTANCE_TYPE, "Location": zone} for zone in offered]
    return {
        "describe_availability_zones": lambda **_: {
            "AvailabilityZones": [{"ZoneName": f"eu-west-1{letter}"} for letter in "cba"]
        },
        "get_paginator": pages({"InstanceTypeOfferings": []}, {"InstanceTypeOfferings": found}),
    }


@pytest.mark.parametrize(
    ("offered", "level", "words"),
    [
        (("eu-west-1a", "eu-west-1b"), "ok", "eu-west-1a, eu-west-1b offer"),
        (("eu-west-1a", "eu-west-1c"), "note", "eu-west-1b: does not offer"),
        (("eu-west-1c",), "stop", "-c breakeven:zones="),
    ],
)
def test_zones_that_lack_the_type_are_named_before_anything_is_deployed(offered, level, words):
    found = zones(account(ec2=offering(*offered)), None)
    assert found[0] == level
    assert words in found[1]


def test_doctor_asks_for_the_plan_and_for_the_zones_before_anything_is_deployed():
    stands = {
        "cloudformation": {"describe_stacks": refusing("ValidationError")},
        "freetier": plan("FREE"),
        "ec2": {**offering("eu-west-1c"), "get_paginator": paged},
        "ssm": {"get_parameter": refusing("ParameterNotFound")},
        "service_quotas": {"get_service_quota": refusing("AccessDenied")},
        "lambda": {"get_account_settings": refusing("AccessDenied")},
        "mq": {"describe_broker_instance_options": refusing("AccessDenied")},
    }
    found = {each.what: each for each in examine(account(**stands), None, "any")}
    assert {what: found[what].level for what in ("stack", "account plan", "zones")} == {
        "stack": "stop",
        "account plan": "stop",
        "zones": "stop",
    }
    assert "upgrade the account to the paid plan" in found["account plan"].said
    assert "-c breakeven:zones=" in found["zones"].said


def paged(name: str) -> Any:
    """A client that has both of the lists."""
    of_types = name == "describe_instance_types"
    return (types(eligible=False) if of_types else offering("eu-west-1c"))["get_paginator"](name)


def test_of_a_deployed_stack_its_own_zones_and_type_are_asked_for():
    resources = [
        {"ResourceType": "AWS::IAM::Role", "LogicalResourceId": "FunctionsPlanRole01234567"},
        {"ResourceType": "AWS::Lambda::Function", "LogicalResourceId": "FunctionsTakeLock01234567"},
        {"ResourceType": "AWS::Lambda::Function", "LogicalResourceId": "FunctionsPlan01234567"},
    ]
    asked: dict[str, Any] = {}

    def offerings(_: str) -> Any:
        def paginate(**given: Any) -> list[dict[str, Any]]:
            asked.update({each["Name"]: each["Values"] for each in given["Filters"]})
            return [{"InstanceTypeOfferings": [{"InstanceType": "m7i.large", "Location": "eu-west-1c"}]}]

        return SimpleNamespace(paginate=paginate)

    variables = {"BREAKEVEN_ZONES": "eu-west-1b,eu-west-1c", "BREAKEVEN_INSTANCE_TYPE": "m7i.large"}

    def configuration(FunctionName: str) -> dict[str, Any]:
        assert FunctionName == "plan"
        return {"Environment": {"Variables": variables}}

    listed = [{**each, "PhysicalResourceId": "plan"} for each in resources]
    stack = deployed(
        cloudformation={"get_paginator": pages({"StackResourceSummaries": listed})},
        ec2={"get_paginator": offerings},
        **{"lambda": {"get_function_configuration": configuration}},
    )
    found = zones(stack.account, stack)
    assert asked == {"instance-type": ["m7i.large"], "location": ["eu-west-1b", "eu-west-1c"]}
    assert found[0] == "note"
    assert found[1].startswith("eu-west-1b: does not offer m7i.large: all nodes are launched in eu-west-1c")
