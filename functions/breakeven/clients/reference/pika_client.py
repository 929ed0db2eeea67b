"""The reference client of RabbitMQ: pika, one connection a sender or receiver.

Publisher confirms, ``mandatory`` and persistence as the case says; manual acknowledgement, one a message.
With "get" a receiver asks for one message at a time (``basic.get``), with "push" the broker sends up to
``prefetch`` of them.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

import pika
from pika import spec

from breakeven.brokers.access import Access, Node
from breakeven.clients.acknowledging import Acknowledging
from breakeven.clients.base import STAMP_BYTES, Answers, Deliveries, Outcome, Settled
from breakeven.clients.connections import AmqpClient
from breakeven.clients.reference.pika_link import Link, connection_parameters
from breakeven.workload.case import Workload


class PikaSender:
    """Publishes to one queue through the default exchange.

    Without confirms a message is answered as soon as it is written to the socket, and as ``unknown``: what
    becomes of it, a later return included, its sender never learns.
    """

    def __init__(self, link: Link, queue: str, workload: Workload) -> None:
        self._link, self._queue, self._workload = link, queue, workload
        mode = pika.DeliveryMode.Persistent if workload.persistent else pika.DeliveryMode.Transient
        self._properties = pika.BasicProperties(delivery_mode=mode.value)
        self._tags = itertools.count(1)
        self._in_flight: dict[int, tuple[int, int, bytes]] = {}  # delivery tag -> sequence, sent_ns, stamp
        self._returned: set[bytes] = set()  # stamps; a return comes before its confirm
        self._answered: list[tuple[int, Outcome, int, int]] = []
        if workload.mandatory:
            link.channel.add_on_return_callback(self._on_return)
        if workload.confirms:
            self._ask_for_confirms()

    def submit(self, sequences: Sequence[int], bodies: Sequence[bytes]) -> None:
        with self._link.lock:
            for sequence, body in zip(sequences, bodies, strict=True):
                self._link.check()
                self._publish(sequence, body)

    def poll(self, timeout_s: float) -> Answers:
        with self._link.lock:
            self._link.drive(lambda: bool(self._answered), max(0.0, min(timeout_s, self._patience_s())))
            if not self._answered and self._patience_s() <= 0:
                self._link.give_up("a publish")
            answered, self._answered = self._answered, []
        sequence, outcome, sent_ns, answered_ns = zip(*answered, strict=True) if answered else ((),) * 4
        return Answers(sequence, outcome, sent_ns, answered_ns)

    def close(self) -> None:
        self._link.close(confirmed=self._workload.confirms)

    def _ask_for_confirms(self) -> None:
        agreed: list[object] = []
        with self._link.lock:
            self._link.check()
            self._link.channel.confirm_delivery(self._on_answer, callback=agreed.append)
            self._link.call(lambda: bool(agreed), "confirm.select")

    def _publish(self, sequence: int, body: bytes) -> None:
        sent_ns = time.monotonic_ns()
        if self._workload.confirms:
            self._in_flight[next(self._tags)] = (sequence, sent_ns, body[:STAMP_BYTES])
        self._link.channel.basic_publish(
            "", self._queue, body, self._properties, mandatory=self._workload.mandatory
        )
        if not self._workload.confirms:
            self._link.flush()
            self._answered.append((sequence, Outcome.UNKNOWN, sent_ns, time.monotonic_ns()))

    def _patience_s(self) -> float:
        """How long the oldest unanswered message may still take, seconds."""
        if not self._in_flight:
            return float("inf")
        _, oldest_ns, _ = next(iter(self._in_flight.values()))
        return self._link.patience.left_s(oldest_ns)

    def _on_answer(self, frame: Any) -> None:
        """A confirm or a refusal, of one message or of all up to its tag."""
        answered_ns = time.monotonic_ns()
        method = frame.method
        tags = [method.delivery_tag]
        if method.multiple:  # in flight they stand in publishing order
            tags = list(itertools.takewhile(lambda tag: tag <= method.delivery_tag, self._in_flight))
        refused = isinstance(method, spec.Basic.Nack)
        for tag in tags:
            sequence, sent_ns, stamp = self._in_flight.pop(tag)
            self._answered.append((sequence, self._outcome(refused, stamp), sent_ns, answered_ns))

    def _outcome(self, refused: bool, stamp: bytes) -> Outcome:
        if stamp in self._returned:
            self._returned.discard(stamp)
            return Outcome.RETURNED
        return Outcome.NACKED if refused else Outcome.CONFIRMED

    def _on_return(self, _channel: object, _method: object, _properties: object, body: bytes) -> None:
        if self._workload.confirms:
            self._returned.add(body[:STAMP_BYTES])


class PikaReceiver:
    """Consumes from one queue. A "push" consumer starts with the first ``receive``, not before."""

    def __init__(self, link: Link, queue: str, workload: Workload) -> None:
        self._link, self._queue, self._workload = link, queue, workload
        self._arrived: list[tuple[bytes, int, int, bool, object]] = []
        self._asked_ns = -1
        self._empty_ns: int | None = None
        self._consuming = False
        self._acknowledging = Acknowledging(workload)
        link.channel.add_callback(self._on_empty, [spec.Basic.GetEmpty], one_shot=False)

    def receive(self, timeout_s: float) -> Deliveries:
        with self._link.lock:
            if self._workload.consume == "push":
                self._wait_for_push(timeout_s)
            else:
                self._get()
            return self._take()

    def settle(self, handles: Sequence[object]) -> Settled:
        with self._link.lock:
            tags, up_to = self._acknowledging.settle(handles)
            called_ns = time.monotonic_ns()
            for tag in tags:
                self._link.check()
                self._link.channel.basic_ack(tag, multiple=up_to)
            self._link.flush()
        return Settled(tuple(handles), [called_ns] * len(handles), [-1] * len(handles))

    def close(self) -> None:
        self._link.close()

    def _get(self) -> None:
        self._asked_ns, self._empty_ns = time.monotonic_ns(), None
        self._link.check()
        self._link.channel.basic_get(self._queue, self._on_message, auto_ack=not self._workload.acks)
        self._link.call(lambda: bool(self._arrived) or self._empty_ns is not None, "basic.get")

    def _wait_for_push(self, timeout_s: float) -> None:
        if not self._consuming:
            self._start_consuming()
        self._link.drive(lambda: bool(self._arrived), timeout_s)

    def _start_consuming(self) -> None:
        agreed: list[object] = []
        self._link.check()
        self._link.channel.basic_qos(prefetch_count=self._workload.prefetch)
        self._link.channel.basic_consume(
            self._queue, self._on_message, auto_ack=not self._workload.acks, callback=agreed.append
        )
        self._link.call(lambda: bool(agreed), "basic.consume")
        self._consuming = True

    def _take(self) -> Deliveries:
        arrived, self._arrived = self._arrived, []
        empty = () if self._empty_ns is None else ((self._asked_ns, self._empty_ns),)
        self._empty_ns = None
        stamp, asked_ns, in_hand_ns, redelivered, handle = (
            zip(*arrived, strict=True) if arrived else ((),) * 5
        )
        return Deliveries(stamp, asked_ns, in_hand_ns, redelivered, handle, empty)

    def _on_message(self, _channel: object, method: Any, _properties: object, body: bytes) -> None:
        self._acknowledging.handed_out((method.delivery_tag,))
        self._arrived.append(
            (body[:STAMP_BYTES], self._asked_ns, time.monotonic_ns(), method.redelivered, method.delivery_tag)
        )

    def _on_empty(self, _frame: object) -> None:
        self._empty_ns = time.monotonic_ns()


class PikaClient(AmqpClient[Link]):
    name = "pika"

    def __init__(
        self, workload: Workload, access: Access, leader_of: Callable[[str], str] | None = None
    ) -> None:
        def connect(node: Node, name: str) -> Link:
            return Link(connection_parameters(access, node, name))

        super().__init__(workload, access, connect, PikaSender, PikaReceiver, leader_of)
