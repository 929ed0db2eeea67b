"""Connection that the core reads from and writes to: a socket, or TLS over one."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass

from breakeven.clients.core.structs import Tls
from breakeven.clients.core.tls_connection import TlsConnection

#: what a client's connection goes over
Stream = socket.socket | TlsConnection


@dataclass(frozen=True, slots=True)
class Outlet:
    """Valid as long as its stream is open. ``tls``: None where bytes go over the socket as they are."""

    descriptor: int
    tls: Tls | None = None


def outlet_of(connected: Stream) -> Outlet | None:
    """None where the core cannot read and write by itself: on a connection of Python's ``ssl``."""
    if isinstance(connected, TlsConnection):
        return Outlet(connected.fileno(), connected.struct)
    return None if isinstance(connected, ssl.SSLSocket) else Outlet(connected.fileno())


#: why the core cannot drive a connection that Python's ``ssl`` has made
NO_OUTLET = "Python's ssl made the connection, when the core could not"


def has_pending(connected: Stream) -> bool:
    """Does OpenSSL hold something that it has read already?"""
    return isinstance(connected, ssl.SSLSocket | TlsConnection) and connected.pending() > 0
