"""A broker that costs next to nothing: what a loader reaches on it is the loader's own limit.

    python -m bench.stub_broker QUEUE BYTES

One queue, messages of one size, one prepared form for each thing that is said a thousand times: publishes are
told by their length, confirmed by the read (multiple), and handed on with numpy to the one consumer, a whole
run at a time, within its prefetch. Nothing is stored, checked or timed. Prints its port, serves until killed.
"""

from __future__ import annotations

import selectors
import socket
import sys
from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt
import pika
from pika import frame, spec

from breakeven.instrument import amqp_frames as frames
from local.ports import LOOPBACK

Bytes = npt.NDArray[np.uint8]

READ_BYTES = 1 << 20
#: messages that wait for a consumer; what comes after them is dropped
KEPT = 10_000
_CHANNEL, _FRAME_MAX, _CHANNEL_MAX = 1, 131_072, 2047
#: a basic.ack up to its delivery tag, and its whole length
_ACK_HEAD = frames.method_frame(_CHANNEL, spec.Basic.Ack(0))[:11]
_ACK_BYTES = 21
_TAG_BYTES = 8
_PROPERTIES = {"capabilities": {"publisher_confirms": True, "basic.nack": True}}
#: method -> channel and method that answer it
_ANSWERS: dict[str, tuple[int, Any]] = {
    "Connection.StartOk": (0, spec.Connection.Tune(_CHANNEL_MAX, _FRAME_MAX, 0)),
    "Connection.Open": (0, spec.Connection.OpenOk()),
    "Channel.Open": (_CHANNEL, spec.Channel.OpenOk()),
    "Confirm.Select": (_CHANNEL, spec.Confirm.SelectOk()),
    "Basic.Qos": (_CHANNEL, spec.Basic.QosOk()),
    "Channel.Close": (_CHANNEL, spec.Channel.CloseOk()),
    "Connection.Close": (0, spec.Connection.CloseOk()),
}


class Form:
    """How messages look on the way in and on the way out."""

    def __init__(self, queue: str, size: int) -> None:
        content = frame.Header(_CHANNEL, size, pika.BasicProperties(delivery_mode=2)).marshal()
        content += frame.Body(_CHANNEL, b"." * size).marshal()
        self.size = size
        self.publish_head = frames.method_frame(_CHANNEL, spec.Basic.Publish(exchange="", routing_key=queue))
        self.publish_bytes = len(self.publish_head) + len(content)
        self._queue, self._content = queue, content
        self.deliver_to("")

    def deliver_to(self, consumer: str) -> None:
        """From now on, deliveries are this consumer's."""
        deliver = frames.method_frame(_CHANNEL, spec.Basic.Deliver(consumer, 0, False, "", self._queue))
        self._delivery = np.frombuffer(deliver + self._content, np.uint8)
        self._tag_at = len(_ACK_HEAD) + 1 + len(consumer)

    def bodies(self, publishes: Bytes) -> Bytes:
        """A row a message."""
        rows = publishes.reshape(-1, self.publish_bytes)
        return rows[:, -1 - self.size : -1].copy()

    def deliveries(self, bodies: Bytes, first_tag: int) -> bytes:
        count = len(bodies)
        rows = np.tile(self._delivery, (count, 1))
        tags = np.arange(first_tag, first_tag + count, dtype=">u8")
        rows[:, self._tag_at : self._tag_at + _TAG_BYTES] = tags.view(np.uint8).reshape(count, _TAG_BYTES)
        rows[:, -1 - self.size : -1] = bodies
        return rows.tobytes()


class Queue:
    """What is published and not delivered, and the one who gets it.

    With a consumer there, a message is confirmed when it is handed on: so a publisher never runs ahead of it.
    """

    def __init__(self, form: Form) -> None:
        self.form = form
        self.consumer: Connection | None = None
        self._waiting: deque[Bytes] = deque()
        self._count = 0

    @property
    def ahead(self) -> int:
        """How many messages are not to be confirmed yet."""
        return self._count if self.consumer else 0

    def put(self, bodies: Bytes) -> None:
        if self.consumer or self._count < KEPT:
            self._waiting.append(bodies)
            self._count += len(bodies)
            self.hand_out()

    def hand_out(self) -> None:
        while self.consumer and self._waiting:
            bodies = self._waiting.popleft()
            taken = self.consumer.deliver(bodies)
            self._count -= taken
            if taken < len(bodies):
                self._waiting.appendleft(bodies[taken:])
                return


class Connection:
    def __init__(self, sock: socket.socket, queue: Queue) -> None:
        self._socket, self._queue, self._form = sock, queue, queue.form
        self._unread = bytearray()
        self._begun = self._confirms = False
        self._published = self._confirmed = self._delivered = self._acknowledged = self._prefetch = 0

    def read(self) -> bool:
        """Take in what has come; returns False once the peer has gone."""
        try:
            data = self._socket.recv(READ_BYTES)
        except ConnectionError:
            data = b""
        self._unread += data
        while taken := self._take():
            del self._unread[:taken]
        if not data and self._queue.consumer is self:
            self._queue.consumer = None
        return bool(data)

    def close(self) -> None:
        self._socket.close()

    def deliver(self, bodies: Bytes) -> int:
        """Hand over as many as the prefetch allows; returns how many."""
        room = self._prefetch - (self._delivered - self._acknowledged)
        bodies = bodies[:room]
        if len(bodies):
            self._socket.sendall(self._form.deliveries(bodies, self._delivered + 1))
            self._delivered += len(bodies)
        return len(bodies)

    def confirm(self) -> None:
        """Whatever may be, in one go."""
        tag = self._published - self._queue.ahead
        if self._confirms and tag > self._confirmed:
            self._confirmed = tag
            self._say(_CHANNEL, spec.Basic.Ack(tag, multiple=True))

    def _take(self) -> int:
        """Deal with what the unread bytes begin with; returns how many of them are done with."""
        unread, form = self._unread, self._form
        if not self._begun:
            return self._begin()
        if unread.startswith(form.publish_head):
            return self._take_publishes(len(unread) // form.publish_bytes)
        if unread.startswith(_ACK_HEAD):
            return self._take_acknowledgements(len(unread) // _ACK_BYTES)
        return self._take_frame()

    def _begin(self) -> int:
        if len(self._unread) < len(frames.PROTOCOL_HEADER):
            return 0
        self._begun = True
        self._say(0, spec.Connection.Start(server_properties=_PROPERTIES))
        return len(frames.PROTOCOL_HEADER)

    def _take_publishes(self, most: int) -> int:
        length, head = self._form.publish_bytes, self._form.publish_head
        # what is published comes in one piece: it ends where the last publish does
        count = next((n for n in range(most, 0, -1) if self._unread.startswith(head, (n - 1) * length)), 0)
        if count:
            taken = np.frombuffer(bytes(memoryview(self._unread)[: count * length]), np.uint8)
            self._published += count
            self._queue.put(self._form.bodies(taken))
        return count * length

    def _take_acknowledgements(self, most: int) -> int:
        ends = range(most, 0, -1)
        count = next((n for n in ends if self._unread.startswith(_ACK_HEAD, (n - 1) * _ACK_BYTES)), 0)
        self._acknowledged += count
        self._queue.hand_out()
        return count * _ACK_BYTES

    def _take_frame(self) -> int:
        """Anything else: a method that is answered, or a heartbeat, which is not."""
        for kind, _, payload, behind in frames.split(bytes(self._unread)):
            if kind == spec.FRAME_METHOD:
                self._answer(frames.decoded(payload))
            return behind
        return 0

    def _answer(self, method: Any) -> None:
        if method.NAME in _ANSWERS:
            self._say(*_ANSWERS[method.NAME])
        if isinstance(method, spec.Confirm.Select):
            self._confirms = True
        elif isinstance(method, spec.Basic.Qos):
            self._prefetch = method.prefetch_count
        elif isinstance(method, spec.Basic.Consume):
            self._say(_CHANNEL, spec.Basic.ConsumeOk(method.consumer_tag))
            self._form.deliver_to(method.consumer_tag)
            self._queue.consumer = self
            self._queue.hand_out()

    def _say(self, channel: int, method: Any) -> None:
        self._socket.sendall(frames.method_frame(channel, method))


def serve(form: Form) -> None:
    queue, ready = Queue(form), selectors.DefaultSelector()
    connections: list[Connection] = []
    with socket.create_server((LOOPBACK, 0)) as listener:
        ready.register(listener, selectors.EVENT_READ, None)
        print(listener.getsockname()[1], flush=True)
        while True:
            for key, _ in ready.select():
                if key.data is None:
                    sock, _ = listener.accept()
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    connections.append(Connection(sock, queue))
                    ready.register(sock, selectors.EVENT_READ, connections[-1])
                elif not key.data.read():
                    ready.unregister(key.fileobj)
                    connections.remove(key.data)
                    key.data.close()
            for connection in connections:
                connection.confirm()


if __name__ == "__main__":
    serve(Form(sys.argv[1], int(sys.argv[2])))
