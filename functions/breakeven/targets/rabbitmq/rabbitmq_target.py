"""Base of every RabbitMQ cluster under test, whatever its queues are."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, ClassVar

from breakeven.brokers.access import Access
from breakeven.clients.base import Client, ConnectionLost
from breakeven.clients.connections import LOADER_CONNECTION
from breakeven.clients.factory import make_client
from breakeven.errors import CaseError
from breakeven.installation import QUEUES
from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from breakeven.targets.rabbitmq.rabbitmq_cluster import CLUSTER_PARAMETER, partition_handling
from breakeven.targets.rabbitmq.rabbitmq_health import cluster_problem, listener_problem, policy_problem
from breakeven.targets.rabbitmq.rabbitmq_management import Management, ManagementError
from breakeven.targets.rabbitmq.rabbitmq_node import ON_OTHER_HOSTS, is_this_host, node_sample
from breakeven.targets.rabbitmq.rabbitmq_releases import check_lazy, check_release
from breakeven.targets.target import Depth, Description, NodeSample, Prepared, Target, queue_names
from breakeven.workload.case import Case, Workload
from breakeven.workload.node_faults import FaultNode

HEALTHY_DEADLINE_S = 60.0
IN_SYNC_DEADLINE_S = 30.0
#: how long a closed connection may still be listed; some tens of milliseconds are seen
LEAVING_S = 0.3
#: the same of the busiest host: by then statistics, made every 5 s, have what was in flight after the close
LEFT_BY_S = 6.0
#: the broker's statistics have a connection's name within one interval of 5 s as a rule. On a busy machine
#: they were seen not to have it at all: one that has none for so long is taken to be nobody's loader
NAMED_WITHIN_S = 30.0
LOOK_EVERY_S = 0.1
#: a queue that was declared is known to every node within that, seconds
KNOWN_WITHIN_S = 5.0
#: status of HTTP
NOT_FOUND = 404


class RabbitMQTarget(Target):
    """Durable queues on a cluster, whose leaders are spread over its nodes in the order of ``access``, or all
    on the first of them.

    :param access: where the nodes are, all of them
    :param nodes_down: how many, the last ones, are stopped on purpose: nobody is sent there
    """

    exact_depth = True
    #: name and definition of the policy that queues of ours need; None: they need none
    policy: ClassVar[tuple[str, Mapping[str, str]] | None] = None
    #: of queues that are not ready, in words
    short_words: ClassVar[str] = "not there:"
    #: in front of the server's name, where its release is not Debian's or the makers' own
    maker: ClassVar[str] = ""

    def __init__(self, access: Access, nodes_down: int = 0) -> None:
        self._size = len(access.nodes)
        self._access = access.left(nodes_down)
        self._stopped = {node.name for node in access.nodes[len(self._access.nodes) :]}
        self._management = Management(self._access)
        #: connections without a name -> when they were first seen
        self._unnamed: dict[str, float] = {}

    @abstractmethod
    def arguments(self, case: Case) -> dict[str, Any]:
        """What the case's queues are declared with."""

    @abstractmethod
    def replicas(self, queue: Mapping[str, Any]) -> tuple[int, int]:
        """Copies of a queue beside the leader's, by the management API: in sync, and due now."""

    def names(self, case: Case, attempt: int) -> tuple[str, ...]:
        """What the case's queues are called."""
        return queue_names(case, attempt)

    def settings(self, release: str) -> dict[str, str | int]:
        """What else the manifest is to have of the queues, as a release such as ``4.0.5`` has it."""
        return {}

    def noted(self) -> Mapping[str, str | int]:
        """What whoever started the brokers has noted in the cluster; empty where there is no such note."""
        return self._management.global_parameter(CLUSTER_PARAMETER)

    def establish(self) -> Description:
        await_no(self._unhealthy, HEALTHY_DEADLINE_S)
        overview = self._management.overview()
        release = str(overview["rabbitmq_version"])
        check_release(self.name, release)
        if self.policy:
            name, definition = self.policy
            self._management.set_policy(name, f"^{QUEUES}", definition)
        await_no(self.problem, HEALTHY_DEADLINE_S)
        noted = self.noted()
        return Description(
            server=f"{self.maker}RabbitMQ {release}, Erlang {overview['erlang_version']}",
            provenance="measured",
            parameters={
                **(self.policy[1] if self.policy else {}),
                **self.settings(release),
                "nodes": self._size,
                "net_ticktime": noted.get("net_ticktime", "not known"),
                "cluster_partition_handling": partition_handling(release, noted),
            },
        )

    def lacking(self) -> str | None:
        try:
            ours = [queue for queue in self._management.queues() if queue["name"].startswith(QUEUES)]
        except ManagementError as error:
            return str(error)
        return self._unhealthy() or self._short(ours)

    def problem(self, queues: tuple[str, ...] = ()) -> str | None:
        """Why cases may not run now: nodes, alarms, listeners, policy, copies of ``queues``."""
        return (
            self._unhealthy()
            or listener_problem(self._access)
            or (policy_problem(self._access, *self.policy) if self.policy else None)
            or self._out_of_sync(queues)
        )

    def prepare(self, case: Case, attempt: int) -> Prepared:
        queues = self.names(case, attempt)
        if case.workload.queue_mode == "lazy":
            check_lazy(self.name, str(self._management.overview()["rabbitmq_version"]))
        if self._stopped:
            await_no(self._unhealthy, HEALTHY_DEADLINE_S)
        homes = self._access.nodes[: 1 if case.workload.leaders == "one" else None]
        for index, node in enumerate(homes):
            with open_channel(self._access, [node]) as channel:
                for queue in queues[index :: len(homes)]:
                    channel.queue_delete(queue)  # what an attempt that broke off may have left
                    channel.queue_declare(queue, durable=True, arguments=self.arguments(case))
        await_no(lambda: self._out_of_sync(queues), IN_SYNC_DEADLINE_S)
        return Prepared(queues, self.mirrors(queues))

    def client(self, workload: Workload) -> Client:
        access = self._access.relayed() if workload.client_faults else self._access
        return make_client(workload, access, leader_of=self._leader_of)

    def mirrors(self, queues: tuple[str, ...]) -> dict[str, int] | None:
        return {str(queue["name"]): self.replicas(queue)[0] for queue in self._described(queues)}

    def in_sync(self, queues: tuple[str, ...]) -> bool:
        return self._out_of_sync(queues) is None

    def node_for(self, node: FaultNode, queue: str) -> str:
        """Another node is one with a replica, where there is any: that is the one whose loss is felt."""
        names = [each.name for each in self._access.nodes]
        if isinstance(node, int):
            return names[node - 1]
        found = self._management.queue(queue)
        leader = str(found.get("leader") or found.get("node") or "")
        if node == "leader":
            if leader not in names:
                raise CaseError(f"{queue} has no leader")
            return leader
        replicas = found.get("online") or found.get("synchronised_slave_nodes") or names
        others = [name for name in names if name != leader]
        if not others:
            raise CaseError(f"there is no node beside that of the leader of {queue}")
        return next((name for name in others if name in replicas), others[0])

    def _leader_of(self, queue: str) -> str:
        """The name of the node that a queue's leader, or its master, is on now; empty while there is none.

        :raises ConnectionLost: no node tells
        """
        try:
            found = self._management.queue(queue)
        except ManagementError as error:
            raise ConnectionLost(str(error)) from None
        return str(found.get("leader") or found.get("node") or "")

    def depth(self, queues: tuple[str, ...]) -> int:
        return self.depths(queues).total

    def depths(self, queues: tuple[str, ...]) -> Depth:
        """Messages ready, read over AMQP, and those in flight.

        What is in flight is known only through statistics, up to their interval old. It is asked only
        while a loader is connected: without one nothing is in flight, whatever the statistics still say.
        """
        with open_channel(self._access, self._access.nodes) as channel:
            counts = [channel.queue_declare(queue, passive=True).method.message_count for queue in queues]
        ready, unacknowledged = int(sum(counts)), 0
        if self._is_in_use():
            unacknowledged = sum(self._management.messages_unacknowledged(queue) for queue in queues)
        return Depth(ready + unacknowledged, ready, unacknowledged)

    def left(self, queues: tuple[str, ...]) -> int:
        """Of a loader that was lost without a close, the broker may list the connection until it misses its
        heartbeats; what is in flight on it is in flight.
        """
        self._is_in_use(LEFT_BY_S)
        return self.depth(queues)

    def samples(self) -> list[NodeSample]:
        return [
            node_sample(node, self._no_process()) for node in self._management.nodes() if node.get("running")
        ]

    def _no_process(self) -> str:
        """Why none of the nodes is a process of this host; empty where they are."""
        return "" if all(is_this_host(node.host) for node in self._access.nodes) else ON_OTHER_HOSTS

    def release(self, queues: tuple[str, ...]) -> None:
        with open_channel(self._access, self._access.nodes) as channel:
            for queue in queues:
                channel.queue_delete(queue)

    def dismantle(self) -> None:
        if self.policy:
            with suppress(ManagementError):
                self._management.delete_policy(self.policy[0])

    def _unhealthy(self) -> str | None:
        """Why the cluster may not be used yet, as each of its nodes sees it that is not stopped."""
        return cluster_problem(self._access, self._size, self._stopped)

    def _out_of_sync(self, queues: tuple[str, ...]) -> str | None:
        return self._short(self._described(queues))

    def _described(self, queues: tuple[str, ...]) -> list[dict[str, Any]]:
        """What the API says of each. A node other than the one that a queue was declared on may learn of it a
        moment later (RabbitMQ documentation, "Everyday Operations with Khepri"), and behind one endpoint
        nobody knows which node answers.
        """
        until = time.monotonic() + KNOWN_WITHIN_S
        while True:
            try:
                return [self._management.queue(queue) for queue in queues]
            except ManagementError as error:
                if error.status != NOT_FOUND or time.monotonic() > until:
                    raise
            time.sleep(LOOK_EVERY_S)

    def _short(self, queues: list[dict[str, Any]]) -> str | None:
        """Which of the queues have fewer copies in sync than are due."""
        copies = {str(queue["name"]): self.replicas(queue) for queue in queues}
        short = [name for name, (in_sync, due) in copies.items() if in_sync < due]
        return f"{self.short_words} {', '.join(short)}" if short else None

    def _is_in_use(self, leaving_s: float = LEAVING_S) -> bool:
        """Is a loader connected, also after a time in which closed connections leave the list?"""
        deadline = time.monotonic() + leaving_s
        while self._has_loaders():
            if time.monotonic() > deadline:
                return True
            time.sleep(LOOK_EVERY_S)
        return False

    def _has_loaders(self) -> bool:
        """One that has not told its name yet may be a loader, and for a while only."""
        found, now = self._management.connections(), time.monotonic()
        self._unnamed = {one.peers: self._unnamed.get(one.peers, now) for one in found if one.name is None}
        if any(now - since < NAMED_WITHIN_S for since in self._unnamed.values()):
            return True
        return any(one.name and one.name.startswith(LOADER_CONNECTION) for one in found)


def queue_mode(workload: Workload) -> dict[str, str]:
    """Of a classic queue what its declaration says of its mode."""
    return {"x-queue-mode": "lazy"} if workload.queue_mode == "lazy" else {}


def await_no(problem: Callable[[], str | None], deadline_s: float) -> None:
    """Wait until there is no problem any more; the one at the deadline becomes the case's reason.

    :raises CaseError: the problem
    """
    deadline = time.monotonic() + deadline_s
    while (found := problem()) is not None:
        if time.monotonic() > deadline:
            raise CaseError(f"RabbitMQ: {found} after {deadline_s:g} s")
        time.sleep(LOOK_EVERY_S)
