"""What one metric did in one stage: latencies in a histogram, completions in one-second windows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from breakeven.loadgen.histogram import Histogram
from breakeven.loadgen.instants import Int64s, greatest, least

SECOND_NS = 10**9


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
    unfinished: int = 0  # of the latencies: without an end when the loader gave up, and counted up to then
    last_ns: int = 0  # the last completion, nanoseconds since the stage's start

    def complete(self, elapsed_ns: int, size: int, count: int = 1) -> None:
        """Operations of ``size`` bytes each that ended this long after the stage's start."""
        window = self.window(elapsed_ns)
        window.operations += count
        window.size += size * count
        self.last_ns = max(self.last_ns, elapsed_ns)

    def complete_many(self, elapsed_ns: Int64s, size: int) -> None:
        """As :meth:`complete` for each."""
        first = least(elapsed_ns) // SECOND_NS
        counts = np.bincount(elapsed_ns // SECOND_NS - first).tolist()
        for second, count in enumerate(counts, first):
            if count:
                self.complete(second * SECOND_NS, size, count)
        self.last_ns = max(self.last_ns, greatest(elapsed_ns))

    def window(self, elapsed_ns: int) -> Window:
        """The window of an instant, given as time since the stage's start."""
        second = elapsed_ns // SECOND_NS
        found = self.windows.get(second)
        if found is None:
            found = self.windows[second] = Window()
        return found

    def merge(self, other: Cell) -> None:
        self.latencies.merge(other.latencies)
        for second, window in other.windows.items():
            self.window(second * SECOND_NS).merge(window)
        self.skipped += other.skipped
        self.unfinished += other.unfinished
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
            "unfinished": self.unfinished,
            "last_ns": self.last_ns,
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Cell:
        return cls(
            latencies=Histogram.from_json(document["latencies"]),
            windows={second: Window(*counts) for second, *counts in document["windows"]},
            skipped=document["skipped"],
            unfinished=document["unfinished"],
            last_ns=document["last_ns"],
        )
