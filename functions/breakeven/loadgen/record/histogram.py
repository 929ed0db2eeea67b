"""Latencies in log-linear bins (rule 4 of docs/rules.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from breakeven.loadgen.record.timestamps import Int64s, greatest, least

_MANTISSA_BITS = 10
_LINEAR = 2 << _MANTISSA_BITS  # below this many nanoseconds every value has a bin of its own
#: longest latency told apart, nanoseconds (73 minutes); longer ones are counted in the last bin
MAX_NS = (1 << 42) - 1
#: values that wait to be binned together: enough for numpy, and binned in about 20 microseconds
_PENDING = 1024
# an IEEE 754 double has 52 bits of mantissa below its exponent, biased by 1023
_DOUBLE_SHIFT = 52 - _MANTISSA_BITS
_DOUBLE_BASE = (1023 + _MANTISSA_BITS - 1) << _MANTISSA_BITS


def bin_of(value_ns: int) -> int:
    """Index of the bin of a latency: ten mantissa bits, so a bin is at most 1/1024 of its values wide."""
    exponent = value_ns.bit_length() - 1 - _MANTISSA_BITS
    if exponent <= 0:
        return value_ns
    return (exponent << _MANTISSA_BITS) + (value_ns >> exponent)


def bins_of(values_ns: Int64s) -> Int64s:
    """:func:`bin_of` of each, for values from 0 to ``MAX_NS``.

    A double holds such a number exactly, and its exponent and first mantissa bits are the bin.
    """
    indices: Int64s = (values_ns.astype(np.float64).view(np.int64) >> _DOUBLE_SHIFT) - _DOUBLE_BASE
    return np.where(values_ns < _LINEAR, values_ns, indices)


def midpoint(index: int) -> int:
    """The middle of a bin, nanoseconds: within 0.05% of every value in it."""
    if index < _LINEAR:
        return index
    exponent = (index >> _MANTISSA_BITS) - 1
    lowest = (index - (exponent << _MANTISSA_BITS)) << exponent
    return lowest + ((1 << exponent) - 1) // 2


_BINS = bin_of(MAX_NS) + 1


class Histogram:
    """Counts of latencies in log-linear bins, and their exact count, sum, minimum and maximum.

    Values above ``MAX_NS`` are counted in the last bin; sum and maximum keep their true value. A negative
    value is refused: two instants of one monotonic clock cannot give one, so it is an error of ours.

    Values are kept as they come until there are enough to bin them together, which costs a third of
    binning each. Whatever is asked, those are binned first.
    """

    __slots__ = ("_count", "_counts", "_max_ns", "_min_ns", "_pending", "_sum_ns", "_waiting")

    def __init__(self) -> None:
        self._counts: Int64s = np.zeros(_BINS, np.int64)
        self._pending: Int64s = np.empty(_PENDING, np.int64)
        self._waiting = 0  # how many of those
        self._count = 0
        self._sum_ns = 0
        self._min_ns: int | None = None
        self._max_ns: int | None = None

    def add(self, value_ns: int) -> None:
        """Count one latency. :raises ValueError: it is negative"""
        if not 0 <= value_ns <= MAX_NS:
            self._add_odd(value_ns)
            return
        if self._waiting == _PENDING:
            self._settle()
        self._pending[self._waiting] = value_ns
        self._waiting += 1

    def add_many(self, values_ns: Sequence[int] | Int64s) -> None:
        """Count each of these latencies. :raises ValueError: one is negative; then none is counted"""
        count = len(values_ns)
        if not count:
            return
        low, high = least(values_ns), greatest(values_ns)
        if low < 0:
            raise ValueError(f"a latency of {low} ns")
        if high > MAX_NS or count > _PENDING:
            self._bin(np.asarray(values_ns, dtype=np.int64))
            return
        if self._waiting + count > _PENDING:
            self._settle()
        self._pending[self._waiting : self._waiting + count] = values_ns
        self._waiting += count

    @property
    def bins(self) -> dict[int, int]:
        """Index -> count of the bins that are not empty, in order."""
        return dict(self._pairs())

    @property
    def count(self) -> int:
        return self._count + self._waiting

    @property
    def sum_ns(self) -> int:
        self._settle()
        return self._sum_ns

    @property
    def min_ns(self) -> int | None:
        self._settle()
        return self._min_ns

    @property
    def max_ns(self) -> int | None:
        self._settle()
        return self._max_ns

    def merge(self, other: Histogram) -> None:
        """Add the other's counts to these."""
        self._settle()
        other._settle()
        self._counts += other._counts
        self._tally(other._count, other._sum_ns, other._min_ns, other._max_ns)

    def to_json(self) -> dict[str, Any]:
        """``bins`` are [index, count] pairs of the bins that are not empty."""
        bins = [list(pair) for pair in self._pairs()]
        return {"sum_ns": self._sum_ns, "min_ns": self._min_ns, "max_ns": self._max_ns, "bins": bins}

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Histogram:
        result = cls()
        for index, count in document["bins"]:
            result._counts[index] = count
        count = sum(count for _, count in document["bins"])
        result._tally(count, document["sum_ns"], document["min_ns"], document["max_ns"])
        return result

    def _pairs(self) -> list[tuple[int, int]]:
        self._settle()
        indices = np.flatnonzero(self._counts)
        return list(zip(indices.tolist(), self._counts[indices].tolist(), strict=True))

    def _settle(self) -> None:
        if self._waiting:
            self._bin(self._pending[: self._waiting])
            self._waiting = 0

    def _add_odd(self, value_ns: int) -> None:
        if value_ns < 0:
            raise ValueError(f"a latency of {value_ns} ns")
        self._counts[-1] += 1
        self._tally(1, value_ns, value_ns, value_ns)

    def _bin(self, values_ns: Int64s) -> None:
        low, high = least(values_ns), greatest(values_ns)
        np.add.at(self._counts, bins_of(values_ns if high <= MAX_NS else np.minimum(values_ns, MAX_NS)), 1)
        self._tally(len(values_ns), _exact_sum(values_ns, high), low, high)

    def _tally(self, count: int, sum_ns: int, low: int | None, high: int | None) -> None:
        self._count += count
        self._sum_ns += sum_ns
        if low is not None and (self._min_ns is None or low < self._min_ns):
            self._min_ns = low
        if high is not None and (self._max_ns is None or high > self._max_ns):
            self._max_ns = high


def _exact_sum(values: Int64s, high: int) -> int:
    """Without overflow, given the greatest."""
    return int(values.sum()) if high * len(values) < 1 << 63 else sum(values.tolist())
