"""Finds the compiled core for this processor, and makes sure that it is of these very sources."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
from functools import cache
from pathlib import Path

from breakeven.clients.core.structs import SOURCES, Asking, Call, Receiving, Sending, Tls
from breakeven.errors import InputError

FOLDER = Path(__file__).parent
#: what the core and Python share, by C's name
STRUCTS: dict[str, type[ctypes.Structure]] = {
    "sending": Sending,
    "receiving": Receiving,
    "asking": Asking,
    "call": Call,
    "tls": Tls,
}
#: those that it drives a connection with
RUN = ("sending", "receiving", "asking")
#: processors that it is compiled for, as ``platform.machine`` names them
MACHINES = ("x86_64", "aarch64")
#: an environment variable: ``off`` leaves everything to the general path
SWITCH = "BREAKEVEN_CORE"


def sources() -> list[Path]:
    """What the core is compiled from; headers are not among them."""
    return sorted(SOURCES.glob("*.c"))


def compiled_path(machine: str) -> Path:
    """Where the core of these sources is, compiled for ``machine``; it holds a digest of them in its name."""
    digest = hashlib.sha256()
    for source in sorted(SOURCES.glob("*.[ch]")):
        digest.update(source.read_bytes())
    return FOLDER / "compiled" / f"core-{digest.hexdigest()[:12]}-{machine}.so"


def core() -> ctypes.CDLL | None:
    """The core; None where it is not compiled for this machine, or switched off.

    :raises RuntimeError: it is, and its structs are not those of ``structs``
    """
    return None if _is_off() else _core()


def absence() -> str | None:
    """Why there is no core, in words; None where there is one."""
    if _is_off():
        return f"the environment says {SWITCH}=off"
    return None if _core() else f"the core is not compiled for {platform.machine()}"


def check_switch() -> None:
    """:raises InputError: the variable says something else than ``off``, and would be taken for left out"""
    said = os.environ.get(SWITCH, "")
    if said not in ("", "off"):
        raise InputError("environment", SWITCH, said, "must be off, or left out for the compiled core")


def _is_off() -> bool:
    return os.environ.get(SWITCH) == "off"


@cache
def _core() -> ctypes.CDLL | None:
    path = compiled_path(platform.machine())
    if not path.exists():
        return None
    library = ctypes.CDLL(str(path))
    for name, struct in STRUCTS.items():
        size = getattr(library, f"{name}_size")
        size.restype = ctypes.c_int64
        if size() != ctypes.sizeof(struct):
            raise RuntimeError(f"struct {name} has {size()} bytes in C and {ctypes.sizeof(struct)} in Python")
        if name in RUN:
            run = getattr(library, f"{name}_run")
            run.argtypes = (ctypes.POINTER(struct), ctypes.c_int64, ctypes.c_int64)
            run.restype = ctypes.c_int32
    text, key = (ctypes.c_char_p, ctypes.c_int64), ctypes.c_char_p
    library.call_renewed.argtypes = (ctypes.POINTER(Call), *text, *text, key, *text)
    library.call_renewed.restype = None
    for name in ("tls_read", "tls_write"):
        getattr(library, name).argtypes = (ctypes.POINTER(Tls), ctypes.c_void_p, ctypes.c_int64)
    for name in ("tls_handshake", "tls_pending"):
        getattr(library, name).argtypes = (ctypes.POINTER(Tls),)
    for name in ("tls_handshake", "tls_read", "tls_write", "tls_pending"):
        getattr(library, name).restype = ctypes.c_int64
    return library
