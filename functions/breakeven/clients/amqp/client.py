"""The native RabbitMQ client: one connection a sender or receiver, spread over the nodes."""

from __future__ import annotations

from collections.abc import Callable

from pika import spec

from breakeven.brokers.access import Access, Node
from breakeven.clients.amqp.link import Link
from breakeven.clients.amqp.receiver import NativeReceiver
from breakeven.clients.amqp.sender import NativeSender
from breakeven.clients.connections import AmqpClient
from breakeven.workload.case import Workload


class NativeAmqpClient(AmqpClient[Link]):
    """:param frame_max: the largest frame to ask brokers for, bytes"""

    name = "native"

    def __init__(
        self,
        workload: Workload,
        access: Access,
        frame_max: int = spec.FRAME_MAX_SIZE,
        leader_of: Callable[[str], str] | None = None,
    ) -> None:
        def connect(node: Node, name: str) -> Link:
            return Link(access, node, name, frame_max)

        super().__init__(workload, access, connect, NativeSender, NativeReceiver, leader_of)
