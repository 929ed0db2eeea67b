"""What ``breakeven doctor`` says of Amazon MQ: is it offered as lanes want it, and how many there are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cli.doctor.doctor_amazon_mq import amazon_mq
from tests.unit.cli.test_cli_doctor import account, refusing

MODES = ["SINGLE_INSTANCE", "CLUSTER_MULTI_AZ"]


EC2 = {
    "describe_availability_zones": lambda **_: {
        "AvailabilityZones": [
            {"ZoneName": "eu-west-1a", "ZoneId": "euw1-az1"},
            {"ZoneName": "eu-west-1b", "ZoneId": "euw1-az2"},
        ]
    }
}


def service(versions=("3.13", "4.2"), modes=MODES, brokers=0, zones=()) -> dict[str, Any]:
    def options(*, EngineType: str, HostInstanceType: str) -> Any:
        assert (EngineType, HostInstanceType) == ("RABBITMQ", "mq.m7g.large")
        found = {"SupportedEngineVersions": list(versions), "SupportedDeploymentModes": list(modes)}
        found["AvailabilityZones"] = [{"Name": name} for name in zones]
        return {"BrokerInstanceOptions": [found]}

    summaries = [{"BrokerId": f"b-{n}"} for n in range(brokers)]
    pages = [{"BrokerSummaries": summaries[:1]}, {"BrokerSummaries": summaries[1:]}]
    paginator = SimpleNamespace(paginate=lambda **_: pages)
    return {"describe_broker_instance_options": options, "get_paginator": lambda _: paginator}


@pytest.mark.parametrize("versions", [("4.2",), ("3.13", "4.2.1")])
def test_what_lanes_ask_for_is_offered(versions):
    level, said = amazon_mq(account(mq=service(versions, brokers=3), ec2=EC2))
    assert (level, said) == ("ok", "mq.m7g.large with RabbitMQ 4.2 is offered, 3 brokers are there")


@pytest.mark.parametrize(
    ("versions", "modes", "lacking"),
    [
        (("3.13",), MODES, "SINGLE_INSTANCE"),
        (("4.20",), MODES, "CLUSTER_MULTI_AZ"),
        (("4.2",), MODES[:1], "as CLUSTER_MULTI_AZ"),
    ],
)
def test_what_is_not_offered_is_noted_with_what_to_do(versions, modes, lacking):
    level, said = amazon_mq(account(mq=service(versions, modes)))
    assert level == "note"
    assert lacking in said
    assert "leave its targets out" in said


@pytest.mark.parametrize(
    ("zones", "without"),
    [
        (("eu-west-1a", "eu-west-1b", "eu-west-1c"), None),
        (("euw1-az1", "euw1-az2"), None),
        (("eu-west-1b", "eu-west-1c"), "eu-west-1a"),
        (("euw1-az1",), "eu-west-1b"),
        (("eu-west-1c",), "eu-west-1a, eu-west-1b"),
    ],
)
def test_the_subnets_zones_offer_it_or_are_named(zones, without):
    level, said = amazon_mq(account(mq=service(zones=zones), ec2=EC2))
    assert level == ("note" if without else "ok")
    if without:
        assert (
            f"no mq.m7g.large with RabbitMQ 4.2 in {without}, where subnets of the stack are: lanes" in said
        )
        assert "-c breakeven:zones=" in said


def test_many_brokers_are_noted():
    level, said = amazon_mq(account(mq=service(brokers=50), ec2=EC2))
    assert level == "note"
    assert "50 brokers are there" in said


def test_one_who_may_not_ask_is_told_so():
    with pytest.raises(Exception, match="AccessDenied"):
        amazon_mq(account(mq={"describe_broker_instance_options": refusing("AccessDenied")}))
