"""What the core reads from and writes to: a socket, or Python's own TLS connection over one.

Python's ``ssl`` makes the connection, and so decides whom to trust. Its object of a connection holds
OpenSSL's, on which the core calls OpenSSL's own functions, those that Python's module is linked to. Where
that object is in memory is CPython's business (``PySSLSocket`` in ``Modules/_ssl.c``): it is looked for
only where what lies on both sides of it is what has to be there.
"""

from __future__ import annotations

import _ssl
import ctypes
import socket
import ssl
import weakref
from ctypes import c_int, c_void_p
from dataclasses import dataclass
from functools import cache
from typing import Any

from breakeven.clients.core.structs import Tls

#: fields of ``struct tls`` -> OpenSSL's functions
FUNCTIONS = {
    "read": "SSL_read",
    "write": "SSL_write",
    "pending": "SSL_pending",
    "get_error": "SSL_get_error",
    "peek_error": "ERR_peek_last_error",
    "clear_errors": "ERR_clear_error",
}
#: where a ``PySSLSocket`` has them, in words of the machine: the weak reference to its socket, OpenSSL's
#: object, the context
SOCKET, SSL, CONTEXT = 2, 3, 4


@dataclass(frozen=True, slots=True)
class Outlet:
    """Valid as long as its socket is open. ``tls``: None where bytes go over the socket as they are."""

    descriptor: int
    tls: Tls | None = None


#: why the core cannot drive a connection that Python's ``ssl`` has made
NO_OUTLET = "this Python does not show where OpenSSL's side of a TLS connection is"


def outlet_of(connected: socket.socket) -> Outlet | None:
    """None where the core cannot read and write by itself."""
    if not isinstance(connected, ssl.SSLSocket):
        return Outlet(connected.fileno())
    functions, openssl = _functions(), _openssl(connected)
    if functions is None or openssl is None:
        return None
    return Outlet(connected.fileno(), Tls(ssl=openssl, **functions))


@cache
def _library() -> ctypes.CDLL | None:
    """Python's module, through which the libraries are found that it is linked to."""
    path = getattr(_ssl, "__file__", None)  # none where it is built into the interpreter
    return ctypes.CDLL(path) if path else None


@cache
def _functions() -> dict[str, int | None] | None:
    library = _library()
    if library is None or not all(hasattr(library, name) for name in FUNCTIONS.values()):
        return None
    return {field: ctypes.cast(getattr(library, name), c_void_p).value for field, name in FUNCTIONS.items()}


def _openssl(connected: ssl.SSLSocket) -> int | None:
    """The address of OpenSSL's object; None where it is not to be had."""
    library = _library()
    holder: Any = getattr(connected, "_sslobj", None)
    words = type(holder).__basicsize__ // ctypes.sizeof(c_void_p)
    if library is None or type(holder).__name__ != "_SSLSocket" or words <= CONTEXT:
        return None
    if _word(holder, SOCKET) != id(weakref.ref(connected)) or _word(holder, CONTEXT) != id(holder.context):
        return None
    found = _word(holder, SSL)
    if found is None:
        return None
    get_fd = library.SSL_get_fd
    get_fd.argtypes, get_fd.restype = (c_void_p,), c_int
    return found if get_fd(found) == connected.fileno() else None


def _word(holder: object, place: int) -> int | None:
    return c_void_p.from_address(id(holder) + place * ctypes.sizeof(c_void_p)).value
