"""One AMQP channel: what is published, confirmed, delivered and acknowledged on it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pika import spec

from breakeven.instrument import amqp_frames as frames
from breakeven.instrument.broker import Broker, Message, Published
from breakeven.instrument.fates import Fate
from breakeven.instrument.loop import Peer

#: of basic.return. Source: AMQP 0-9-1, reply codes
NO_ROUTE = 312


@dataclass(frozen=True, slots=True)
class Unacked:
    message: Message
    queue: str
    consumer: Consumer | None


class Consumer:
    """A ``basic.consume``. Its deliveries keep their order: one with a long latency holds up the next.

    :param window: unacknowledged messages at most; 0 is no limit
    """

    def __init__(self, channel: Channel, queue: str, tag: str, window: int, *, acks: bool) -> None:
        self.queue, self.tag = queue, tag
        self._channel, self._window, self._acks = channel, window, acks
        self._unacked = 0
        self._last_due_ns = 0

    @property
    def key(self) -> Consumer:
        return self

    @property
    def wants(self) -> bool:
        return not self._window or self._unacked < self._window

    def hand(self, message: Message) -> None:
        self._unacked += self._acks
        now_ns = time.monotonic_ns()
        self._last_due_ns = max(self._last_due_ns, self._channel.broker.delivery_due_ns(now_ns))
        self._channel.deliver(self, message, now_ns, self._last_due_ns, acks=self._acks)

    def acked(self) -> None:
        self._unacked -= 1


class Channel:
    def __init__(self, number: int, peer: Peer, broker: Broker, frame_max: int, *, multiple: bool) -> None:
        self.broker = broker
        self._number, self._peer, self._frame_max, self._multiple = number, peer, frame_max, multiple
        self._window = 0
        self._confirms = False
        self._published = self._delivered = 0
        self._unconfirmed: dict[int, None] = {}
        self._confirmable: dict[int, None] = {}  # with ``multiple``: due now
        self._unacked: dict[int, Unacked] = {}
        self._consumers: dict[str, Consumer] = {}
        self._on_its_way: dict[Message, str] = {}  # taken from its queue, and its time has not come
        self.open = True

    def confirm_select(self) -> None:
        self._confirms = True

    def qos(self, window: int) -> None:
        self._window = window

    def publish(self, queue: str, mandatory: bool, properties: bytes, body: bytes) -> None:
        now_ns = time.monotonic_ns()
        found = self.broker.publish(queue, body, properties, now_ns)
        returned = found.fate is Fate.RETURNED and mandatory
        if not (self._confirms or returned):
            return
        tag = self._published = self._published + 1
        self._unconfirmed[tag] = None

        def answer() -> None:
            if returned:
                self._return(queue, properties, body)
            if self._confirms:
                self._confirm(tag, found, now_ns)

        self._at(found.due_ns, answer)

    def get(self, queue: str, *, acks: bool) -> None:
        now_ns = time.monotonic_ns()
        source = self.broker.queue(queue)
        message = source.take(self)
        if message is None:
            empty = frames.method_frame(self._number, spec.Basic.GetEmpty())
            self._at(round(self.broker.stalls.after(now_ns)), lambda: self._peer.write(empty))
            return
        self._on_its_way[message] = queue
        due_ns = self.broker.delivery_due_ns(now_ns)

        def answer() -> None:
            tag = self._hand_over(message, queue, None, acks=acks)
            head = frames.get_ok(self._number, queue, tag, message.receives > 1, len(source))
            self._send(head, message, now_ns, due_ns)

        self._at(due_ns, answer)

    def consume(self, queue: str, tag: str, *, acks: bool) -> Consumer:
        """The consumer, which waits for messages once it is ``started``."""
        consumer = Consumer(self, queue, tag or f"ctag-{len(self._consumers) + 1}", self._window, acks=acks)
        self._consumers[consumer.tag] = consumer
        return consumer

    def start(self, consumer: Consumer) -> None:
        self.broker.queue(consumer.queue).wait(consumer)

    def cancel(self, tag: str) -> None:
        if consumer := self._consumers.pop(tag, None):
            self.broker.queue(consumer.queue).forget(consumer)
            self.broker.leave(consumer)

    def deliver(
        self, consumer: Consumer, message: Message, arrived_ns: int, due_ns: int, *, acks: bool
    ) -> None:
        self._on_its_way[message] = consumer.queue

        def answer() -> None:
            tag = self._hand_over(message, consumer.queue, consumer, acks=acks)
            head = frames.deliver(self._number, consumer.queue, consumer.tag, tag, message.receives > 1)
            self._send(head, message, arrived_ns, due_ns)

        self._at(due_ns, answer)

    def ack(self, tag: int, multiple: bool) -> None:
        queues: dict[str, None] = {}
        for one in tuple(self._acked(tag, multiple)):
            if one.consumer:
                one.consumer.acked()
                queues[one.queue] = None
        for queue in queues:
            self.broker.queue(queue).pump()

    def refuse(self, tag: int, multiple: bool, requeue: bool) -> None:
        """``basic.nack`` and ``basic.reject``."""
        for one in reversed(tuple(self._acked(tag, multiple))):
            if one.consumer:
                one.consumer.acked()
            if requeue:
                self.broker.queue(one.queue).put_back(one.message)

    def close(self) -> None:
        """What is unacknowledged goes back to its queue, in order."""
        self.open = False
        for tag in tuple(self._consumers):
            self.cancel(tag)
        returning = [(one.message, one.queue) for one in self._unacked.values()]
        returning += self._on_its_way.items()
        self._unacked.clear()
        self.broker.leave(self)
        for message, queue in reversed(returning):
            self.broker.queue(queue).put_back(message)

    def confirms_due(self) -> bytes:
        """Confirms that this turn gathered: one for all up to a tag where none before it is open."""
        due, self._confirmable = self._confirmable, {}
        last = run = 0
        for tag in self._unconfirmed:
            if tag not in due:
                break
            last, run = tag, run + 1
        parts = []
        if run > 1:
            parts.append(frames.confirm(self._number, last, multiple=True))
        for tag in due:
            del self._unconfirmed[tag]
            if tag > last or run <= 1:
                parts.append(frames.confirm(self._number, tag))
        return b"".join(parts)

    def _confirm(self, tag: int, found: Published, arrived_ns: int) -> None:
        refused = found.fate is Fate.NACKED
        if self._multiple and not refused:
            self._confirmable[tag] = None
            self._peer.write(b"")
        else:
            del self._unconfirmed[tag]
            self._peer.write(frames.confirm(self._number, tag, refused=refused))
        self._peer.loop.answered(self.broker.notes.publish, arrived_ns, found.due_ns)

    def _return(self, queue: str, properties: bytes, body: bytes) -> None:
        method = spec.Basic.Return(NO_ROUTE, "NO_ROUTE", "", queue)
        content = frames.content(self._number, properties, body, self._frame_max)
        self._peer.write(frames.method_frame(self._number, method) + content)

    def _hand_over(self, message: Message, queue: str, consumer: Consumer | None, *, acks: bool) -> int:
        del self._on_its_way[message]
        self._delivered += 1
        if acks:
            self._unacked[self._delivered] = Unacked(message, queue, consumer)
        return self._delivered

    def _send(self, head: bytes, message: Message, arrived_ns: int, due_ns: int) -> None:
        body = frames.content(self._number, message.properties, message.body, self._frame_max)
        self._peer.write(head + body)
        self._peer.loop.answered(self.broker.notes.deliver, arrived_ns, due_ns)

    def _acked(self, tag: int, multiple: bool) -> Iterator[Unacked]:
        if not multiple:
            if tag not in self._unacked:
                raise frames.NotAmqp(f"unknown delivery tag {tag}")
            yield self._unacked.pop(tag)
            return
        for known in [known for known in self._unacked if known <= tag or tag == 0]:
            yield self._unacked.pop(known)

    def _at(self, due_ns: int, answer: Callable[[], None]) -> None:
        """Answer then, unless the channel is closed before."""

        def unless_closed() -> None:
            if self.open:
                answer()

        self._peer.loop.at(due_ns, unless_closed)
