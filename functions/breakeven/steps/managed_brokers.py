"""Brokers of this installation that Amazon MQ runs, and their configurations: found by name, and deleted.

The service lists brokers without their tags, so that a name says whose broker it is, and each of ours is then
asked for its run. One that is being created cannot be deleted: "Broker can't be deleted while in state
[CREATION_IN_PROGRESS]". A lane that ends then comes to it again each minute, until it is deleted. Of a run
that is stopped then, the watchdog deletes it, which comes every 15 minutes to what runs that are over have
left.

With each broker the service makes a configuration, which stays after it and carries no tag that is
documented: its name begins with its broker's. It is deleted once that is gone, minutes after its deletion.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from boto3.session import Session
from botocore.exceptions import ClientError, EndpointConnectionError

from breakeven.errors import BreakevenError
from breakeven.installation import OWNER_TAG, RUN_TAG, TARGET_TAG, installation
from breakeven.results.state import SuppressCodes
from breakeven.steps.aws_clients import Mq
from breakeven.terms import TargetName

#: states of a broker, as the API has them ("BrokerState"); it can be deleted in those that are not named
RUNNING, CREATING, REBOOTING = "RUNNING", "CREATION_IN_PROGRESS", "REBOOT_IN_PROGRESS"
DELETING = "DELETION_IN_PROGRESS"
#: a broker in the second one "is running, but is in a degraded state" (Amazon MQ Developer Guide, "Amazon MQ
#: broker statuses")
UP = frozenset({RUNNING, "CRITICAL_ACTION_REQUIRED"})
#: on the way to running; a broker may also reboot while it is created
UNFINISHED = frozenset({CREATING, REBOOTING})
#: what the service answers to a call that the broker's state does not allow
REFUSED = "BadRequestException"
#: to a second broker of a name, of whatever request; and to what is in use
TAKEN = "ConflictException"
#: and of one that is not there, or not yet. To a role that may see brokers by their tags alone, one without
#: tags is forbidden (API reference, DescribeBroker: 403 and 404)
UNKNOWN = ("NotFoundException", "ForbiddenException", "AccessDeniedException")
#: brokers on a page, or configurations, at most
PAGE = 100


class NotYetError(BreakevenError):
    """What is to be deleted is still being created: nothing is wrong, and it has to be tried again later."""


@dataclass(frozen=True, slots=True)
class ManagedBroker:
    """A broker, by the service's own description of it."""

    description: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.description["BrokerId"])

    @property
    def state(self) -> str:
        return str(self.description["BrokerState"])

    @property
    def stands(self) -> bool:
        """Whether it is paid for, and goes on being so."""
        return self.state != DELETING

    @property
    def tags(self) -> dict[str, str]:
        return dict(self.description.get("Tags") or {})

    @property
    def created_at(self) -> float:
        """Seconds since the epoch."""
        return float(self.description["Created"].timestamp())


def broker_name(run_id: str, target: TargetName) -> str:
    """At most 50 letters, digits and hyphens, the account's only one of that name."""
    return f"{_ours(run_id)}{_digest(f'{run_id}/{target}', 12)}"


def our_brokers(mq: Mq, run_id: str | None = None, target: TargetName | None = None) -> list[ManagedBroker]:
    """Those of this installation, of one run or of one lane, in whatever state."""
    wanted = {OWNER_TAG: installation().owner}
    wanted |= {RUN_TAG: run_id} if run_id else {}
    wanted |= {TARGET_TAG: target} if target else {}
    return [broker for broker in _described(mq) if wanted.items() <= broker.tags.items()]


def described_broker(mq: Mq, broker_id: str) -> ManagedBroker | None:
    """None where the service does not know it: not yet, or no longer."""
    with SuppressCodes(*UNKNOWN):
        return ManagedBroker(mq.describe_broker(BrokerId=broker_id))
    return None


def delete_broker(mq: Mq, broker_id: str) -> None:
    """One that is gone, or on its way out, is well.

    :raises NotYetError: it is in a state in which it cannot be deleted, and which comes to an end
    """
    try:
        mq.delete_broker(BrokerId=broker_id)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code not in {REFUSED, *UNKNOWN}:
            raise
        broker = described_broker(mq, broker_id)
        if broker is None or broker.state == DELETING:
            return
        if broker.state not in UNFINISHED:
            raise
        again = "it is deleted once that is over, by its lane, the run's end or the watchdog"
        raise NotYetError(f"{broker_id} cannot be deleted while it is {broker.state}: {again}") from error


def _described(mq: Mq) -> Iterator[ManagedBroker]:
    for each in _listed(mq):
        if each["BrokerName"].startswith(_ours()) and (found := described_broker(mq, each["BrokerId"])):
            yield found


def left_configurations(mq: Mq, run_id: str | None = None) -> Iterator[Mapping[str, Any]]:
    """Configurations of this installation's brokers, or of one run's, whose broker is gone."""
    found = [each for each in _configurations(mq) if each["Name"].startswith(_ours(run_id))]
    if found:
        there = tuple(each["BrokerName"] for each in _listed(mq))
        yield from (each for each in found if not each["Name"].startswith(there))


def delete_configuration(mq: Mq, configuration_id: str) -> None:
    """One that is gone is well.

    :raises NotYetError: its broker has it still
    """
    try:
        mq.delete_configuration(ConfigurationId=configuration_id)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code in {TAKEN, REFUSED}:
            why = error.response["Error"].get("Message", "in use")
            again = "the watchdog comes to it again, every 15 minutes"
            raise NotYetError(f"{configuration_id} cannot be deleted: {why}; {again}") from error
        if code not in UNKNOWN:
            raise


def _listed(mq: Mq) -> Iterator[Mapping[str, Any]]:
    """All brokers of the account's in the region."""

    def pages() -> Iterator[Any]:
        yield from mq.get_paginator("list_brokers").paginate(PaginationConfig={"PageSize": PAGE})

    for page in _where_offered(mq, pages):
        yield from page["BrokerSummaries"]


def _configurations(mq: Mq) -> Iterator[Mapping[str, Any]]:
    """All of the account's in the region. botocore has no paginator of them."""

    def pages() -> Iterator[Any]:
        more: dict[str, Any] = {}
        while True:
            page = mq.list_configurations(MaxResults=PAGE, **more)
            yield page
            if not (token := page.get("NextToken")):
                return
            more = {"NextToken": token}

    for page in _where_offered(mq, pages):
        yield from page["Configurations"]


def _where_offered(mq: Mq, pages: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """None where the region has no Amazon MQ, and so nobody to ask."""
    try:
        yield from pages()
    except EndpointConnectionError:
        if mq.meta.region_name in Session().get_available_regions("mq"):
            raise


def _ours(run_id: str | None = None) -> str:
    """How the names of this installation's brokers begin, or of one run's, and no other's."""
    own = f"breakeven-{_digest(installation().owner, 8)}-"
    return f"{own}{_digest(run_id, 12)}" if run_id else own


def _digest(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:digits]
