"""Two RabbitMQ nodes with classic mirrored queues: what the article of 2012 compared with SQS."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from breakeven.brokers.access import Access
from breakeven.clients.base import Client
from breakeven.clients.connections import LOADER_CONNECTION
from breakeven.clients.factory import make_client
from breakeven.errors import CaseError
from breakeven.installation import QUEUES
from breakeven.targets.rabbitmq_channel import open_channel
from breakeven.targets.rabbitmq_cluster import CLUSTER_PARAMETER
from breakeven.targets.rabbitmq_health import cluster_problem, listener_problem, policy_problem
from breakeven.targets.rabbitmq_management import Management, ManagementError
from breakeven.targets.target import Description, NodeSample, Prepared, Target, queue_names
from breakeven.workload.case import Case, Workload

NODES = 2
POLICY = "breakeven-mirror"
#: ``ha-mode: all`` alone promotes a mirror that is not in sync and so loses what was confirmed
POLICY_DEFINITION = {
    "ha-mode": "all",
    "ha-sync-mode": "automatic",
    "ha-promote-on-failure": "when-synced",
    "ha-promote-on-shutdown": "when-synced",
}
HEALTHY_DEADLINE_S = 60.0
IN_SYNC_DEADLINE_S = 30.0
#: how long a closed connection may still be listed; some tens of milliseconds are seen
LEAVING_S = 0.3
LOOK_EVERY_S = 0.1


class RabbitMQMirroredPair(Target):
    """
    :param access: where the nodes are, all of them; queues spread over them in this order
    :param nodes_down: how many, the last ones, are stopped on purpose: nobody is sent there
    """

    name = "rabbitmq-mirrored-pair"
    exact_depth = True

    def __init__(self, access: Access, nodes_down: int = 0) -> None:
        self._access = access.left(nodes_down)
        self._stopped = {node.name for node in access.nodes[len(self._access.nodes) :]}
        self._mirrors = NODES - 1 - nodes_down  # of each queue
        self._management = Management(self._access)

    def establish(self) -> Description:
        _await(self._unhealthy, HEALTHY_DEADLINE_S)
        self._management.set_policy(POLICY, f"^{QUEUES}", POLICY_DEFINITION)
        _await(self.problem, HEALTHY_DEADLINE_S)
        overview = self._management.overview()
        noted = self._management.global_parameter(CLUSTER_PARAMETER)
        return Description(
            server=f"RabbitMQ {overview['rabbitmq_version']}, Erlang {overview['erlang_version']}",
            provenance="measured",
            parameters={
                **POLICY_DEFINITION,
                "nodes": NODES,
                "net_ticktime": noted.get("net_ticktime", "not known"),
                "cluster_partition_handling": noted.get("cluster_partition_handling", "not known"),
            },
        )

    def lacking(self) -> str | None:
        try:
            behind = [queue["name"] for queue in self._management.queues() if self._is_behind(queue)]
        except ManagementError as error:
            return str(error)
        return self._unhealthy() or (f"no synchronised mirror of {', '.join(behind)}" if behind else None)

    def problem(self, queues: tuple[str, ...] = ()) -> str | None:
        """Why cases may not run now: nodes, alarms, listeners, policy, mirrors of ``queues``."""
        return (
            self._unhealthy()
            or listener_problem(self._access)
            or policy_problem(self._access, POLICY, POLICY_DEFINITION)
            or self._out_of_sync(queues)
        )

    def prepare(self, case: Case, attempt: int) -> Prepared:
        queues = queue_names(case, attempt)
        if self._stopped:
            _await(self._unhealthy, HEALTHY_DEADLINE_S)
        for index, node in enumerate(self._access.nodes):
            with open_channel(self._access, [node]) as channel:
                for queue in queues[index :: len(self._access.nodes)]:
                    _declare(channel, queue)
        _await(lambda: self._out_of_sync(queues), IN_SYNC_DEADLINE_S)
        return Prepared(queues, self.mirrors(queues))

    def client(self, workload: Workload) -> Client:
        return make_client(workload, self._access)

    def mirrors(self, queues: tuple[str, ...]) -> dict[str, int]:
        return {queue: _in_sync(self._management.queue(queue)) for queue in queues}

    def depth(self, queues: tuple[str, ...]) -> int:
        """Messages ready, read over AMQP, and those in flight.

        What is in flight is known only through statistics, up to their interval old. It is asked only
        while a loader is connected: without one nothing is in flight, whatever the statistics still say.
        """
        with open_channel(self._access, self._access.nodes) as channel:
            ready = sum(channel.queue_declare(queue, passive=True).method.message_count for queue in queues)
        if not self._is_in_use():
            return int(ready)
        return int(ready) + sum(self._management.messages_unacknowledged(queue) for queue in queues)

    def samples(self) -> list[NodeSample]:
        """RabbitMQ tells memory and disk; the share of the CPU it does not."""
        return [
            NodeSample(str(node["name"]), None, node.get("mem_used"), node.get("disk_free"))
            for node in self._management.nodes()
        ]

    def release(self, queues: tuple[str, ...]) -> None:
        with open_channel(self._access, self._access.nodes) as channel:
            for queue in queues:
                channel.queue_delete(queue)

    def dismantle(self) -> None:
        with suppress(ManagementError):
            self._management.delete_policy(POLICY)

    def _unhealthy(self) -> str | None:
        """Why the cluster may not be used yet, as each of its nodes sees it that is not stopped."""
        return cluster_problem(self._access, NODES, self._stopped)

    def _out_of_sync(self, queues: tuple[str, ...]) -> str | None:
        lacking = [queue for queue, mirrors in self.mirrors(queues).items() if mirrors < self._mirrors]
        return f"no synchronised mirror of {', '.join(lacking)}" if lacking else None

    def _is_behind(self, queue: dict[str, Any]) -> bool:
        """Is it one of ours that lacks a mirror?"""
        return str(queue["name"]).startswith(QUEUES) and _in_sync(queue) < self._mirrors

    def _is_in_use(self) -> bool:
        """Is a loader connected, also after a moment in which closed connections leave the list?"""
        deadline = time.monotonic() + LEAVING_S
        while self._has_loaders():
            if time.monotonic() > deadline:
                return True
            time.sleep(LOOK_EVERY_S)
        return False

    def _has_loaders(self) -> bool:
        """One that has not told its name yet may be a loader."""
        found = self._management.connections()
        return any(one.name is None or one.name.startswith(LOADER_CONNECTION) for one in found)


def _declare(channel: Any, queue: str) -> None:
    """A fresh durable queue with its master on the channel's node."""
    channel.queue_delete(queue)  # what an attempt that broke off may have left
    channel.queue_declare(queue, durable=True, arguments={"x-queue-master-locator": "client-local"})


def _in_sync(queue: dict[str, Any]) -> int:
    return len(queue.get("synchronised_slave_nodes", []))


def _await(problem: Callable[[], str | None], deadline_s: float) -> None:
    """Wait until there is no problem any more; the one at the deadline becomes the case's reason."""
    deadline = time.monotonic() + deadline_s
    while (found := problem()) is not None:
        if time.monotonic() > deadline:
            raise CaseError(f"RabbitMQ: {found} after {deadline_s:g} s")
        time.sleep(LOOK_EVERY_S)
