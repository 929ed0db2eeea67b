"""Instants in bulk: monotonic nanoseconds of a whole batch of messages.

A few are dealt with sooner by a loop than by numpy, so both forms exist, behind the same functions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]
#: one for each message, or an int where all of a batch share it
Timestamps = int | Sequence[int] | Int64s
#: the same, ready for arithmetic in numpy
Column = int | Int64s
#: bytes of each of a batch's operations, or an int where all have as many
Sizes = int | Int64s


def length(first: Timestamps, second: Timestamps) -> int:
    """How many messages two columns tell of. :raises ValueError: they have different lengths"""
    if isinstance(first, int):
        return 1 if isinstance(second, int) else len(second)
    if not isinstance(second, int) and len(first) != len(second):
        raise ValueError(f"columns of {len(first)} and {len(second)} instants")
    return len(first)


def only(instants: Timestamps) -> int:
    """The single one."""
    return instants if isinstance(instants, int) else int(instants[0])


def listed(instants: Timestamps) -> int | Sequence[int]:
    """As Python's own integers, for a loop."""
    return instants.tolist() if isinstance(instants, np.ndarray) else instants


def column(instants: Timestamps) -> Column:
    """For numpy."""
    return instants if isinstance(instants, int) else np.asarray(instants, dtype=np.int64)


def as_one(instants: Sequence[int] | Int64s) -> Timestamps:
    """An int where all of them, at least one, are the same: that is recorded sooner."""
    first = instants[0]
    if isinstance(instants, np.ndarray):
        return int(first) if (instants == first).all() else instants
    return first if instants.count(first) == len(instants) else instants


def repeated(instants: int | Sequence[int], count: int) -> Sequence[int]:
    return [instants] * count if isinstance(instants, int) else instants


def placed(instants: Timestamps, places: Int64s) -> Timestamps:
    """Those of a column at these places."""
    return instants if isinstance(instants, int) else np.asarray(instants, np.int64)[places]


def least(instants: Timestamps) -> int:
    """The earliest; there must be one."""
    if isinstance(instants, int):
        return instants
    return int(instants.min()) if isinstance(instants, np.ndarray) else min(instants)


def greatest(instants: Timestamps) -> int:
    """The latest; there must be one."""
    if isinstance(instants, int):
        return instants
    return int(instants.max()) if isinstance(instants, np.ndarray) else max(instants)


def total(values: Sequence[int] | Int64s) -> int:
    """Their sum."""
    return int(values.sum()) if isinstance(values, np.ndarray) else sum(values)


def differences(starts: Timestamps, ends: Timestamps) -> Sequence[int] | Int64s:
    """How long each took, from columns that are both lists (or ints), or both arrays (or ints)."""
    if isinstance(starts, np.ndarray) or isinstance(ends, np.ndarray):
        return np.subtract(ends, starts)
    if isinstance(ends, int):
        return [ends - starts] if isinstance(starts, int) else [ends - start for start in starts]
    if isinstance(starts, int):
        return [end - starts for end in ends]
    return [end - start for start, end in zip(starts, ends, strict=True)]
