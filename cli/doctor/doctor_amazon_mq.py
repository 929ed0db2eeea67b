"""Check that Amazon MQ makes brokers here: the type and release that lanes ask for, in the stack's zones,
and room for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from breakeven.planning.machine_availability import OTHER_ZONES
from breakeven.steps.managed_brokers import PAGE
from breakeven.targets.catalog import CATALOG
from breakeven.targets.records.amazon_mq_records import AMAZON_MQ_RELEASE, AMAZON_MQ_TYPE
from cli.doctor.doctor_machines import our_zones
from cli.running.deployed import Account, Deployed, Said

#: brokers of a region: the quota that the guide has had longest, and today's ("Quotas in Amazon MQ")
ONCE, TODAY = 50, 200


def amazon_mq(account: Account, deployed: Deployed | None = None) -> Said:
    """It stops no run: a lane that has no broker fails by itself, and says why."""
    mq, what = account.client("mq"), f"{AMAZON_MQ_TYPE} with RabbitMQ {AMAZON_MQ_RELEASE}"
    options = _options(mq)
    if lacking := _lacking(options):
        remedy = "lanes of Amazon MQ fail here; leave its targets out, or take another region"
        return "note", f"no {what} in {account.region} as {', '.join(lacking)}: {remedy}"
    if without := _zones_without(options, account, our_zones(account, deployed)):
        remedy = f"lanes of Amazon MQ fail here; leave its targets out, or {OTHER_ZONES}"
        return "note", f"no {what} in {', '.join(without)}, where subnets of the stack are: {remedy}"
    there = sum(len(page["BrokerSummaries"]) for page in _brokers(mq))
    if there >= ONCE:
        quota = f"quotas of {ONCE} and {TODAY} a region are known; Service Quotas says which is yours"
        return "note", f"{what} is offered; {there} brokers are there: {quota}"
    return "ok", f"{what} is offered, {there} brokers are there"


def _options(mq: Any) -> list[Any]:
    """Those of the type with the release."""
    answer = mq.describe_broker_instance_options(EngineType="RABBITMQ", HostInstanceType=AMAZON_MQ_TYPE)
    return [
        option
        for option in answer["BrokerInstanceOptions"]
        if any(_is_ours(version) for version in option["SupportedEngineVersions"])
    ]


def _zones_without(options: Sequence[Any], account: Account, ours: Sequence[str]) -> list[str]:
    """Of our zones, those in which none is offered; none where the service names no zone at all.

    By name or by id: the API reference has both of what is answered ("Id for the availability zone").
    """
    offered = {zone["Name"] for option in options for zone in option.get("AvailabilityZones") or ()}
    if not offered or set(ours) <= offered:
        return []
    named = account.client("ec2").describe_availability_zones(ZoneNames=list(ours))["AvailabilityZones"]
    ids = {zone["ZoneName"]: zone["ZoneId"] for zone in named}
    return [zone for zone in ours if not {zone, ids.get(zone)} & offered]


def _lacking(options: Sequence[Any]) -> list[str]:
    """Modes that are not offered, as the API calls them."""
    offered = {mode for option in options for mode in option["SupportedDeploymentModes"]}
    wanted = [record.broker.mode for record in CATALOG.values() if record.broker]
    return [mode for mode in wanted if mode not in offered]


def _is_ours(version: str) -> bool:
    """A list may name releases with their patch version."""
    return version == AMAZON_MQ_RELEASE or version.startswith(f"{AMAZON_MQ_RELEASE}.")


def _brokers(mq: Any) -> Any:
    return mq.get_paginator("list_brokers").paginate(PaginationConfig={"PageSize": PAGE})
