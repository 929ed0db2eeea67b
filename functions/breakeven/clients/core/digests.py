"""SHA-256 as the core calls it: OpenSSL's own functions, of the library that ``hashlib`` is linked to."""

from __future__ import annotations

import ctypes
from ctypes import c_void_p
from functools import cache
from importlib.util import find_spec

from breakeven.clients.core.structs import Sha256

#: fields of ``struct sha256`` -> OpenSSL's functions
FUNCTIONS = {"init": "SHA256_Init", "update": "SHA256_Update", "final": "SHA256_Final"}


@cache
def sha256() -> Sha256 | None:
    """None where they are not to be had."""
    # none where Python is built without OpenSSL, no origin where its module is part of the interpreter
    module = find_spec("_hashlib")
    if module is None or not module.has_location or module.origin is None:
        return None
    library = ctypes.CDLL(module.origin)
    if not all(hasattr(library, name) for name in FUNCTIONS.values()):
        return None
    found = {field: ctypes.cast(getattr(library, name), c_void_p).value for field, name in FUNCTIONS.items()}
    return Sha256(**found)
