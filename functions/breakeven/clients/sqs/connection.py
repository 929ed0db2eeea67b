"""One kept-alive HTTP/1.1 connection, one request at a time on it."""

from __future__ import annotations

import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from breakeven.clients.base import CALL_TIMEOUT_S, ConnectionLost
from breakeven.clients.core.outlet import Outlet, outlet_of
from breakeven.clients.sqs.answer import AnswerReader, NotAnAnswer
from breakeven.clients.sqs.endpoint import Endpoint

RECEIVE_BYTES = 65_536
TIMED_OUT = "no answer in time"
ENDED = "closed before the answer's end"


@dataclass(frozen=True, slots=True)
class Begun:
    """An exchange that the core has begun: what is to be written yet, and what has come."""

    unsent: bytes
    came: bytes


class Connection:
    """Opens at the first exchange, or by ``open``; opens again when the server has closed it between two.

    A server may close an idle connection, so this is looked for before a request is sent: nothing is lost
    by it. Once a request is on its way its fate is unknown, and it is never sent a second time.

    The core may drive it for a while (``lend``); who closes it meanwhile only ends what is said on it.

    :param timeout_s: how long an answer may keep silent, and take in all, seconds; opening has
        ``CALL_TIMEOUT_S``
    :param tls: None for plain HTTP
    """

    def __init__(self, endpoint: Endpoint, timeout_s: float, tls: ssl.SSLContext | None) -> None:
        self._endpoint, self._timeout_s, self._tls = endpoint, timeout_s, tls
        self._socket: socket.socket | None = None
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
        return self._answered(Begun(request, b""))

    def finish(self, begun: Begun) -> AnswerReader:
        """What ``exchange`` does, from where the core has come to."""
        return self._answered(begun)

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
            connected.setblocking(False)
            yield outlet_of(connected)
            connected.setblocking(True)
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

    def _answered(self, begun: Begun) -> AnswerReader:
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

    def _connected(self) -> socket.socket:
        plain = socket.create_connection((self._endpoint.host, self._endpoint.port), CALL_TIMEOUT_S)
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if self._tls is None:
                connected = plain
            else:
                connected = self._tls.wrap_socket(plain, server_hostname=self._endpoint.host)
        except BaseException:
            plain.close()
            raise
        # the kernel keeps the time: a socket with Python's own time-out costs a poll for every read and write
        wait = struct.pack("ll", int(self._timeout_s), int(self._timeout_s % 1 * 1e6))
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, wait)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, wait)
        connected.settimeout(None)
        return connected

    def _exchange(self, connected: socket.socket, begun: Begun) -> AnswerReader:
        reader, deadline = self._reader, time.monotonic() + self._timeout_s
        reader.begin()
        try:
            with suppress(BrokenPipeError):  # it may have answered and closed before it read all
                connected.sendall(begun.unsent)
            data = begun.came
            while data or (data := connected.recv(RECEIVE_BYTES)):
                reader.feed(data)
                data = b""
                if reader.is_complete:
                    return reader
                if time.monotonic() > deadline:  # drop by drop, too, an answer has its time
                    raise TimeoutError(TIMED_OUT)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise TimeoutError(TIMED_OUT) from None
        raise ConnectionResetError(ENDED)

    def _is_dropped(self, connected: socket.socket) -> bool:
        """Has the server closed it, or said what nobody asked for?"""
        if isinstance(connected, ssl.SSLSocket) and connected.pending():
            return True
        if not self._poll.poll(0):
            return False
        connected.settimeout(0.0)
        try:
            connected.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return False  # TLS only: a session ticket, no data
        except OSError:
            return True
        finally:
            connected.settimeout(None)
        return True

    def _lost(self, error: Exception) -> ConnectionLost:
        said = str(error) or type(error).__name__
        return ConnectionLost(f"{self._endpoint.host}:{self._endpoint.port}: {said}")
