"""Amazon MQ's brokers of RabbitMQ 4: quorum queues behind the one endpoint that the service gives a broker.

The endpoint leads to any node, of the API as of AMQP, and nobody can say to which: no queue can be put on a
node, and what is asked of "the node" is asked of one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from breakeven.brokers.access import Access
from breakeven.targets.rabbitmq.rabbitmq_quorum_trio import RabbitMQQuorumTrio
from breakeven.workload.case import Case


class AmazonMqCluster(RabbitMQQuorumTrio):
    """Three nodes, and a member of every queue's group on each: the service keeps it so, whoever asks."""

    name = "amazon-mq-cluster"
    maker = "Amazon MQ's "
    size: ClassVar[int] = 3

    def __init__(self, access: Access, nodes_down: int = 0) -> None:
        """:param access: the broker's one endpoint

        :raises ValueError: nodes are to be down, which the plan refuses
        """
        if nodes_down:
            raise ValueError(f"{self.name}: no call stops a node of it")
        super().__init__(access)
        self._size = self.size

    def arguments(self, case: Case) -> dict[str, Any]:
        """Leaders are spread by the broker, as a declaration may come to any node."""
        return {"x-queue-type": "quorum", "x-queue-leader-locator": "balanced"}

    def noted(self) -> Mapping[str, str | int]:
        """What the service says of its brokers of RabbitMQ 4, where self-hosted ones keep a note.

        Source: Amazon MQ Developer Guide, "RabbitMQ 4", on Khepri.
        """
        return {"cluster_partition_handling": "by majority (Khepri)"}

    def settings(self, release: str) -> dict[str, str | int]:
        """None is known: the service applies policies of its own."""
        return {}


class AmazonMqSingle(AmazonMqCluster):
    """One node. Its queues are quorum queues, which are RabbitMQ's usual ones there, in a group of one."""

    name = "amazon-mq-single"
    size = 1

    def mirrors(self, queues: tuple[str, ...]) -> None:
        """There are none."""
