"""One kept-alive HTTP/1.1 connection, one request at a time on it."""

from __future__ import annotations

import select
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from breakeven.clients.base import CALL_TIMEOUT_S, ConnectionLost
from breakeven.clients.core.outlet import Outlet, Stream, has_pending, outlet_of
from breakeven.clients.core.tls_context import TlsContext
from breakeven.clients.sqs.answer import AnswerReader, NotAnAnswer
from breakeven.clients.sqs.endpoint import Endpoint

RECEIVE_BYTES = 65_536
TIMED_OUT = "no answer in time"
ENDED = "closed before the answer's end"


@dataclass(frozen=True, slots=True)
class Begun:
    """An exchange under way: what is to be written yet, what has come, and since when (monotonic seconds)."""

    unsent: bytes
    came: bytes
    since_s: float


class Connection:
    """Opens at the first exchange, or by ``open``; opens again when the server has closed it between two.

    A server may close an idle connection, so this is looked for before a request is sent: nothing is lost
    by it. Once a request is on its way its fate is unknown, and it is never sent a second time.

    The core may drive it for a while (``lend``); who closes it meanwhile only ends what is said on it.

    :param timeout_s: how long an exchange may take in all, from the first byte written to the last one read,
        seconds: silence, an answer that comes drop by drop and a request that nobody reads alike. To connect
        and to shake hands have ``CALL_TIMEOUT_S`` together.
    :param tls: None for plain HTTP
    """

    def __init__(self, endpoint: Endpoint, timeout_s: float, tls: TlsContext | None) -> None:
        self._endpoint, self._timeout_s, self._tls = endpoint, timeout_s, tls
        self._socket: Stream | None = None
        self._poll = select.poll()
        self._reader = AnswerReader()
        self._lock = threading.Lock()
        self._driven = self._closes = False
        #: how often it was opened
        self.opened = 0

    def open(self) -> None:
        """:raises ConnectionLost: nobody there, or not who the certificate says"""
        try:
            self._socket = self._connected()
        except OSError as error:
            raise self._lost(error) from error
        self.opened += 1
        self._reader = AnswerReader()
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)

    def exchange(self, request: bytes) -> AnswerReader:
        """Send a request and wait for its answer, which holds until the next exchange.

        :raises ConnectionLost: refused, reset, timed out, closed before the end, or not HTTP
        """
        if self._socket is not None and self._is_dropped(self._socket):
            self.close()
        if self._socket is None:
            self.open()
        return self.finish(Begun(request, b"", time.monotonic()))

    @contextmanager
    def lend(self) -> Iterator[Outlet | None]:
        """What the core drives it by, open and without waiting; None where it cannot.

        :raises ConnectionLost: it cannot be opened
        """
        if self._socket is None:
            self.open()
        with self._lock:
            connected, self._driven = self._socket, True
        try:
            if connected is None:  # closed by another thread since
                raise ConnectionLost(ENDED)
            yield outlet_of(connected)
        finally:
            with self._lock:
                self._driven, closes = False, self._closes
            if closes:
                self.close()

    def close(self) -> None:
        """Never raises. What was answered stays answered."""
        with self._lock:
            connected, self._closes = self._socket, self._driven
            if connected is not None:
                with suppress(OSError):  # wakes a thread that still waits on it
                    connected.shutdown(socket.SHUT_RDWR)
            if self._driven:
                return
            self._socket = None
        if connected is not None:
            connected.close()

    def lost(self, why: str) -> ConnectionLost:
        """Close it; what to raise."""
        self.close()
        return self._lost(ConnectionError(why))

    def finish(self, begun: Begun) -> AnswerReader:
        """What ``exchange`` does, from where the core has come to."""
        connected = self._socket
        try:
            if connected is None:
                raise ConnectionResetError(ENDED)
            answer = self._exchange(connected, begun)
        except (OSError, *NotAnAnswer) as error:
            self.close()
            raise self._lost(error) from error
        if not answer.keeps_alive:
            self.close()
        return answer

    def _connected(self) -> Stream:
        """Open, and never waiting by itself: Python keeps no time of a TLS socket that blocks, and the
        kernel's time-out (``SO_RCVTIMEO``) only makes OpenSSL read again, for ever.
        """
        until_s = time.monotonic() + CALL_TIMEOUT_S
        plain = socket.create_connection((self._endpoint.host, self._endpoint.port), CALL_TIMEOUT_S)
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if self._tls is not None:
                return self._tls.connect(plain, self._endpoint.host, _left_s(until_s))
        except BaseException:
            plain.close()
            raise
        plain.settimeout(0.0)
        return plain

    def _exchange(self, connected: Stream, begun: Begun) -> AnswerReader:
        reader, until_s = self._reader, begun.since_s + self._timeout_s
        reader.begin()
        with suppress(BrokenPipeError):  # it may have answered and closed before it read all
            self._send(connected, begun.unsent, until_s)
        data = begun.came or self._receive(connected, until_s)
        while data:
            reader.feed(data)
            if reader.is_complete:
                return reader
            data = self._receive(connected, until_s)
        raise ConnectionResetError(ENDED)

    def _send(self, connected: Stream, data: bytes, until_s: float) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[connected.send(rest) :]
            except ssl.SSLWantReadError:
                self._await(select.POLLIN, until_s)
            except (BlockingIOError, ssl.SSLWantWriteError):
                self._await(select.POLLOUT, until_s)

    def _receive(self, connected: Stream, until_s: float) -> bytes:
        """What comes next; empty at the end."""
        wanted = select.POLLIN
        while True:
            if not has_pending(connected):
                self._await(wanted, until_s)
            try:
                return connected.recv(RECEIVE_BYTES)
            except (BlockingIOError, ssl.SSLWantReadError):  # a part of a TLS record, or a session ticket
                wanted = select.POLLIN
            except ssl.SSLWantWriteError:
                wanted = select.POLLOUT

    def _await(self, wanted: int, until_s: float) -> None:
        """:raises TimeoutError: nothing could be read or written by then"""
        left_s = _left_s(until_s)
        if wanted == select.POLLIN:
            ready = self._poll.poll(left_s * 1e3)
        else:
            connected = self._socket
            if connected is None:  # closed by another thread since
                raise ConnectionResetError(ENDED)
            room = select.poll()
            room.register(connected, wanted)
            ready = room.poll(left_s * 1e3)
        if not ready:
            raise TimeoutError(TIMED_OUT)

    def _is_dropped(self, connected: Stream) -> bool:
        """Has the server closed it, or said what nobody asked for?"""
        if has_pending(connected):
            return True
        if not self._poll.poll(0):
            return False
        try:
            connected.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return False  # TLS only: a session ticket, no data
        except OSError:
            return True
        return True

    def _lost(self, error: Exception) -> ConnectionLost:
        said = str(error) or type(error).__name__
        return ConnectionLost(f"{self._endpoint.host}:{self._endpoint.port}: {said}")


def _left_s(until_s: float) -> float:
    """:raises TimeoutError: the time is over"""
    left_s = until_s - time.monotonic()
    if left_s <= 0:
        raise TimeoutError(TIMED_OUT)
    return left_s
