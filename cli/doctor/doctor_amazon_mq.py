"""Whether Amazon MQ creates brokers here: the type and release that lanes ask for, and room for them."""

from __future__ import annotations

from typing import Any

from breakeven.steps.managed_brokers import PAGE
from breakeven.targets.catalog import AMAZON_MQ_RELEASE, AMAZON_MQ_TYPE, CATALOG
from cli.running.deployed import Account, Said

#: brokers of a region: the quota that the guide has had longest, and today's ("Quotas in Amazon MQ")
ONCE, TODAY = 50, 200


def amazon_mq(account: Account) -> Said:
    """It stops no run: a lane that has no broker fails by itself, and says why."""
    mq, what = account.client("mq"), f"{AMAZON_MQ_TYPE} with RabbitMQ {AMAZON_MQ_RELEASE}"
    if lacking := _lacking(mq):
        remedy = "lanes of Amazon MQ fail here; leave its targets out, or take another region"
        return "note", f"no {what} in {account.region} as {', '.join(lacking)}: {remedy}"
    there = sum(len(page["BrokerSummaries"]) for page in _brokers(mq))
    if there >= ONCE:
        quota = f"quotas of {ONCE} and {TODAY} a region are known; Service Quotas says which is yours"
        return "note", f"{what} is offered; {there} brokers are there: {quota}"
    return "ok", f"{what} is offered, {there} brokers are there"


def _lacking(mq: Any) -> list[str]:
    """Modes that are not offered of the type with the release, as the API calls them."""
    answer = mq.describe_broker_instance_options(EngineType="RABBITMQ", HostInstanceType=AMAZON_MQ_TYPE)
    offered = {
        mode
        for option in answer["BrokerInstanceOptions"]
        if any(_is_ours(version) for version in option["SupportedEngineVersions"])
        for mode in option["SupportedDeploymentModes"]
    }
    wanted = [record.broker.mode for record in CATALOG.values() if record.broker]
    return [mode for mode in wanted if mode not in offered]


def _is_ours(version: str) -> bool:
    """A list may name releases with their patch version."""
    return version == AMAZON_MQ_RELEASE or version.startswith(f"{AMAZON_MQ_RELEASE}.")


def _brokers(mq: Any) -> Any:
    return mq.get_paginator("list_brokers").paginate(PaginationConfig={"PageSize": PAGE})
