"""What a loader measured: latencies in histograms, completions in one-second windows.

Latency and rate are attributed differently (rules 4 and 5 of the design): a latency belongs to the stage
in which its operation was *intended*, whenever it ends; a completion belongs to the stage and second in
which it happened.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from breakeven.loadgen.stages import Stage, Timeline

_MANTISSA_BITS = 10
_LINEAR = 2 << _MANTISSA_BITS  # below this many nanoseconds every value has a bin of its own
#: longest latency told apart, nanoseconds (73 minutes); longer ones are counted in the last bin
MAX_NS = (1 << 42) - 1
_SECOND_NS = 10**9


def bin_of(value_ns: int) -> int:
    """Index of the bin of a latency: ten mantissa bits, so a bin is at most 1/1024 of its values wide."""
    exponent = value_ns.bit_length() - 1 - _MANTISSA_BITS
    if exponent <= 0:
        return value_ns
    return (exponent << _MANTISSA_BITS) + (value_ns >> exponent)


def midpoint(index: int) -> int:
    """The middle of a bin, nanoseconds: within 0.05% of every value in it."""
    if index < _LINEAR:
        return index
    exponent = (index >> _MANTISSA_BITS) - 1
    lowest = (index - (exponent << _MANTISSA_BITS)) << exponent
    return lowest + ((1 << exponent) - 1) // 2


class Histogram:
    """Counts of latencies in log-linear bins, and their exact count, sum, minimum and maximum.

    Values above ``MAX_NS`` are counted in the last bin; sum and maximum keep their true value. A negative
    value is refused: two instants of one monotonic clock cannot give one, so it is an error of ours.
    """

    __slots__ = ("bins", "count", "max_ns", "min_ns", "sum_ns")

    def __init__(self) -> None:
        self.bins: dict[int, int] = {}
        self.count = 0
        self.sum_ns = 0
        self.min_ns: int | None = None
        self.max_ns: int | None = None

    def add(self, value_ns: int) -> None:
        """Count one latency. :raises ValueError: it is negative"""
        if value_ns < 0:
            raise ValueError(f"a latency of {value_ns} ns")
        index = bin_of(value_ns if value_ns <= MAX_NS else MAX_NS)
        self.bins[index] = self.bins.get(index, 0) + 1
        self.count += 1
        self.sum_ns += value_ns
        if self.min_ns is None or value_ns < self.min_ns:
            self.min_ns = value_ns
        if self.max_ns is None or value_ns > self.max_ns:
            self.max_ns = value_ns

    def merge(self, other: Histogram) -> None:
        """Add the other's counts to these."""
        for index, count in other.bins.items():
            self.bins[index] = self.bins.get(index, 0) + count
        self.count += other.count
        self.sum_ns += other.sum_ns
        self.min_ns = min((v for v in (self.min_ns, other.min_ns) if v is not None), default=None)
        self.max_ns = max((v for v in (self.max_ns, other.max_ns) if v is not None), default=None)

    def to_json(self) -> dict[str, Any]:
        """``bins`` are [index, count] pairs of the bins that are not empty."""
        bins = [[index, self.bins[index]] for index in sorted(self.bins)]
        return {"sum_ns": self.sum_ns, "min_ns": self.min_ns, "max_ns": self.max_ns, "bins": bins}

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Histogram:
        result = cls()
        result.bins = dict(document["bins"])
        result.count = sum(result.bins.values())
        result.sum_ns, result.min_ns, result.max_ns = (
            document["sum_ns"],
            document["min_ns"],
            document["max_ns"],
        )
        return result


@dataclass(slots=True)
class Window:
    """What was completed in one second. ``starved``: asks that came back empty; ``size`` in bytes."""

    operations: int = 0
    size: int = 0
    starved: int = 0
    errors: int = 0

    def merge(self, other: Window) -> None:
        self.operations += other.operations
        self.size += other.size
        self.starved += other.starved
        self.errors += other.errors


@dataclass(slots=True)
class Cell:
    """One metric in one stage. ``windows`` are by whole seconds since the stage's start."""

    latencies: Histogram = field(default_factory=Histogram)
    windows: dict[int, Window] = field(default_factory=dict)
    skipped: int = 0  # end to end: the send time is not known to this loader
    last_ns: int = 0  # the last completion, nanoseconds since the stage's start

    def complete(self, elapsed_ns: int, size: int) -> None:
        """An operation that ended this long after the stage's start."""
        window = self.window(elapsed_ns)
        window.operations += 1
        window.size += size
        self.last_ns = max(self.last_ns, elapsed_ns)

    def window(self, elapsed_ns: int) -> Window:
        """The window of an instant, given as time since the stage's start."""
        second = elapsed_ns // _SECOND_NS
        found = self.windows.get(second)
        if found is None:
            found = self.windows[second] = Window()
        return found

    def merge(self, other: Cell) -> None:
        self.latencies.merge(other.latencies)
        for second, window in other.windows.items():
            self.window(second * _SECOND_NS).merge(window)
        self.skipped += other.skipped
        self.last_ns = max(self.last_ns, other.last_ns)

    def total(self) -> Window:
        """All windows added up: what was completed within the stage."""
        result = Window()
        for window in self.windows.values():
            result.merge(window)
        return result

    def to_json(self) -> dict[str, Any]:
        windows = [[s, w.operations, w.size, w.starved, w.errors] for s, w in sorted(self.windows.items())]
        return {
            "latencies": self.latencies.to_json(),
            "windows": windows,
            "skipped": self.skipped,
            "last_ns": self.last_ns,
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Cell:
        return cls(
            latencies=Histogram.from_json(document["latencies"]),
            windows={second: Window(*counts) for second, *counts in document["windows"]},
            skipped=document["skipped"],
            last_ns=document["last_ns"],
        )


#: (stage, metric) -> cell
Cells = dict[tuple[str, str], Cell]


class Recorder:
    """What all workers of a loader record into. Every method may be called from any thread.

    One lock for all is cheaper than a recorder for each worker: it is held for about a microsecond, and
    a loader's threads take turns on the interpreter anyway. Instants are monotonic nanoseconds. What
    happens before the first stage starts is not recorded.
    """

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._lock = threading.Lock()
        self._cells: Cells = {}
        self._errors: Counter[str] = Counter()

    def operation(self, metric: str, intended_ns: int, completed_ns: int, size: int) -> None:
        """An operation that succeeded: its completion, and its latency from the intended start."""
        with self._lock:
            ended_in = self._timeline.at(completed_ns)
            if ended_in is None:
                return
            cell = self._cell(ended_in, metric)
            cell.complete(completed_ns - ended_in.start_ns, size)
            begun_in = ended_in if intended_ns >= ended_in.start_ns else self._timeline.at(intended_ns)
            if begun_in is None or metric not in begun_in.measures:
                return
            if begun_in is not ended_in:
                cell = self._cell(begun_in, metric)
            cell.latencies.add(completed_ns - intended_ns)

    def completion(self, metric: str, completed_ns: int, size: int) -> None:
        """An operation that succeeded and has no start of its own, such as a pushed message."""
        with self._lock:
            if stage := self._timeline.at(completed_ns):
                self._cell(stage, metric).complete(completed_ns - stage.start_ns, size)

    def starved(self, metric: str, answered_ns: int) -> None:
        """An ask that came back empty."""
        with self._lock:
            if stage := self._timeline.at(answered_ns):
                self._cell(stage, metric).window(answered_ns - stage.start_ns).starved += 1

    def error(self, metric: str, at_ns: int, kind: str) -> None:
        """An operation that failed, or ended otherwise than well."""
        with self._lock:
            self._errors[kind] += 1
            if stage := self._timeline.at(at_ns):
                self._cell(stage, metric).window(at_ns - stage.start_ns).errors += 1

    def skip(self, metric: str, at_ns: int) -> None:
        """A message whose latency cannot be known here."""
        with self._lock:
            if stage := self._timeline.at(at_ns):
                self._cell(stage, metric).skipped += 1

    def cells(self) -> Cells:
        """A consistent copy of everything recorded so far."""
        copied: Cells = {}
        with self._lock:
            for key, cell in self._cells.items():
                copied[key] = copy = Cell()
                copy.merge(cell)
        return copied

    def errors(self) -> dict[str, int]:
        """Failures by kind, of all stages and before them."""
        with self._lock:
            return dict(self._errors)

    def _cell(self, stage: Stage, metric: str) -> Cell:
        cell = self._cells.get((stage.name, metric))
        if cell is None:
            cell = self._cells[stage.name, metric] = Cell()
        return cell
