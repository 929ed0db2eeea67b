"""Message sizes as people write them: ``16B``, ``1KiB``, ``64KB``."""

from __future__ import annotations

import re

#: KB and MB mean 1024 and 1024 x 1024 here, as in SQS's "64 KB request" and in the article of 2012
UNITS = {"B": 1, "KiB": 1024, "KB": 1024, "MiB": 1024**2, "MB": 1024**2}
_SIZE = re.compile(r"(\d{1,12}) ?(B|KiB|KB|MiB|MB)")


def parse_size(text: str) -> int:
    """Bytes of a size such as ``64KiB``.

    :raises ValueError: not a whole number and a unit
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a size: {text!r}")
    return int(match[1]) * UNITS[match[2]]


def format_size(size: int) -> str:
    """The shortest exact form in binary units: 65536 is ``64KiB``, 1000 is ``1000B``."""
    for unit in ("MiB", "KiB"):
        if size and size % UNITS[unit] == 0:
            return f"{size // UNITS[unit]}{unit}"
    return f"{size}B"
