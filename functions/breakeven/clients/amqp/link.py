"""One AMQP connection with one channel, driven by whoever holds it: heartbeats, closing, deadlines."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from pika import spec

from breakeven.brokers.access import Access, Node
from breakeven.clients import connections
from breakeven.clients.amqp import handshake
from breakeven.clients.amqp.encoding import CHANNEL, HEARTBEAT, PROTOCOL_HEADER, method_frame
from breakeven.clients.amqp.events import ProtocolError
from breakeven.clients.amqp.reader import FrameReader
from breakeven.clients.amqp.wire import Wire
from breakeven.clients.base import ConnectionLost
from breakeven.clients.core.outlet import Outlet

#: a link looks after its heartbeats this often, seconds
_LOOK_S = 1.0


class Pulse:
    """Signs of life in both directions, by ``time.monotonic``. ``wrote``: when bytes last went."""

    def __init__(self, heartbeat_s: float) -> None:
        self.wrote = time.monotonic()
        self._heartbeat_s = heartbeat_s

    def failure(self, now: float, heard: float) -> str | None:
        """Why the connection is as good as gone; None while it is well.

        :param heard: when bytes last came
        """
        if now - heard > 2 * self._heartbeat_s:
            return f"no sign of life for {now - heard:.0f} s"
        return None

    def is_due(self, now: float) -> bool:
        """Is it time to send a heartbeat, as nothing else was written for a while?"""
        return now - self.wrote > self._heartbeat_s / 2


class Link(connections.DrivenLink):
    """``reader`` reads what comes, ``read_ns`` is when the last of it came, ``frame_max`` is negotiated.
    ``news`` is the owner's: it says there that something came which it was waiting for.
    """

    def __init__(self, access: Access, node: Node, name: str, frame_max: int) -> None:
        """Connect and open the channel. Raises ConnectionLost.

        :param frame_max: the largest frame that is asked for, bytes; the broker may want less
        """
        super().__init__(f"{node.host}:{node.amqp_port}")
        self.reader = FrameReader(self.method, frame_max)
        self.read_ns, self.news = time.monotonic_ns(), False
        self._look_ns = 0  # when to look after heartbeats again
        self._awaited: type | tuple[type, ...] = ()
        self._reply: Any = None
        self._connection_open = self._channel_open = False
        self._pulse = Pulse(connections.HEARTBEAT_S)
        try:
            self._wire = Wire(access, node)
        except (OSError, ValueError) as error:
            raise ConnectionLost(f"{self._where}: {error}") from None
        try:
            self._open(access, name)
        except (ConnectionLost, ProtocolError) as error:
            self.abandon(str(error))
            self.close()
            self.check()

    @property
    def outlet(self) -> Outlet | None:
        """What somebody else needs to drive the connection; None where nobody else can."""
        return self._wire.outlet

    @property
    def frame_max(self) -> int:
        return self.reader.frame_max

    def request(self, method: Any, reply: type) -> Any:
        """Write a method and wait for its reply. Raises ConnectionLost."""
        self.write(method_frame(method))
        return self.expect(reply)

    def expect(self, reply: type) -> Any:
        """The next method, which must be a ``reply``. Raises ConnectionLost."""
        self._awaited, self._reply = reply, None
        self.call(lambda: self._reply is not None, f"what {reply.__qualname__} answers")
        return self._reply

    def write(self, data: bytes) -> None:
        """Hand over frames; what cannot be written at once is written by ``drive``."""
        self._pulse.wrote = time.monotonic()
        try:
            self._wire.write(data)
        except OSError as error:
            self.failed(str(error))

    @property
    def unsent(self) -> bool:
        """Is something of what was handed over not written to the socket yet?"""
        return self._wire.unsent

    def flush(self) -> None:
        """Wait until all that was handed over is written to the socket. Raises ConnectionLost."""
        if self._wire.unsent:
            self.call(lambda: not self._wire.unsent, "what was written")
        self.check()

    def close(self, *, confirmed: bool = True) -> None:
        """Close in order, reading what comes until the broker has answered: a socket that is closed with
        something unread is reset, and a reset drops what the broker has not read. Never raises.
        """
        with self.lock:
            if self.ended:
                return
            deadline = time.monotonic() + connections.close_timeout_s(confirmed=confirmed)
            if self._channel_open:
                self._close(spec.Channel.Close, CHANNEL, lambda: self._channel_open, deadline)
            if self._connection_open:
                self._close(spec.Connection.Close, 0, lambda: self._connection_open, deadline)
            self.abandon("closed")
            self.ended = True
            self._wire.close()

    def method(self, channel: int, method: Any) -> None:
        """A method that is no message and no confirm. Raises ProtocolError when it has no business here."""
        of_connection = method.INDEX >> 16 == spec.Connection.INDEX
        if channel != (0 if of_connection else CHANNEL):
            raise ProtocolError(f"{method.NAME} on channel {channel}")
        if self._awaited and isinstance(method, self._awaited):
            self._awaited, self._reply = (), method
            return
        match method:
            case spec.Connection.Close():
                self._channel_open = self._connection_open = False
                self.abandon(f"({method.reply_code}) {method.reply_text}")
                self._answer(method_frame(spec.Connection.CloseOk(), 0))
            case spec.Channel.Close():
                self._channel_open = False
                self.abandon(f"({method.reply_code}) {method.reply_text}")
                self._answer(method_frame(spec.Channel.CloseOk()))
            case spec.Connection.CloseOk() | spec.Channel.CloseOk():
                self._channel_open = False
                self._connection_open = self._connection_open and not of_connection
            case spec.Connection.Blocked():
                self.patience.blocked()
            case spec.Connection.Unblocked():
                self.patience.unblocked()
            case spec.Basic.Cancel():
                self.abandon("the broker cancelled the consumer")
            case _:
                raise ProtocolError(f"{method.NAME}, which nobody asked for")

    def _open(self, access: Access, name: str) -> None:
        self.write(PROTOCOL_HEADER)
        start = self.expect(spec.Connection.Start)
        self.write(method_frame(handshake.start_ok(start, access, name), 0))
        tune = self.expect(spec.Connection.Tune)
        tune_ok = handshake.tune_ok(tune, self.frame_max, connections.HEARTBEAT_S)
        self.reader.frame_max = tune_ok.frame_max
        self.write(method_frame(tune_ok, 0))
        self._connection_open = True
        self.write(method_frame(spec.Connection.Open(virtual_host=access.vhost), 0))
        self.expect(spec.Connection.OpenOk)
        self.request(spec.Channel.Open(), spec.Channel.OpenOk)
        self._channel_open = True

    def _close(self, method: Any, channel: int, is_open: Callable[[], bool], deadline: float) -> None:
        self.write(method_frame(method(200, "done", 0, 0), channel))
        self._turn_until(lambda: not is_open(), max(0.0, deadline - time.monotonic()))

    def _turn_until(self, done: Callable[[], bool], timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        while not done():
            left = deadline - time.monotonic()
            self._turn(min(max(0.0, left), _LOOK_S))
            if left <= 0:
                return

    def _turn(self, seconds: float) -> None:
        """Write and read what can be, after waiting ``seconds`` at most."""
        try:
            heard = self._read(seconds)
            self._look_now_and_then(self.read_ns if heard else time.monotonic_ns())
        except OSError as error:
            self.failed(str(error))

    def _read(self, seconds: float) -> bool:
        """Read once, after waiting ``seconds`` at most; returns whether there was something."""
        count = self._wire.read(self.reader, seconds)
        if count is None:
            return False
        self.read_ns = time.monotonic_ns()
        if count == 0:
            self.ended_by_peer()
        else:
            self.digest(count)
        return True

    def digest(self, count: int = 0) -> None:
        """Deal with what is in the reader's space, ``count`` bytes of it new."""
        try:
            self.reader.took(count)
        except ProtocolError as error:
            self._fall(f"protocol error: {error}")

    def heard(self, read_ns: int, wrote_ns: int) -> None:
        """Somebody else has driven the connection, and read and wrote last at these instants."""
        self.read_ns = max(self.read_ns, read_ns)
        self._pulse.wrote = max(self._pulse.wrote, wrote_ns / 1e9)
        self._look_now_and_then(time.monotonic_ns())

    def ended_by_peer(self) -> None:
        self._fall("the broker closed the connection without a word")

    def failed(self, reason: str) -> None:
        """Reading or writing failed, perhaps after the broker has said why."""
        self._read_what_is_left()
        self._fall(reason)

    def _read_what_is_left(self) -> None:
        """A broker that closed the connection has said why, and perhaps answered more, before it did."""
        with contextlib.suppress(OSError):
            while self._lost is None and self._read(0.0):
                pass

    def _look_now_and_then(self, now_ns: int) -> None:
        if now_ns >= self._look_ns:
            self._look_ns = now_ns + round(_LOOK_S * 1e9)
            self._look_after(now_ns / 1e9)

    def _look_after(self, now: float) -> None:
        """Is the broker alive, and does it know that we are?"""
        if failure := self._pulse.failure(now, self.read_ns / 1e9) or self.patience.failure():
            self._fall(failure)
        elif self._connection_open and self._pulse.is_due(now):
            self.write(HEARTBEAT)

    def _answer(self, data: bytes) -> None:
        """Write in the midst of reading: a failure is left to the next read."""
        with contextlib.suppress(OSError):
            self._wire.write(data)

    def _fall(self, reason: str) -> None:
        self._channel_open = self._connection_open = False
        self.abandon(reason)
