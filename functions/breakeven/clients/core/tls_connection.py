"""A TLS connection of OpenSSL's, which Python and the core drive in turn."""

from __future__ import annotations

import ctypes
import os
import select
import socket
import ssl
import threading
import time
import weakref
from ctypes import byref
from typing import NoReturn

import numpy as np

from breakeven.clients.core.loading import core
from breakeven.clients.core.memory import address
from breakeven.clients.core.openssl import done, pointer_to
from breakeven.clients.core.structs import Tls, TlsStatus

#: fields of ``struct tls`` -> OpenSSL's functions
CALLS = {
    "handshake": "SSL_do_handshake",
    "read": "SSL_read",
    "write": "SSL_write",
    "has_pending": "SSL_has_pending",
    "get_error": "SSL_get_error",
    "peek_error": "ERR_peek_last_error",
    "clear_errors": "ERR_clear_error",
}
#: of ``openssl/ssl.h`` and ``tls1.h``: numbers that macros pass, and what SSL_get_error answers
_CTRL_SET_TLSEXT_HOSTNAME, _TLSEXT_NAMETYPE_HOST_NAME, _WANT_WRITE = 55, 0, 3
#: of ``openssl/x509v3.h`` and ``x509_vfy.h``
_NO_PARTIAL_WILDCARDS = 0x4
_HOSTNAME_MISMATCH, _IP_ADDRESS_MISMATCH = 62, 64
#: in an error's code its reason, and the one that says that the certificate is refused
_REASON, _CERTIFICATE_VERIFY_FAILED = 0x7FFFFF, 134
#: a record of TLS holds no more, bytes
_RECORD_BYTES = 16_384


class TlsConnection:
    """A stream like an ``ssl.SSLSocket`` that never waits, and that the core can drive by its ``struct``.

    Any thread may close it. OpenSSL's object is freed then, which no call is in the midst of; who has lent
    ``struct`` to the core closes only after that.

    :param libssl: OpenSSL's
    :param context: the address of an ``SSL_CTX``
    :param plain: connected to ``host``, and from now on this one's; the caller's again where that fails
    :param timeout_s: of the whole handshake
    """

    def __init__(
        self, libssl: ctypes.CDLL, context: int, plain: socket.socket, host: str, timeout_s: float
    ) -> None:
        calls = core()
        assert calls is not None
        self._calls, self._libssl, self._socket = calls, libssl, plain
        plain.setblocking(False)
        pointer = done(self._libssl.SSL_new(context), "SSL_new")
        self.struct = Tls(ssl=pointer)
        for field, name in CALLS.items():
            setattr(self.struct, field, pointer_to(getattr(self._libssl, name)))
        self._lock = threading.Lock()
        self._free = weakref.finalize(self, self._libssl.SSL_free, pointer)
        self._free.atexit = False
        try:
            self._aim(pointer, host)
            self._shake_hands(time.monotonic() + timeout_s)
        except BaseException:
            self._release()
            raise

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, data: bytes | memoryview, flags: int = 0) -> int:
        """How many bytes were taken; what was not must be handed in again, and nothing else before.

        :param flags: none are known, as of an ``ssl.SSLSocket``
        :raises ssl.SSLWantReadError, ssl.SSLWantWriteError: not just now
        """
        if not data:
            return 0
        with self._lock:
            status = self._calls.tls_write(byref(self.struct), _address(data), len(data))
            return self._counted(status)

    def recv(self, count: int) -> bytes:
        """What has come, at most a record; empty at the end. Raises as ``send``."""
        space = bytearray(min(count, _RECORD_BYTES))
        return bytes(space[: self.recv_into(memoryview(space), len(space))])

    def recv_into(self, space: memoryview, count: int, flags: int = 0) -> int:
        """The same into memory of the caller's; returns how many bytes, 0 at the end."""
        count = min(count, len(space))
        if not count:
            raise ValueError("no space to read into")
        with self._lock:
            status = self._calls.tls_read(byref(self.struct), _address(space), count)
            return 0 if status == TlsStatus.CLOSED else self._counted(status)

    def pending(self) -> int:
        """Is there, perhaps, something that was read from the socket and is still to be given out? 0: no."""
        with self._lock:
            return int(self._calls.tls_pending(byref(self.struct)))

    def shutdown(self, how: int) -> None:
        """Of the socket: whoever waits for it wakes up."""
        self._socket.shutdown(how)

    def close(self) -> None:
        """Close without a word to the peer, as an ``ssl.SSLSocket`` does: HTTP and AMQP say what ends."""
        self._release()
        self._socket.close()

    def _release(self) -> None:
        with self._lock:
            self.struct.ssl = None
            self._free()

    def _aim(self, pointer: int, host: str) -> None:
        """Say whom the certificate has to name. Raises ValueError."""
        libssl, name = self._libssl, host.encode("idna")
        if not name or name.startswith(b".") or b"\0" in name:
            raise ValueError(f"not a name of a host: {host!r}")
        # of the connection: it does not inherit them from the context in every release
        parameters = done(libssl.SSL_get0_param(pointer), "SSL_get0_param")
        libssl.X509_VERIFY_PARAM_set_hostflags(parameters, _NO_PARTIAL_WILDCARDS)
        if not libssl.X509_VERIFY_PARAM_set1_ip_asc(parameters, name):  # no address: a name, as Python has it
            indicated = libssl.SSL_ctrl(
                pointer, _CTRL_SET_TLSEXT_HOSTNAME, _TLSEXT_NAMETYPE_HOST_NAME, ctypes.c_char_p(name)
            )
            done(indicated, "SSL_set_tlsext_host_name")
            done(libssl.SSL_set1_host(pointer, name), "SSL_set1_host")
        self._host = host
        done(libssl.SSL_set_fd(pointer, self._socket.fileno()), "SSL_set_fd")
        libssl.SSL_set_connect_state(pointer)

    def _shake_hands(self, until_s: float) -> None:
        while True:
            status = self._calls.tls_handshake(byref(self.struct))
            if status == TlsStatus.CLOSED:
                raise ssl.SSLEOFError(ssl.SSL_ERROR_EOF, "EOF occurred in violation of protocol")
            if status > 0:
                return
            if status == TlsStatus.FAILED:
                self._fail()
            left_s, ready = until_s - time.monotonic(), select.poll()
            ready.register(self, select.POLLOUT if self.struct.wants == _WANT_WRITE else select.POLLIN)
            if left_s <= 0 or not ready.poll(left_s * 1e3):
                raise TimeoutError("The handshake operation timed out")

    def _counted(self, status: int) -> int:
        """The count of bytes that a call returned, or what to raise."""
        if status > 0:
            return int(status)
        if status == TlsStatus.FAILED:
            self._fail()
        if status == TlsStatus.CLOSED:
            raise ssl.SSLZeroReturnError(
                ssl.SSL_ERROR_ZERO_RETURN, "TLS/SSL connection has been closed (EOF)"
            )
        if self.struct.wants == _WANT_WRITE:
            raise ssl.SSLWantWriteError(ssl.SSL_ERROR_WANT_WRITE, "The operation did not complete (write)")
        raise ssl.SSLWantReadError(ssl.SSL_ERROR_WANT_READ, "The operation did not complete (read)")

    def _fail(self) -> NoReturn:
        """Raise what Python's ``ssl`` would, in its words."""
        code = self.struct.reason
        if not code:
            raise OSError(self.struct.error, os.strerror(self.struct.error))
        said = self._libssl.ERR_reason_error_string(code)
        reason = said.decode() if said else "unknown error"
        words = f"[SSL: {reason.upper().replace(' ', '_')}] {reason}"
        if code & _REASON == _CERTIFICATE_VERIFY_FAILED:
            raise ssl.SSLCertVerificationError(ssl.SSL_ERROR_SSL, f"{words}: {self._refusal()}")
        raise ssl.SSLError(ssl.SSL_ERROR_SSL, words)

    def _refusal(self) -> str:
        """What is wrong with the peer's certificate."""
        found = self._libssl.SSL_get_verify_result(self.struct.ssl)
        if found == _HOSTNAME_MISMATCH:
            return f"Hostname mismatch, certificate is not valid for '{self._host}'."
        if found == _IP_ADDRESS_MISMATCH:
            return f"IP address mismatch, certificate is not valid for '{self._host}'."
        said = self._libssl.X509_verify_cert_error_string(found)
        return str(said.decode()) if said else f"error {found}"


def _address(data: bytes | memoryview) -> int:
    """Of the first byte, as long as ``data`` is kept."""
    return address(np.frombuffer(data, np.uint8))
