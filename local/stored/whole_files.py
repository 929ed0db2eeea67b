"""Files of the folder of runs: written as a whole, and read with care, since anybody may have edited them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from breakeven.errors import check_regular
from breakeven.workload.json_text import parse_json


def write_whole(path: Path, body: bytes) -> None:
    """Write a file, its folders first: all of it, or nothing.

    :raises OSError: it cannot be written
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        fresh.write_bytes(body)
        fresh.replace(path)
    except OSError:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


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

    :raises OSError: as ``read_object``, and so ``ValueError``
    """
    found = read_object(path)
    for item, record in found.items():
        if not isinstance(record, dict):
            raise ValueError(f"the record of {item} is no JSON object")
    return found
