"""A connection that the core drives for a while, and the requests that it signs there."""

from __future__ import annotations

import os
from collections.abc import Callable
from ctypes import addressof, byref, string_at

import numpy as np

from breakeven.clients.base import ConnectionLost
from breakeven.clients.core.digests import sha256
from breakeven.clients.core.loading import absence, core
from breakeven.clients.core.memory import address
from breakeven.clients.core.outlet import NO_OUTLET
from breakeven.clients.core.structs import Asking, Call, End, Sending
from breakeven.clients.core.tls_context import tls_obstacle
from breakeven.clients.sqs.connection import ENDED, TIMED_OUT, Begun, Connection
from breakeven.clients.sqs.signing import Parts

#: hexadecimal digits
SIGNATURE = 64


def obstacle(connection: Connection) -> str | None:
    """Why the core cannot drive this connection, in words; None where it can. Raises ConnectionLost."""
    if absent := absence():
        return absent
    if sha256() is None:
        return "this Python's hashlib shows none of OpenSSL's functions"
    with connection.lend() as outlet:
        return tls_obstacle() or NO_OUTLET if outlet is None else None


class SignedCall:
    """What the core signs requests of one operation with."""

    def __init__(self) -> None:
        functions = sha256()
        assert functions is not None
        self._functions, self.struct = functions, Call(sha256=addressof(functions))

    def renew(self, parts: Parts, begun: bytes) -> None:
        """:param begun: how every document begins"""
        library = core()
        assert library is not None
        given = (parts.canonical, len(parts.canonical), parts.to_sign, len(parts.to_sign), parts.key)
        library.call_renewed(byref(self.struct), *given, begun, len(begun))
        self.struct.head_size = len(parts.head)


class FastPathConnection:
    """:param in_size: what an answer may be of, bytes; a larger one is the general path's"""

    def __init__(
        self, connection: Connection, struct: Sending | Asking, run: Callable[..., int], in_size: int
    ) -> None:
        self._connection, self._struct, self._run = connection, struct, run
        self._in, self._out = np.zeros(in_size, np.uint8), np.zeros(0, np.uint8)
        struct.c.in_, struct.c.in_size = address(self._in), in_size
        self._opened = 0

    @property
    def is_writing(self) -> bool:
        """Is there something of a request that is still to be written?"""
        return bool(self._struct.c.out_from < self._struct.c.out_end)

    def put(self, requests: bytes) -> None:
        """What the core writes from."""
        if len(requests) != len(self._out):
            self._out = np.zeros(len(requests), np.uint8)
            self._struct.c.out, self._struct.c.out_size = address(self._out), len(requests)
        self._out[:] = np.frombuffer(requests, np.uint8)

    def run(self, until_ns: int, late_ns: int) -> End:
        """Have the core drive the connection, which is opened where it is not. Raises ConnectionLost.

        :param late_ns: until when a call may go on that is under way
        """
        with self._connection.lend() as outlet:
            assert outlet is not None
            c = self._struct.c
            if self._connection.opened != self._opened:
                self._opened, c.next_end = self._connection.opened, End.OVER
            c.fd, c.tls = outlet.descriptor, None if outlet.tls is None else addressof(outlet.tls)
            return End(self._run(byref(self._struct), until_ns, late_ns))

    def begun(self, since_ns: int) -> Begun:
        """What the core leaves to the general path of an exchange that has been under way since then."""
        c = self._struct.c
        unsent = string_at(c.out + c.out_from, c.out_end - c.out_from)
        begun = Begun(unsent, self._in[: c.in_end].tobytes(), since_ns / 1e9)
        self.forget()
        return begun

    def forget(self) -> None:
        """Nothing is under way any more."""
        c = self._struct.c
        c.in_end = c.out_from = c.out_end = 0

    def lost(self, end: End) -> ConnectionLost:
        """Close the connection that ended so; what to raise."""
        self.forget()
        said = {End.CLOSED: ENDED, End.FAILED: os.strerror(self._struct.c.error)}
        return self._connection.lost(said.get(end, TIMED_OUT))

    def drop(self) -> None:
        """Close it where nothing was under way: the next run opens it again."""
        self.forget()
        self._connection.close()
