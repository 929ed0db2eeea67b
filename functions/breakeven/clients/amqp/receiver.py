"""Consumes from one queue."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from pika import spec

from breakeven.clients.acknowledging import Acknowledging
from breakeven.clients.amqp.coalescing import Coalescing
from breakeven.clients.amqp.encoding import acknowledgements, acknowledgements_up_to, method_frame
from breakeven.clients.amqp.events import Events, ProtocolError
from breakeven.clients.amqp.fast_path_connection import obstacle, size_obstacle
from breakeven.clients.amqp.fast_path_receiver import FastPathReceiver
from breakeven.clients.amqp.link import Link
from breakeven.clients.amqp.shape import fetched, pushed
from breakeven.clients.base import Deliveries, Settled
from breakeven.clients.columns import together
from breakeven.clients.fast_path import Ours, Received
from breakeven.workload.case import Workload

#: what our one consumer on its channel is called
CONSUMER = "c"


class NativeReceiver(Events):
    """A "push" consumer starts with the first ``receive``, not before.

    What one read brings shares ``in_hand_ns``, and what one call settles is one write and shares
    ``called_ns``; each message is acknowledged by itself all the same, unless the case says otherwise.
    """

    def __init__(self, link: Link, queue: str, workload: Workload) -> None:
        self._link, self._workload = link, workload
        unacknowledged = not workload.acks
        self._get = method_frame(spec.Basic.Get(queue=queue, no_ack=unacknowledged))
        self._consume = spec.Basic.Consume(queue=queue, consumer_tag=CONSUMER, no_ack=unacknowledged)
        self._acknowledging = Acknowledging(workload)
        self._asked_ns = -1
        self._asking = self._consuming = False
        self._empty_ns: int | None = None
        self._coalescing = Coalescing(workload.most_in_hand)
        self._fast_path: FastPathReceiver | None = None
        self.fallback: str | None = None
        self._arrived: list[Deliveries] = []
        size, persistent = workload.message_bytes, workload.persistent
        with link.lock:
            link.reader.events = self
            link.reader.shape = (
                pushed(queue, CONSUMER, size, persistent, link.frame_max)
                if workload.consume == "push"
                else fetched(queue, size, persistent, link.frame_max)
            )

    def receive(self, timeout_s: float) -> Deliveries:
        with self._link.lock:
            if self._workload.consume == "push":
                self._wait_for_push(timeout_s)
            else:
                self._ask()
            return self._take()

    def settle(self, handles: Sequence[object]) -> Settled:
        count, called_ns = len(handles), 0
        with self._link.lock:
            self._link.check()
            if count:
                called_ns = time.monotonic_ns()
                self._acknowledge(handles)
        return Settled(handles, [called_ns] * count, [-1] * count)

    def _acknowledge(self, handles: Sequence[Any]) -> None:
        tags, up_to = self._acknowledging.settle(handles)
        if tags:
            self._link.write(acknowledgements_up_to(tags) if up_to else acknowledgements(tags))
            self._link.flush()

    def expect(self, ours: Ours) -> bool:
        self._fast_path = self.fallback = None
        if self._workload.consume == "push":
            link, shape = self._link, self._link.reader.shape
            self.fallback = obstacle(link) or size_obstacle(link, self._workload.message_bytes)
            if self.fallback is None:
                assert shape is not None  # one frame holds a body
                assert shape.pieces is not None  # messages are pushed
                self._fast_path = FastPathReceiver(link, shape.size, shape.pieces, self._workload, ours)
        return self._fast_path is not None

    def receive_on_fast_path(self, until_ns: int) -> Received | None:
        assert self._fast_path is not None
        with self._link.lock:
            if not self._consuming:
                self._start_consuming()
            if self._acknowledging.holds_others:
                self._fast_path.acknowledge_each()
            return None if self._arrived else self._fast_path.receive(until_ns)

    def close(self) -> None:
        self._link.close()

    def delivered(
        self, channel: int, tags: Sequence[int], redelivered: Sequence[bool], stamps: Sequence[bytes]
    ) -> None:
        self.on_channel(channel)
        if not (self._consuming or (self._asking and len(tags) == 1)):
            raise ProtocolError(f"{len(tags)} messages that were not asked for")
        self._asking = False
        count, read_ns = len(tags), self._link.read_ns
        self._acknowledging.handed_out(tags)
        self._arrived.append(
            Deliveries(stamps, (self._asked_ns,) * count, (read_ns,) * count, redelivered, tags)
        )
        self._coalescing.took(count, read_ns)
        self._link.news = True

    def empty(self, channel: int) -> None:
        self.on_channel(channel)
        if not self._asking:
            super().empty(channel)
        self._asking, self._empty_ns = False, self._link.read_ns

    def _ask(self) -> None:
        self._link.check()
        self._asked_ns, self._empty_ns, self._asking = time.monotonic_ns(), None, True
        self._link.write(self._get)
        self._link.call(lambda: not self._asking, "basic.get")

    def _wait_for_push(self, timeout_s: float) -> None:
        if not self._consuming:
            self._start_consuming()
        if not self._link.news:
            rest_s = self._coalescing.rest(self._link.read_ns, timeout_s)
            self._link.drive(lambda: self._link.news, rest_s)

    def _start_consuming(self) -> None:
        self._link.check()
        self._link.request(spec.Basic.Qos(prefetch_count=self._workload.prefetch), spec.Basic.QosOk)
        self._consuming = True  # the first message may come right behind the answer
        self._link.request(self._consume, spec.Basic.ConsumeOk)

    def _take(self) -> Deliveries:
        deliveries = together(Deliveries, self._arrived)
        if self._empty_ns is not None:
            deliveries.empty = ((self._asked_ns, self._empty_ns),)
        self._arrived, self._empty_ns, self._link.news = [], None, False
        return deliveries
