"""Two RabbitMQ nodes with classic mirrored queues: what the article of 2012 compared with SQS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from breakeven.targets.rabbitmq.rabbitmq_target import RabbitMQTarget, queue_mode
from breakeven.workload.case import Case

POLICY = "breakeven-mirror"
#: ``ha-mode: all`` alone promotes a mirror that is not in sync and so loses what was confirmed
POLICY_DEFINITION = {
    "ha-mode": "all",
    "ha-sync-mode": "automatic",
    "ha-promote-on-failure": "when-synced",
    "ha-promote-on-shutdown": "when-synced",
}


class RabbitMQMirroredPair(RabbitMQTarget):
    """A mirror of each queue on every node but its master's."""

    name = "rabbitmq-mirrored-pair"
    policy = (POLICY, POLICY_DEFINITION)
    short_words = "no synchronised mirror of"

    def arguments(self, case: Case) -> dict[str, Any]:
        """The queue's master is on the node that it is declared on."""
        return {"x-queue-master-locator": "client-local", **queue_mode(case.workload)}

    def replicas(self, queue: Mapping[str, Any]) -> tuple[int, int]:
        return len(queue.get("synchronised_slave_nodes", [])), self._size - 1 - len(self._stopped)
