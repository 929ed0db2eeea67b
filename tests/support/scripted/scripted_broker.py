"""A broker that says what a test tells it to, over a real socket."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pika import frame, spec

from breakeven.brokers.access import Access, Node
from tests.support.scripted.amqp_wire import HEAD, PROTOCOL_HEADER, method


class ScriptedBroker:
    """Agrees to whatever opens a connection and a channel; notes the names of what it is sent, and bodies."""

    def __init__(
        self, mechanisms: str = "PLAIN AMQPLAIN", frame_max: int = 131_072, reads_until: str = ""
    ) -> None:
        """:param reads_until: the name of the method after whose answer it reads nothing more"""
        properties = {"capabilities": {"publisher_confirms": True, "basic.nack": True}}  # which pika asks for
        self._start = spec.Connection.Start(
            server_properties=properties, mechanisms=mechanisms, locales="en_US"
        )
        self._tune = spec.Connection.Tune(2047, frame_max, 60)
        self.heard: list[str] = []
        self.bodies: list[bytes] = []  # of one frame each
        self.acknowledged: list[int] = []  # delivery tags, each by itself
        self.acknowledged_up_to: list[int] = []
        self.consumes: list[Any] = []  # methods that asked for messages
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._behind: tuple[int, str] | None = None
        self._connection: socket.socket | None = None
        self._there = threading.Event()
        self._reads_until = reads_until
        self._reading = threading.Event()
        self._reading.set()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def access(self) -> Access:
        port, certificate = self._behind or (self.port, None)
        node = Node(
            name="scripted", host="127.0.0.1", amqp_port=port, management_port=1, certificate=certificate
        )
        return Access(username="u", password="p", nodes=(node,), tls=certificate is not None)

    def is_behind(self, port: int, certificate: str) -> None:
        """From now on it is reached over TLS, which ends at that port."""
        self._behind = port, certificate

    def say(self, *frames: bytes) -> None:
        assert self._connection
        self._connection.sendall(b"".join(frames))

    def pause(self) -> None:
        """Read no more than the frame that is being waited for."""
        self._reading.clear()

    def go_on(self) -> None:
        self._reading.set()

    def hang_up(self) -> None:
        """End the stream; what was said before can still be read."""
        assert self._connection
        self._connection.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._reading.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for a client
        self._listener.close()
        if self._connection:
            self._connection.close()

    def _serve(self) -> None:
        try:
            self._connection, _ = self._listener.accept()
            with self._connection.makefile("rb") as stream:
                assert stream.read(len(PROTOCOL_HEADER)) == PROTOCOL_HEADER
                self.say(method(self._start, 0))
                while head := stream.read(HEAD.size):
                    self._reading.wait()
                    *_, size = HEAD.unpack(head)
                    self._take(frame.decode_frame(head + stream.read(size + 1))[1])
        except (OSError, ValueError):
            return

    def _take(self, got: Any) -> None:
        name = got.method.NAME if isinstance(got, frame.Method) else got.NAME
        self.heard.append(name)
        if name == "Basic.Ack":
            tags = self.acknowledged_up_to if got.method.multiple else self.acknowledged
            tags.append(got.method.delivery_tag)
        if name in ("Basic.Consume", "Basic.Get", "Basic.Qos"):
            self.consumes.append(got.method)
        if isinstance(got, frame.Body):
            self.bodies.append(got.fragment)
        answers = {
            "Connection.StartOk": (0, self._tune),
            "Connection.Open": (0, spec.Connection.OpenOk()),
            "Channel.Open": (1, spec.Channel.OpenOk()),
            "Confirm.Select": (1, spec.Confirm.SelectOk()),
            "Basic.Qos": (1, spec.Basic.QosOk()),
            "Basic.Consume": (1, spec.Basic.ConsumeOk("c")),
            "Channel.Close": (1, spec.Channel.CloseOk()),
            "Connection.Close": (0, spec.Connection.CloseOk()),
        }
        if name in answers:
            channel, answer = answers[name]
            self.say(method(answer, channel))
        if name == self._reads_until:
            self.pause()


@contextmanager
def scripted(**settings: Any) -> Iterator[ScriptedBroker]:
    broker = ScriptedBroker(**settings)
    try:
        yield broker
    finally:
        broker.close()
