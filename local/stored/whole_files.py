"""Files of the folder of runs: written as a whole, and read with care, since anybody may have edited them."""

from __future__ import annotations

import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from breakeven.errors import check_regular, printable
from breakeven.workload.json_text import parse_json


def write_whole(path: Path, body: bytes) -> None:
    """Write a file, its folders first: all of it, or nothing. Permissions of one that was there are kept.

    :raises OSError: it cannot be written
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(_beside(path))
    try:
        fresh.write_bytes(body)
        with suppress(OSError):  # nothing was there, or a file system has no permissions
            fresh.chmod(stat.S_IMODE(path.stat().st_mode))
        fresh.replace(path)
    except BaseException:  # an interrupt leaves no half of a file, either
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


def _beside(path: Path) -> str:
    """The name of a file that is to take the place of another one: no longer than names may be, where the
    other's is not.
    """
    return f".{path.name[:40]}-{secrets.token_hex(4)}"


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object that a file holds.

    :raises OSError: it cannot be read; FileNotFoundError where it is not there
    :raises ValueError: it holds something else
    """
    check_regular(path)
    found = parse_json(path.read_bytes())
    if not isinstance(found, dict):
        raise ValueError("is no JSON object")
    return found


def read_records(path: Path) -> dict[str, dict[str, Any]]:
    """A run's records: objects by the item that each is of.

    Where they are there, the ``status`` is text, and the ``attempt`` a whole number.

    :raises OSError: as ``read_object``, and so ``ValueError``
    """
    found = read_object(path)
    for item, record in found.items():
        if not isinstance(record, dict):
            raise ValueError(f"the record of {printable(item)} is no JSON object")
        if not isinstance(record.get("status", ""), str):
            raise ValueError(f"the status of {printable(item)} is no text")
        if not str(record.get("attempt", 0)).isdecimal():
            raise ValueError(f"the attempt of {printable(item)} is no whole number")
    return found


def why(error: OSError | ValueError) -> str:
    """Why a file could not be read, without its number and the path, which an error names anyway."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
