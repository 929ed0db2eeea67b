"""A connection that the core drives for a while: lending it the buffers, and what is to be done after."""

from __future__ import annotations

import os
from collections.abc import Callable
from ctypes import addressof, byref, string_at

import numpy as np

from breakeven.clients.amqp.coalescing import (
    BUSY_PER_MS,
    GATHER_PER_MS,
    JUDGED_OVER_NS,
    LEAST_WINDOW,
    READ_EVERY_S,
)
from breakeven.clients.amqp.encoding import FRAME_OVERHEAD
from breakeven.clients.amqp.link import Link
from breakeven.clients.core.loading import absence
from breakeven.clients.core.memory import address
from breakeven.clients.core.outlet import NO_OUTLET
from breakeven.clients.core.structs import Connection, End, Receiving, Sending
from breakeven.clients.core.tls_context import tls_obstacle

#: how much longer than asked for a call may take to write what it has begun, unless it says so, nanoseconds
LATE_NS = 250_000_000


def obstacle(link: Link) -> str | None:
    """Why the core cannot drive this connection, in words; None where it can."""
    if absent := absence():
        return absent
    return tls_obstacle() or NO_OUTLET if link.outlet is None else None


def size_obstacle(link: Link, size: int) -> str | None:
    """Why the core cannot send or receive bodies of ``size`` bytes, in words; None where it can."""
    most = link.frame_max - FRAME_OVERHEAD
    return f"messages of {size:,} bytes take several frames: one holds {most:,}" if size > most else None


def _judged(per_ms: int) -> int:
    """Messages in the time over which a rate is judged."""
    return per_ms * JUDGED_OVER_NS // 1_000_000


class FastPathConnection:
    """``out`` is what the core writes from.

    :param window: messages that may be under way on the connection at once
    """

    def __init__(
        self, link: Link, struct: Sending | Receiving, run: Callable[..., int], window: int, out_size: int
    ) -> None:
        outlet = link.outlet
        assert outlet is not None
        self._link, self._struct, self._run = link, struct, run
        self._connection: Connection = struct.c
        self.out = np.zeros(out_size, np.uint8)
        connection = self._connection
        connection.fd, self._tls = outlet.descriptor, outlet.tls
        connection.tls = None if outlet.tls is None else addressof(outlet.tls)
        connection.out, connection.out_size = address(self.out), out_size
        connection.read_every_ns = round(READ_EVERY_S * 1e9)
        connection.judged_over_ns = JUDGED_OVER_NS
        if window >= LEAST_WINDOW:
            connection.busy_from, connection.gather_from = map(_judged, (BUSY_PER_MS, GATHER_PER_MS))
        self._left = 0  # bytes that neither the core nor the general path can deal with before more come

    def may_run(self) -> bool:
        """Is there nothing that the general path has to do first? Raises ConnectionLost."""
        self._link.check()
        reader = self._link.reader
        if self._left and reader.waiting == self._left:
            return False
        return not self._link.news and not self._link.unsent and reader.between_messages

    def run(self, until_ns: int, late_ns: int = LATE_NS) -> End:
        """Have the core drive the connection. What it could not write is the link's afterwards.

        :param late_ns: how much longer it may go on with what it has begun to write
        """
        connection, reader = self._connection, self._link.reader
        connection.in_, connection.in_size, connection.in_end = reader.lend()
        end = End(self._run(byref(self._struct), until_ns, until_ns + late_ns))
        reader.lent(connection.in_end)
        self._link.heard(connection.read_ns, connection.wrote_ns)
        if left := connection.out_end - connection.out_from:
            self._link.write(string_at(connection.out + connection.out_from, left))
            connection.out_from = connection.out_end = 0
        return end

    def conclude(self, end: End) -> None:
        """Do what the core came back for, once its messages are known to the general path."""
        if end is End.UNUSUAL:
            self._link.digest()
            self._left = self._link.reader.waiting
        elif end is End.CLOSED:
            self._link.ended_by_peer()
        elif end is End.FAILED:
            self._link.failed(os.strerror(self._connection.error))
