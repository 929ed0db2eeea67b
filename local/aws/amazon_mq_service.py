"""Amazon MQ's brokers as they come and go: created and rebooted late, refused an early end, and gone late.

moto has a broker running at once, whoever asks for it, and gone at once. Here a broker stands for one of
``ManagedBrokers``, which says when it runs, and where. Brokers answer at no address of AWS: what they are
reached by is what DescribeBroker says, as on AWS.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from moto.core import DEFAULT_ACCOUNT_ID
from moto.mq.models import mq_backends

from breakeven.pricing.prices.broker_types import broker_types
from local.aws.strict.amazon_mq_rules import MODES, faults, is_name_taken
from local.aws.strict.front import Answer, PassOn, Request
from local.aws.strict.refusals import Refusal
from local.aws.strict.requests.needed import REGION

#: seconds: at least until one runs, whatever it stands for; from its deletion until nobody knows it any more
CREATION_S, DELETION_S = 1.5, 0.5
#: seconds: from the call for a reboot until it begins, and at least from then until the broker runs again
REBOOT_BEGINS_S, REBOOT_S = 1.0, 2.0
#: of the region, all of which offer every type
ZONES = "abc"
CREATING, RUNNING, DELETING = "CREATION_IN_PROGRESS", "RUNNING", "DELETION_IN_PROGRESS"
REBOOTING = "REBOOT_IN_PROGRESS"
FAILED = "CREATION_FAILED"


@dataclass(frozen=True, slots=True)
class Asked:
    """A broker that was asked for. ``nodes``: 1 or 3; the user is its administrator."""

    broker_id: str
    nodes: int
    username: str
    password: str
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Endpoints:
    """URLs, as DescribeBroker has them: ``amqps://host:port`` and ``https://host:port``."""

    amqps: str
    console: str


class CannotBeCreatedError(Exception):
    """The service could not create the broker, and says no more than that."""


class ManagedBrokers(Protocol):
    def create(self, asked: Asked) -> None:
        """Start what stands for the broker; returns at once."""

    def endpoints(self, broker_id: str) -> Endpoints | None:
        """Where it answers; None until it does.

        :raises CannotBeCreatedError: it never will
        """

    def reboot(self, broker_id: str) -> None:
        """Restart its nodes; returns at once, and ``endpoints`` is None until they run again."""

    def delete(self, broker_id: str) -> None:
        """Stop it; one that is not known is ignored."""


class NoBrokers:
    """Nothing stands for a broker: none ever runs."""

    def create(self, asked: Asked) -> None:
        return

    def endpoints(self, broker_id: str) -> None:
        return

    def reboot(self, broker_id: str) -> None:
        return

    def delete(self, broker_id: str) -> None:
        return


class AmazonMq:
    """A layer: holds requests to the service's rules and brokers to their lives. Safe to share by threads."""

    def __init__(self, brokers: ManagedBrokers | None = None) -> None:
        self._brokers: ManagedBrokers = brokers or NoBrokers()
        self._lock = threading.Lock()
        self._runs_from: dict[str, float] = {}
        self._reboots_from: dict[str, float] = {}
        self._gone_from: dict[str, float] = {}

    def __call__(self, request: Request, pass_on: PassOn) -> Answer:
        if request.service != "mq":
            return pass_on(request)
        changes = {
            "mq:CreateBroker": self._create,
            "mq:DeleteBroker": self._delete,
            "mq:RebootBroker": self._reboot,
        }
        with self._lock:
            self._age()
            if change := changes.get(request.operation or ""):
                return change(request, pass_on)
        if request.operation == "mq:DescribeBrokerInstanceOptions":
            return _json({"brokerInstanceOptions": _options()})
        if request.operation == "mq:DescribeBrokerEngineTypes":
            return _json({"brokerEngineTypes": _engines()})
        return pass_on(request)

    def _create(self, request: Request, pass_on: PassOn) -> Answer:
        """API reference, CreateBroker: a name is the account's only one.

        What a request is answered that comes a second time by its own id, no source says: it is the harsher
        answer here, that the name is taken.
        """
        given = json.loads(request.body)
        for fault in faults(given, REGION):
            return Refusal("BadRequestException", fault).answer("mq")
        if is_name_taken(given["brokerName"], REGION):
            message = f"Broker name [{given['brokerName']}] is in use."
            return Refusal("ConflictException", message, 409).answer("mq")
        answer = pass_on(request)
        if answer.status != 200:
            return answer
        self._begin(json.loads(answer.body)["brokerId"], given)
        return answer

    def _begin(self, broker_id: str, given: Mapping[str, Any]) -> None:
        broker = _known()[broker_id]
        broker.state, broker.instances = CREATING, []
        self._runs_from[broker_id] = time.monotonic() + CREATION_S
        (user,) = given["users"]
        nodes = 1 if given["deploymentMode"] == MODES[0] else 3
        tags = given.get("tags", {})
        self._brokers.create(Asked(broker_id, nodes, user["username"], user["password"], tags))

    def _reboot(self, request: Request, pass_on: PassOn) -> Answer:
        """API reference, RebootBroker: of one that is RUNNING, and asynchronous: it runs on for a while."""
        broker_id = request.environ["PATH_INFO"].split("/")[-2]
        broker = _known().get(broker_id)
        if broker is None:
            # moto's own answer is an error of its server
            return Refusal("NotFoundException", f"Can't find requested broker [{broker_id}].", 404).answer(
                "mq"
            )
        if broker.state != RUNNING:
            message = f"Broker [{broker.name}] can't be rebooted while in state [{broker.state}]"
            return Refusal("BadRequestException", message).answer("mq")
        self._reboots_from.setdefault(broker_id, time.monotonic() + REBOOT_BEGINS_S)
        return _json({})

    def _delete(self, request: Request, pass_on: PassOn) -> Answer:
        """As its users tell, "Broker can't be deleted while in state [CREATION_IN_PROGRESS]": terraform's
        provider waits for another.
        """
        broker_id = request.environ["PATH_INFO"].rpartition("/")[2]
        broker = _known().get(broker_id)
        if broker is None:
            return pass_on(request)  # which moto does not know either
        if broker.state in {CREATING, REBOOTING, DELETING}:
            message = f"Broker [{broker.name}] can't be deleted while in state [{broker.state}]"
            return Refusal("BadRequestException", message).answer("mq")
        broker.state, broker.instances = DELETING, []
        self._reboots_from.pop(broker_id, None)
        self._brokers.delete(broker_id)
        self._gone_from[broker_id] = time.monotonic() + DELETION_S
        return _json({"brokerId": broker_id})

    def _age(self) -> None:
        """Have brokers reboot and run that do by now, and forget those that are gone."""
        known, now = _known(), time.monotonic()
        for broker_id, begins in list(self._reboots_from.items()):
            if now >= begins:
                del self._reboots_from[broker_id]
                known[broker_id].state = REBOOTING
                self._runs_from[broker_id] = now + REBOOT_S
                self._brokers.reboot(broker_id)
        for broker_id, gone_from in list(self._gone_from.items()):
            if now > gone_from:
                del self._gone_from[broker_id]
                known.pop(broker_id, None)
        for broker_id, broker in known.items():
            if broker.state not in {CREATING, REBOOTING} or now < self._runs_from.get(broker_id, 0.0):
                continue
            try:
                found = self._brokers.endpoints(broker_id)
            except CannotBeCreatedError:
                broker.state = FAILED
                continue
            if found:
                broker.state = RUNNING
                # one of a cluster, too, whose nodes are behind it
                broker.instances = [{"consoleURL": found.console, "endpoints": [found.amqps]}]


def _known() -> dict[str, Any]:
    brokers: dict[str, Any] = mq_backends[DEFAULT_ACCOUNT_ID][REGION].brokers
    return brokers


def _options() -> list[dict[str, Any]]:
    """API reference, "Broker instance options"."""
    return [
        {
            "engineType": "RABBITMQ",
            "hostInstanceType": name,
            "storageType": "EBS",
            "availabilityZones": [{"name": f"{REGION}{zone}"} for zone in ZONES],
            "supportedDeploymentModes": list(MODES),
            "supportedEngineVersions": list(known.releases),
        }
        for name, known in broker_types().items()
    ]


def _engines() -> list[dict[str, Any]]:
    """API reference, "Broker engine types"."""
    releases = dict.fromkeys(release for known in broker_types().values() for release in known.releases)
    return [{"engineType": "RABBITMQ", "engineVersions": [{"name": each} for each in releases]}]


def _json(body: dict[str, Any]) -> Answer:
    return Answer.of(200, "application/json", json.dumps(body).encode())
