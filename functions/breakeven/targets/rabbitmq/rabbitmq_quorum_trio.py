"""RabbitMQ nodes with quorum queues: what its makers offer in the place of mirrored queues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from breakeven.targets.rabbitmq.rabbitmq_target import RabbitMQTarget
from breakeven.workload.case import Case

#: deliveries of a message from 4.0 on, unless a queue or a policy says otherwise; unlimited before. Source:
#: the release notes of RabbitMQ 4.0
DELIVERY_LIMIT = 20
#: commands that one channel may have under way to a queue's leader (``quorum_commands_soft_limit``). Source:
#: rabbit.app of RabbitMQ 3.10.8, 4.0.5 and 4.3.6
COMMANDS_SOFT_LIMIT = 32


class RabbitMQQuorumTrio(RabbitMQTarget):
    """Each queue's group of members elects a leader and keeps working while most of them are there."""

    name = "rabbitmq-quorum-trio"
    short_words = "not all members online of"

    def arguments(self, case: Case) -> dict[str, Any]:
        """The queue's leader is on the node that it is declared on."""
        return {
            "x-queue-type": "quorum",
            "x-quorum-initial-group-size": case.workload.group_size,
            "x-queue-leader-locator": "client-local",
        }

    def replicas(self, queue: Mapping[str, Any]) -> tuple[int, int]:
        """Followers: those online, and those whose nodes are not stopped on purpose."""
        members, online = queue.get("members", []), queue.get("online", [])
        return len(online) - 1, len(set(members) - self._stopped) - 1

    def settings(self, release: str) -> dict[str, str | int]:
        limit = DELIVERY_LIMIT if int(release.partition(".")[0]) >= 4 else "none"
        return {"delivery_limit": limit, "quorum_commands_soft_limit": COMMANDS_SOFT_LIMIT}
