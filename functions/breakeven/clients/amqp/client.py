"""The native RabbitMQ client: one connection a sender or receiver, spread over the nodes."""

from __future__ import annotations

from pika import spec

from breakeven.brokers.access import Access
from breakeven.clients.amqp.link import Link
from breakeven.clients.amqp.receiver import NativeReceiver
from breakeven.clients.amqp.sender import NativeSender
from breakeven.clients.connections import Connections
from breakeven.workload.case import Workload


class NativeAmqpClient:
    """:param frame_max: the largest frame to ask brokers for, bytes"""

    name = "native"

    def __init__(self, workload: Workload, access: Access, frame_max: int = spec.FRAME_MAX_SIZE) -> None:
        self._workload = workload
        self._connections = Connections(access, lambda node, name: Link(access, node, name, frame_max))

    def sender(self, queue: str) -> NativeSender:
        return self._connections.open("sender", lambda link: NativeSender(link, queue, self._workload))

    def receiver(self, queue: str) -> NativeReceiver:
        return self._connections.open("receiver", lambda link: NativeReceiver(link, queue, self._workload))

    def close(self) -> None:
        self._connections.close()
