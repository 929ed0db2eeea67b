"""One RabbitMQ node with durable classic queues: the cheapest broker, and no copy of anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from breakeven.targets.rabbitmq.rabbitmq_target import RabbitMQTarget, queue_mode
from breakeven.workload.case import Case


class RabbitMQSingle(RabbitMQTarget):
    """What was confirmed as persistent outlives the node's process, not its disk."""

    name = "rabbitmq-single"

    def arguments(self, case: Case) -> dict[str, Any]:
        return {"x-queue-type": "classic", **queue_mode(case.workload)}

    def replicas(self, queue: Mapping[str, Any]) -> tuple[int, int]:
        return 0, 0

    def mirrors(self, queues: tuple[str, ...]) -> None:
        """There are none."""
