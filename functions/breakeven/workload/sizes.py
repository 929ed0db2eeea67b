"""Message sizes as people write them: ``16B``, ``1KiB``, ``1MiB``."""

from __future__ import annotations

import re

UNITS = {"B": 1, "KiB": 1024, "MiB": 1024**2}
_SIZE = re.compile(r"([0-9]{1,12}) ?(B|KiB|MiB)")
#: 1,000 bytes to some, and 1,024 to others, such as SQS in its "64 KB request"
_AMBIGUOUS = re.compile(r"([0-9]{1,12}) ?([KM])B", re.IGNORECASE)


def parse_size(text: str) -> int:
    """Bytes of a size such as ``64KiB``.

    :raises ValueError: not a whole number and a unit
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a size: {text!r}")
    return int(match[1]) * UNITS[match[2]]


def ambiguity(text: str) -> str:
    """Of a size in KB or MB, which have two meanings: what to write instead; else empty."""
    match = _AMBIGUOUS.fullmatch(text)
    if match is None:
        return ""
    number, prefix = int(match[1]), match[2].upper()
    decimal = 1000 if prefix == "K" else 1000**2
    return (
        f"{prefix}B is {decimal:,} bytes to some and {UNITS[f'{prefix}iB']:,} to others: write "
        f"{number}{prefix}iB or {number * decimal}B"
    )


def format_size(size: int) -> str:
    """The shortest exact form in binary units: 65536 is ``64KiB``, 1000 is ``1000B``."""
    for unit in ("MiB", "KiB"):
        if size and size % UNITS[unit] == 0:
            return f"{size // UNITS[unit]}{unit}"
    return f"{size}B"
