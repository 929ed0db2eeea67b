"""OpenSSL's public functions, of the library that Python's ``ssl`` is linked to.

All of them are documented, and have had the same form since OpenSSL 3.0. What is a macro in OpenSSL's
headers (``SSL_CTX_set_min_proto_version``) is here the function that it stands for, with the number that it
passes.
"""

from __future__ import annotations

import _ssl
import ctypes
import ssl
from ctypes import POINTER, c_char_p, c_int, c_long, c_ubyte, c_uint, c_uint64, c_ulong, c_void_p
from functools import cache
from typing import Any

#: name -> what it returns, and what it takes
FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "OpenSSL_version_num": (c_ulong,),
    "TLS_client_method": (c_void_p,),
    "SSL_CTX_new": (c_void_p, c_void_p),
    "SSL_CTX_free": (None, c_void_p),
    "SSL_CTX_ctrl": (c_long, c_void_p, c_int, c_long, c_void_p),
    "SSL_CTX_set_options": (c_uint64, c_void_p, c_uint64),
    "SSL_CTX_set_security_level": (None, c_void_p, c_int),
    "SSL_CTX_set_cipher_list": (c_int, c_void_p, c_char_p),
    "SSL_CTX_set_alpn_protos": (c_int, c_void_p, c_char_p, c_uint),
    "SSL_CTX_set_verify": (None, c_void_p, c_int, c_void_p),
    "SSL_CTX_set_default_verify_paths": (c_int, c_void_p),
    "SSL_CTX_load_verify_locations": (c_int, c_void_p, c_char_p, c_char_p),
    "SSL_CTX_get_cert_store": (c_void_p, c_void_p),
    "SSL_CTX_get0_param": (c_void_p, c_void_p),
    "X509_VERIFY_PARAM_set_flags": (c_int, c_void_p, c_ulong),
    "X509_VERIFY_PARAM_set_hostflags": (None, c_void_p, c_uint),
    "X509_VERIFY_PARAM_set1_ip_asc": (c_int, c_void_p, c_char_p),
    "X509_STORE_add_cert": (c_int, c_void_p, c_void_p),
    "X509_free": (None, c_void_p),
    "X509_verify_cert_error_string": (c_char_p, c_long),
    "d2i_X509": (c_void_p, c_void_p, POINTER(POINTER(c_ubyte)), c_long),
    "SSL_new": (c_void_p, c_void_p),
    "SSL_free": (None, c_void_p),
    "SSL_ctrl": (c_long, c_void_p, c_int, c_long, c_void_p),
    "SSL_set_fd": (c_int, c_void_p, c_int),
    "SSL_set1_host": (c_int, c_void_p, c_char_p),
    "SSL_get0_param": (c_void_p, c_void_p),
    "SSL_set_connect_state": (None, c_void_p),
    "SSL_get_verify_result": (c_long, c_void_p),
    "SSL_do_handshake": (c_int, c_void_p),
    "SSL_read": (c_int, c_void_p, c_void_p, c_int),
    "SSL_write": (c_int, c_void_p, c_void_p, c_int),
    "SSL_has_pending": (c_int, c_void_p),
    "SSL_get_error": (c_int, c_void_p, c_int),
    "ERR_peek_last_error": (c_ulong,),
    "ERR_clear_error": (None,),
    "ERR_reason_error_string": (c_char_p, c_ulong),
}
#: the oldest release whose functions these are; in the codes of earlier ones' errors the reason is elsewhere
OLDEST = (3, 0, 0)


class OpenSslMissing(Exception):
    """Says why these functions are not to be had, in words."""


@cache
def openssl() -> ctypes.CDLL:
    """The library, with all of ``FUNCTIONS`` declared. Raises OpenSslMissing."""
    try:
        # where the module is part of the interpreter, so is what it is linked to
        library = ctypes.CDLL(getattr(_ssl, "__file__", None))
    except OSError as error:
        raise OpenSslMissing(f"the library of Python's ssl cannot be opened: {error}") from None
    return declared(library)


def declared(library: ctypes.CDLL) -> ctypes.CDLL:
    """The same, once it is seen to be the OpenSSL that ``ssl`` uses. Raises OpenSslMissing."""
    missing = [name for name in FUNCTIONS if not hasattr(library, name)]
    if missing:
        raise OpenSslMissing(f"the library of Python's ssl shows no {missing[0]}")
    for name, (restype, *argtypes) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = restype, argtypes
    if ssl.OPENSSL_VERSION_INFO < OLDEST or library.OpenSSL_version_num() != ssl.OPENSSL_VERSION_NUMBER:
        raise OpenSslMissing(f"no OpenSSL that the core knows: {ssl.OPENSSL_VERSION}")
    return library


def pointer_to(function: Any) -> int | None:
    """A function's address, as C takes it."""
    return ctypes.cast(function, c_void_p).value


def done(found: Any, function: str) -> Any:
    """What a function of OpenSSL's has answered; raises ssl.SSLError where that says that it failed."""
    if not found:
        openssl().ERR_clear_error()  # it is the thread's, where Python's ssl would take it for its own
        raise ssl.SSLError(ssl.SSL_ERROR_SSL, f"{function} failed")
    return found
