"""A lane's broker that Amazon MQ creates: asked for, waited for, and put among the lane's secrets.

    ask for it ▸ it is being created, for 15 to 25 minutes ▸ it runs: where it answers is known to the lane

``create_broker`` takes whichever of these steps is due and returns at once: the workflow calls it until
nothing is waited for. The broker carries its run's tags, so that whatever ends the run deletes it, too.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from botocore.exceptions import ClientError

from breakeven.brokers.access import Access, Node, new_credentials
from breakeven.errors import CaseError
from breakeven.installation import RUN_TAG, TARGET_TAG, installation
from breakeven.planning.execution_limits import BROKER_LIMIT_S
from breakeven.results import layout
from breakeven.results.items import RUN, lane_item
from breakeven.steps.aws_clients import Mq
from breakeven.steps.managed_brokers import (
    REFUSED,
    TAKEN,
    UNFINISHED,
    UP,
    ManagedBroker,
    broker_name,
    described_broker,
    our_brokers,
)
from breakeven.steps.run_lease import check_deadline
from breakeven.steps.services import Services
from breakeven.targets.catalog import record_of
from breakeven.targets.rabbitmq.rabbitmq_cluster import AMQPS_PORT
from breakeven.terms import TargetName
from breakeven.workload.machines import Machines

#: where the service's management API answers, unless its endpoint names another port
HTTPS_PORT = 443
#: from a run's beginning to its brokers' weekly maintenance: as far as can be from both ends of a week
UNTIL_MAINTENANCE = timedelta(days=3.5)


@dataclass(frozen=True, slots=True)
class ManagedPlace:
    """Where a broker's endpoint is put: ids of subnets, each in another zone, and of a security group."""

    subnets: Sequence[str]
    group: str


def create_broker(
    services: Services, mq: Mq, place: ManagedPlace, run_id: str, target: TargetName, machines: Machines
) -> bool:
    """Take the step that is due; whether to come again.

    Called again, it creates nothing twice (the service knows a request by its id), with the credentials of
    the first time.

    :raises CaseError: the run's deadline has passed, the service refuses the broker, could not create it, or
        has not done so in time
    """
    state, item = services.state(run_id), lane_item(target)
    lane = state.get(item)
    if "broker_id" not in lane:
        check_deadline(services, run_id)
        asked = {"status": "creating", "broker_since": lane.get("broker_since", round(time.time()))}
        if broker_id := _ask(mq, _request(services, place, run_id, target, machines), run_id, target):
            asked["broker_id"] = broker_id
        else:
            _check_comes(asked["broker_since"], broker_name(run_id, target))
        state.update(item, **asked)
        return True
    broker = described_broker(mq, lane["broker_id"])
    if broker and broker.state in UP:  # how well it runs is seen before the first case
        access = _kept_access(services, run_id, target)
        services.keep_access(run_id, target, _answering(access, broker))
        state.update(item, status="created")
        return False
    _check_goes_on(lane, broker)
    return True


def _request(
    services: Services, place: ManagedPlace, run_id: str, target: TargetName, machines: Machines
) -> dict[str, Any]:
    """Not open to the internet, with what the service chooses for whatever is not said here."""
    asked = record_of(target).broker
    assert asked, f"{target} has no broker of Amazon MQ"
    access, ours = _kept_access(services, run_id, target), installation()
    return {
        "BrokerName": broker_name(run_id, target),
        # a call whose answer got lost creates no second one
        "CreatorRequestId": hashlib.sha256(f"{ours.owner}/{run_id}/{target}".encode()).hexdigest()[:36],
        "EngineType": "RABBITMQ",
        "EngineVersion": asked.release,
        "DeploymentMode": asked.mode,
        "HostInstanceType": machines.instance_type,
        "PubliclyAccessible": False,
        # the service takes no other of RabbitMQ 3.13 and above
        "AutoMinorVersionUpgrade": True,
        # one for a single broker
        "SubnetIds": list(place.subnets if asked.nodes > 1 else place.subnets[:1]),
        "SecurityGroups": [place.group],
        "Users": [{"Username": access.username, "Password": access.password}],
        "MaintenanceWindowStartTime": maintenance_window(_began(services, run_id)),
        "Tags": ours.tags({RUN_TAG: run_id, TARGET_TAG: target, "Name": f"breakeven {target}"}),
    }


def _began(services: Services, run_id: str) -> datetime:
    """The same at each call, so that the request is, too; now of a run that has no record."""
    known = services.state(run_id).get(RUN).get("started_at")
    return datetime.fromisoformat(known) if known else datetime.now(UTC)


def maintenance_window(began: datetime) -> dict[str, str]:
    """The two hours of a week in which the service may restart the broker, outside the run.

    Source: Amazon MQ API reference, "WeeklyStartTime"; Developer Guide, "Maintaining an Amazon MQ broker".
    """
    starts = began.astimezone(UTC) + UNTIL_MAINTENANCE
    return {
        "DayOfWeek": starts.strftime("%A").upper(),
        "TimeOfDay": starts.strftime("%H:%M"),
        "TimeZone": "UTC",
    }


def _ask(mq: Mq, request: dict[str, Any], run_id: str, target: TargetName) -> str | None:
    """The broker's id. None: an earlier request made it, whose answer was lost, and it is not to be seen yet.

    :raises CaseError: the service takes no such request, in its own words, which name no password
    """
    try:
        return str(mq.create_broker(**request)["BrokerId"])
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code == TAKEN:
            return next((each.id for each in our_brokers(mq, run_id, target) if each.stands), None)
        if code != REFUSED:
            raise
        said = error.response["Error"].get("Message", "no reason given")
        what = f"{request['HostInstanceType']} with RabbitMQ {request['EngineVersion']}"
        remedy = "`breakeven doctor` says what it offers here"
        raise CaseError(f"Amazon MQ refuses to create {what}: {said}; {remedy}") from error


def _check_comes(since: float, name: str) -> None:
    """:raises CaseError: a broker of that name is there, and for too long none that is this lane's"""
    if time.time() - since > BROKER_LIMIT_S:
        remedy = "delete the broker of that name, or its tags say of which run it is"
        raise CaseError(f"Amazon MQ has a broker {name} that is not known as this lane's: {remedy}")


def _kept_access(services: Services, run_id: str, target: TargetName) -> Access:
    """The lane's credentials, made the first time they are asked for."""
    if services.store.keys(layout.access_key(run_id, target)) and (kept := services.access(run_id, target)):
        return kept
    made = new_credentials()
    services.keep_access(run_id, target, made)
    return made


def _answering(access: Access, broker: ManagedBroker) -> Access:
    """The one endpoint of a broker, however many nodes are behind it; its certificate is one that all know.

    :raises CaseError: the service names none
    """
    instances = broker.description.get("BrokerInstances") or []
    endpoints = [urlsplit(url) for each in instances for url in each.get("Endpoints", [])]
    amqps = [url for url in endpoints if url.scheme == "amqps" and url.hostname]
    if not amqps:
        raise CaseError(f"Amazon MQ says of {broker.id}, which is {broker.state}, nowhere that it answers")
    console = urlsplit(instances[0].get("ConsoleURL") or "")
    node = Node(
        name=broker.id,
        host=str(amqps[0].hostname),
        amqp_port=amqps[0].port or AMQPS_PORT,
        management_port=console.port or HTTPS_PORT,
    )
    return access.model_copy(update={"nodes": (node,), "tls": True})


def _check_goes_on(lane: dict[str, Any], broker: ManagedBroker | None) -> None:
    """:raises CaseError: the broker will not run, or should by now"""
    if broker and broker.state not in UNFINISHED:
        raise CaseError(f"Amazon MQ has not created the broker {broker.id}: it is {broker.state}")
    waited_s = time.time() - lane["broker_since"]
    if waited_s > BROKER_LIMIT_S:
        what = f"it is {broker.state}" if broker else "Amazon MQ does not know it"
        asked = f"{waited_s / 60:.0f} min after it was asked for"
        raise CaseError(f"the broker {lane['broker_id']} does not run {asked}: {what}")
