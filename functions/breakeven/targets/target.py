"""Interface of a target: the thing under test, as the workflow sees it.

Fresh queues are made for every case and attempt and deleted after; nothing is purged and reused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Protocol

from breakeven.brokers.access import Access
from breakeven.clients.base import Client
from breakeven.errors import CaseError
from breakeven.installation import QUEUES
from breakeven.targets import catalog
from breakeven.workload.case import Case, Workload
from breakeven.workload.node_faults import FaultNode


@dataclass(frozen=True, slots=True)
class Prepared:
    """``mirrors``: queue -> synchronised mirrors as read from the broker; None where there are none."""

    queues: tuple[str, ...]
    mirrors: dict[str, int] | None


@dataclass(frozen=True, slots=True)
class NodeProcess:
    """A node's process on this host; the names of its program begin with ``program``."""

    pid: int
    program: str = ""


@dataclass(frozen=True, slots=True)
class NodeSample:
    """One look at a node, as its target tells; the figures are those of ``case_figures.NodeFigures``.

    ``process``: where it is one of this host, or an ancestor of all that it consists of; else ``no_process``
    says why not.
    """

    node: str
    memory_bytes: int | None = None
    memory_limit_bytes: int | None = None
    disk_free_bytes: int | None = None
    file_descriptors: int | None = None
    alarms: str | None = None
    peer_received_bytes_per_s: float | None = None
    peer_sent_bytes_per_s: float | None = None
    process: NodeProcess | None = None
    no_process: str = ""


@dataclass(frozen=True, slots=True)
class Depth:
    """Messages in queues: ``ready`` for anyone, and ``unacknowledged``, in somebody's hands; None where the
    target tells only how many there are in all.
    """

    total: int
    ready: int | None = None
    unacknowledged: int | None = None


@dataclass(frozen=True, slots=True)
class Description:
    """``server`` in words ('RabbitMQ 3.10.8, Erlang 25.2.3'); parameters for the manifest."""

    server: str
    provenance: str  # measured, emulated
    parameters: dict[str, str | int | bool] = field(default_factory=dict)


class Target(Protocol):
    name: str
    exact_depth: bool  # is ``depth`` a count? else it is an estimate, which may be late

    def establish(self) -> Description:
        """Wait until healthy and put in place what cases need (policy). Idempotent. Raises CaseError."""

    def lacking(self) -> str | None:
        """What is missing of the whole: a node that does not run, a mirror behind. None when all is well."""
        return None

    def prepare(self, case: Case, attempt: int) -> Prepared:
        """Declare the case's fresh queues and wait until they are ready. Raises CaseError."""

    def client(self, workload: Workload) -> Client:
        """The case's client for this target."""

    def mirrors(self, queues: tuple[str, ...]) -> dict[str, int] | None:
        """Synchronised mirrors of each queue, read from the broker now; None where there are none."""
        return None

    def depth(self, queues: tuple[str, ...]) -> int:
        """Messages left in the queues (ready and in flight), read now. Raises CaseError."""

    def depths(self, queues: tuple[str, ...]) -> Depth:
        """The same, with its parts. Raises CaseError."""
        return Depth(self.depth(queues))

    def left(self, queues: tuple[str, ...]) -> int:
        """As ``depth``, once the case's loaders have ended: what one held then is counted once. Raises
        CaseError.
        """
        return self.depth(queues)

    def samples(self) -> list[NodeSample]:
        """One sample a node that runs; empty where nothing is known of any. Raises CaseError."""
        return []

    def in_sync(self, queues: tuple[str, ...]) -> bool | None:
        """Are all replicas of the queues in sync, read now? None where nobody tells. Raises CaseError."""
        return None

    def node_for(self, node: FaultNode, queue: str) -> str:
        """The name of the node that a fault is for: the queue's leader's, another, or one by its number, from
        1. Raises CaseError.
        """
        raise CaseError(f"{self.name} has no nodes of ours")

    def release(self, queues: tuple[str, ...]) -> None:
        """Delete the queues; one that is gone already is well. Raises CaseError."""

    def dismantle(self) -> None:
        """Take back what ``establish`` put in place, for brokers that are not ours. Never raises."""
        return


def queue_names(case: Case, attempt: int) -> tuple[str, ...]:
    """``be-<8 hex digits of run and case>-a<attempt>-q<index>``, one for each of the case's queues."""
    digest = hashlib.sha256(f"{case.run_id}/{case.case_id}".encode()).hexdigest()[:8]
    return tuple(f"{QUEUES}{digest}-a{attempt}-q{index}" for index in range(case.workload.queues))


def open_target(name: str, access: Access | None, nodes_down: int = 0) -> Target:
    """The target of that name.

    :param access: where its brokers are, all of them; None for a managed service
    :param nodes_down: how many of them, the last ones, a case has stopped
    :raises CaseError: when brokers are needed and none are known
    """
    record = catalog.record_of(name)
    # imported when a target of it is opened: those who plan or price need none of its clients
    target_class: Callable[..., Target] = resolve_name(record.opened_by)
    if not record.has_brokers:
        return target_class()
    if access is None or not access.nodes:
        raise CaseError(f"{name}: no broker node is known")
    return target_class(access, nodes_down)
