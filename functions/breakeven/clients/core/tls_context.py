"""TLS as the native clients speak it: by OpenSSL's public functions, with the settings of Python's ``ssl``.

Where the core or one of those functions is missing, Python's ``ssl`` makes the connection, and the general
path drives it.
"""

from __future__ import annotations

import ctypes
import os
import re
import socket
import ssl
import weakref
from ctypes import byref, c_ubyte

from breakeven.clients.core.loading import absence
from breakeven.clients.core.openssl import OpenSslMissing, done, openssl
from breakeven.clients.core.tls_connection import TlsConnection

#: of ``openssl/ssl.h``: numbers that its macros pass
_CTRL_MODE, _CTRL_SET_READ_AHEAD, _CTRL_SET_MIN_PROTO_VERSION, _VERIFY_PEER = 33, 41, 123, 1
#: the modes that Python's ssl sets: a write may be gone on with from other memory (the general path's), a
#: read goes on behind what is no data, idle connections keep no buffers
_MODES = 0x2 | 0x4 | 0x10
_PEM = re.compile("-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)


class TlsContext:
    """What connections to one service have in common: whom they trust, and what they offer.

    :param cafile: certificate authorities, PEM; with neither, the system's
    :param cadata: the same as text
    :param protocols: of ALPN
    :raises OSError: a file or text that holds no certificate
    """

    def __init__(
        self, cafile: str | None = None, cadata: str | None = None, protocols: tuple[str, ...] = ()
    ) -> None:
        self._python = ssl.create_default_context(cafile=cafile, cadata=cadata)
        if protocols:
            self._python.set_alpn_protocols(protocols)
        self._native: _NativeContext | None = None
        if tls_obstacle() is None:
            self._native = _NativeContext(self._python, cafile, cadata, protocols)

    def connect(self, plain: socket.socket, host: str, timeout_s: float) -> ssl.SSLSocket | TlsConnection:
        """Shake hands with ``host``; what comes of it owns ``plain``, and never waits by itself.

        :raises OSError: not who the certificate says (``ssl.SSLCertVerificationError``), no TLS, no answer
            in time
        :raises ValueError: no name of a host
        """
        if self._native is not None:
            return TlsConnection(self._native.libssl, self._native.pointer, plain, host, timeout_s)
        plain.settimeout(timeout_s)  # of the whole handshake
        connected = self._python.wrap_socket(plain, server_hostname=host)
        connected.settimeout(0.0)
        return connected


def tls_obstacle() -> str | None:
    """Why the core can make no TLS connection, in words; None where it can."""
    if absent := absence():
        return absent
    try:
        openssl()
    except OpenSslMissing as error:
        return str(error)
    return None


class _NativeContext:
    """An ``SSL_CTX`` with the settings of Python's context; ``pointer`` is valid as long as this object."""

    def __init__(
        self, python: ssl.SSLContext, cafile: str | None, cadata: str | None, protocols: tuple[str, ...]
    ) -> None:
        self.libssl = libssl = openssl()
        self.pointer = done(libssl.SSL_CTX_new(libssl.TLS_client_method()), "SSL_CTX_new")
        self._free = weakref.finalize(self, libssl.SSL_CTX_free, self.pointer)
        self._free.atexit = False
        self._settle(python)
        self._trust(cafile, cadata)
        if protocols:
            wire = b"".join(bytes((len(one),)) + one.encode() for one in protocols)
            refused = libssl.SSL_CTX_set_alpn_protos(self.pointer, wire, len(wire))  # 0 is its success
            done(not refused, "SSL_CTX_set_alpn_protos")

    def _settle(self, python: ssl.SSLContext) -> None:
        """Versions, ciphers, options and strictness."""
        libssl, pointer = self.libssl, self.pointer
        least = max(ssl.TLSVersion.TLSv1_2, python.minimum_version)
        version = libssl.SSL_CTX_ctrl(pointer, _CTRL_SET_MIN_PROTO_VERSION, least, None)
        done(version, "SSL_CTX_set_min_proto_version")
        libssl.SSL_CTX_ctrl(pointer, _CTRL_MODE, _MODES, None)
        # a record's head and content by one call of the kernel's, and all records that are there with them
        libssl.SSL_CTX_ctrl(pointer, _CTRL_SET_READ_AHEAD, 1, None)
        libssl.SSL_CTX_set_options(pointer, python.options & 0xFFFFFFFFFFFFFFFF)
        libssl.SSL_CTX_set_security_level(pointer, python.security_level)
        # those of TLS 1.3 have a list of their own, which Python leaves as it is, too
        names = [one["name"] for one in python.get_ciphers() if one["protocol"] != "TLSv1.3"]
        done(libssl.SSL_CTX_set_cipher_list(pointer, ":".join(names).encode()), "SSL_CTX_set_cipher_list")
        libssl.SSL_CTX_set_verify(pointer, _VERIFY_PEER, None)
        parameters = done(libssl.SSL_CTX_get0_param(pointer), "SSL_CTX_get0_param")
        flags = libssl.X509_VERIFY_PARAM_set_flags(parameters, python.verify_flags)
        done(flags, "X509_VERIFY_PARAM_set_flags")

    def _trust(self, cafile: str | None, cadata: str | None) -> None:
        libssl, pointer = self.libssl, self.pointer
        if cafile:
            loaded = libssl.SSL_CTX_load_verify_locations(pointer, os.fsencode(cafile), None)
            done(loaded, "SSL_CTX_load_verify_locations")
        if cadata:
            for pem in _PEM.findall(cadata):
                self._add(ssl.PEM_cert_to_DER_cert(pem))
        if not cafile and not cadata:
            done(libssl.SSL_CTX_set_default_verify_paths(pointer), "SSL_CTX_set_default_verify_paths")

    def _add(self, der: bytes) -> None:
        libssl = self.libssl
        content = (c_ubyte * len(der)).from_buffer_copy(der)
        at = ctypes.cast(content, ctypes.POINTER(c_ubyte))
        certificate = done(libssl.d2i_X509(None, byref(at), len(der)), "d2i_X509")
        try:  # the store keeps a reference of its own
            store = libssl.SSL_CTX_get_cert_store(self.pointer)
            done(libssl.X509_STORE_add_cert(store, certificate), "X509_STORE_add_cert")
        finally:
            libssl.X509_free(certificate)
