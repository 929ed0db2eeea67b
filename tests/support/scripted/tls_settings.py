"""The settings of a native context as OpenSSL has them, beside those of Python's own; JSON on stdout.

python -m tests.support.scripted.tls_settings

Run on the Python under test. Python's defaults come first, then stricter ones: what OpenSSL has by itself
differs by release and by machine, and may be what Python asks for.
"""

from __future__ import annotations

import ctypes
import json
import ssl
from ctypes import c_char_p, c_int, c_uint64, c_ulong, c_void_p
from typing import Any

from breakeven.clients.core.openssl import openssl
from breakeven.clients.core.tls_context import TlsContext

_CTRL_GET_READ_AHEAD, _CTRL_GET_MIN_PROTO_VERSION = 40, 130
_READERS: dict[str, tuple[Any, ...]] = {
    "SSL_CTX_get_ciphers": (c_void_p, c_void_p),
    "SSL_CTX_get_options": (c_uint64, c_void_p),
    "SSL_CTX_get_security_level": (c_int, c_void_p),
    "SSL_CIPHER_get_name": (c_char_p, c_void_p),
    "OPENSSL_sk_num": (c_int, c_void_p),
    "OPENSSL_sk_value": (c_void_p, c_void_p, c_int),
    "X509_VERIFY_PARAM_get_flags": (c_ulong, c_void_p),
}


def of_openssl(library: ctypes.CDLL, pointer: int) -> dict[str, object]:
    for name, (restype, *argtypes) in _READERS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = restype, argtypes
    suites = library.SSL_CTX_get_ciphers(pointer)
    each = [library.OPENSSL_sk_value(suites, number) for number in range(library.OPENSSL_sk_num(suites))]
    return {
        "verify flags": library.X509_VERIFY_PARAM_get_flags(library.SSL_CTX_get0_param(pointer)),
        "options": library.SSL_CTX_get_options(pointer),
        "security level": library.SSL_CTX_get_security_level(pointer),
        "oldest": library.SSL_CTX_ctrl(pointer, _CTRL_GET_MIN_PROTO_VERSION, 0, None),
        "ciphers": [library.SSL_CIPHER_get_name(suite).decode() for suite in each],
        "reads ahead": library.SSL_CTX_ctrl(pointer, _CTRL_GET_READ_AHEAD, 0, None),
    }


def of_python(context: ssl.SSLContext) -> dict[str, object]:
    return {
        "verify flags": context.verify_flags,
        "options": context.options & 0xFFFFFFFFFFFFFFFF,
        "security level": context.security_level,
        "oldest": max(context.minimum_version, ssl.TLSVersion.TLSv1_2),
        "ciphers": [suite["name"] for suite in context.get_ciphers()],
        "reads ahead": 1,  # ours alone
    }


def stricter() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_CRL_CHECK_LEAF
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_ciphers("ECDHE-ECDSA-AES256-GCM-SHA384:@SECLEVEL=3")
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context


def main() -> None:
    found = []
    for python in (ssl.create_default_context(), stricter()):
        ssl.create_default_context = lambda python=python, **_: python  # type: ignore[assignment,misc]
        native = TlsContext()._native
        assert native is not None
        found.append((of_openssl(openssl(), native.pointer), of_python(python)))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
