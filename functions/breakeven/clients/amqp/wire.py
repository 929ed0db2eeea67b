"""A socket that waits only when asked to: what comes goes to a reader, what cannot be written yet is kept."""

from __future__ import annotations

import select
import socket
import ssl
import struct
from collections import deque
from functools import lru_cache

from breakeven.brokers.access import Access, Node, Trust, trust_of
from breakeven.clients.amqp.reader import FrameReader
from breakeven.clients.base import CALL_TIMEOUT_S
from breakeven.clients.core.outlet import Outlet, Stream, has_pending, outlet_of
from breakeven.clients.core.tls_context import TlsContext, tls_obstacle

_NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
#: a wait of at least this long is left to the operating system's own ``recv``, seconds: one call, where a
#: poll and a read are two
_LONG_S = 0.02
_LONG = struct.pack("@ll", 0, round(_LONG_S * 1e6))  # a timeval
#: descriptors below this may be waited for with ``select``, which keeps microseconds; ``poll`` rounds a wait
#: up to whole milliseconds, and an open loop would send that much late
_SELECTABLE = 1024


class Wire:
    """Plain TCP, or TLS when ``access`` says so. All but ``close`` raise OSError."""

    def __init__(self, access: Access, node: Node) -> None:
        self._socket = _connected(access, node)
        self._tls = access.tls
        # a TLS stream knows no flags, and never waits
        self._at_once = 0 if self._tls else socket.MSG_DONTWAIT
        self._poller = select.poll()
        self._poller.register(self._socket, select.POLLIN)
        self._unsent: deque[memoryview] = deque()

    @property
    def outlet(self) -> Outlet | None:
        """What somebody else needs to read and write by itself; None where nobody else can."""
        return outlet_of(self._socket)

    @property
    def unsent(self) -> bool:
        """Is there something that was handed over and that the operating system has not taken yet?"""
        return bool(self._unsent)

    def write(self, data: bytes) -> None:
        """Write at once what can be written at once; ``flush`` goes on with the rest."""
        if self._unsent:
            self._unsent.append(memoryview(data))
            return
        sent = self._send(data)
        if sent < len(data):
            self._unsent.append(memoryview(data)[sent:])
            self._poller.modify(self._socket, select.POLLIN | select.POLLOUT)

    def flush(self) -> None:
        """Go on writing, as far as it goes without waiting."""
        while self._unsent:
            piece = self._unsent[0]
            sent = self._send(piece)
            if sent < len(piece):
                self._unsent[0] = piece[sent:]
                return
            self._unsent.popleft()
        self._poller.modify(self._socket, select.POLLIN)

    def read(self, reader: FrameReader, seconds: float) -> int | None:
        """Wait until there is something to read, or room to write what is unsent, and write and read it.

        Reads once into the reader's space; returns how many bytes, 0 at the end, None for not now.
        """
        flags = self._at_once
        if seconds >= _LONG_S and not (self._unsent or self._tls):
            flags = 0
        elif seconds > 0 and not self._wait(seconds):
            return None
        if self._unsent:
            self.flush()
        space = reader.space()
        try:
            return self._socket.recv_into(space, len(space), flags)
        except _NOT_NOW:
            return None

    def close(self) -> None:
        self._socket.close()

    def _wait(self, seconds: float) -> bool:
        """Is there something to do, at the latest in so many seconds?"""
        if has_pending(self._socket):
            return True
        if self._socket.fileno() >= _SELECTABLE:
            return bool(self._poller.poll(seconds * 1000))
        watched = (self._socket,)
        ready = select.select(watched, watched if self._unsent else (), (), seconds)
        return bool(ready[0] or ready[1])

    def _send(self, data: bytes | memoryview) -> int:
        try:
            return self._socket.send(data, self._at_once)
        except _NOT_NOW:
            return 0
        except OSError:
            self._unsent.clear()  # or a read of what the broker said before would try to write it again
            raise


def _connected(access: Access, node: Node) -> Stream:
    plain = socket.create_connection((node.host, node.amqp_port), CALL_TIMEOUT_S)
    try:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not access.tls:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _LONG)
            plain.setblocking(True)
            return plain
        return _context(trust_of(access), tls_obstacle()).connect(plain, node.host, CALL_TIMEOUT_S)
    except BaseException:
        plain.close()
        raise


@lru_cache(maxsize=8)
def _context(trust: Trust, obstacle: str | None) -> TlsContext:
    """``obstacle``: why Python's ssl is to make the connections, as a context is of one way alone."""
    return TlsContext(cadata=trust.certificates)
