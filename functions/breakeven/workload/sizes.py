"""Message sizes as people write them: ``16B``, ``1KiB``, ``1MiB``, and bytes as a number, ``1024``."""

from __future__ import annotations

import re

UNITS = {"B": 1, "KiB": 1024, "MiB": 1024**2}
_SIZE = re.compile(r"([0-9]{1,12}) ?(B|KiB|MiB)?")
#: 1,000 bytes to some, and 1,024 to others, such as SQS in its "64 KB request"
_AMBIGUOUS = re.compile(r"([0-9]{1,12}) ?([KM])B?", re.IGNORECASE)
#: what is plainly meant, although it is not how a size is written
_NEARLY = re.compile(
    r"([0-9]{1,12}(?:\.[0-9]{1,12})?|[0-9]{1,3}(?:,[0-9]{3}){1,3}) ?(B|KiB?|MiB?)?", re.IGNORECASE
)
_UNIT_OF = {"ki": "KiB", "mi": "MiB", **{unit.lower(): unit for unit in UNITS}}


def parse_size(text: str) -> int:
    """Bytes of a size such as ``64KiB``; without a unit it is bytes, as a number in a suite is.

    :raises ValueError: not a whole number, with a unit or without
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a size: {text!r}")
    return int(match[1]) * UNITS[match[2] or "B"]


def ambiguity(text: str) -> str:
    """Of a size in KB or MB, or K or M, which have two meanings: what to write instead; else empty."""
    match = _AMBIGUOUS.fullmatch(text)
    if match is None:
        return ""
    number, prefix = int(match[1]), match[2].upper()
    decimal = 1000 if prefix == "K" else 1000**2
    return (
        f"{prefix}B is {decimal:,} bytes to some and {UNITS[f'{prefix}iB']:,} to others: write "
        f"{number}{prefix}iB or {number * decimal}B"
    )


def size_hint(text: str) -> str:
    """What to write instead of what is no size, but plainly means one; else empty."""
    return ambiguity(text) or _rewritten(text)


def size_from(least: int, most: int, note: str = "") -> str:
    """What a size may be, for errors: 'a size from 1B to 1MiB, such as …'.

    :param note: about the least, in brackets
    """
    return (
        f"a size from {format_size(least)}{note} to {format_size(most)}, such as 16B, 1KiB or 65536 (bytes)"
    )


def _rewritten(text: str) -> str:
    """Of a number with a fraction, with commas, without a unit or with its letters otherwise; else empty."""
    match = _NEARLY.fullmatch(text.strip())
    if match is None:
        return ""
    number, unit = match[1].replace(",", ""), _UNIT_OF[(match[2] or "B").lower()]
    if "." in number:
        whole = max(1, round(float(number) * UNITS[unit]))
        return f"a size is a whole number and its unit: write whole bytes, {whole}B"
    return f"write {number}{unit}"


def format_size(size: int) -> str:
    """The shortest exact form in binary units: 65536 is ``64KiB``, 1000 is ``1000B``."""
    for unit in ("MiB", "KiB"):
        if size and size % UNITS[unit] == 0:
            return f"{size // UNITS[unit]}{unit}"
    return f"{size}B"
