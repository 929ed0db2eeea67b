"""Record of one metric in one stage: latencies in a histogram, completions in one-second windows."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field
from math import ceil
from typing import Annotated

from pydantic import PlainSerializer, PlainValidator

from breakeven.loadgen.record.histogram import Histogram
from breakeven.loadgen.record.timestamps import Int64s, greatest, least, total

SECOND_NS = 10**9
#: one message that was hidden for half a minute is all that a load or an unload may wait for at its end: the
#: rate up to this share of its messages leaves that out, and is told of so many messages or more
EARLY_SHARE, EARLY_FROM = 0.999, 1000


@dataclass(slots=True)
class Window:
    """What was completed in one second. ``starved``: asks that came back empty; ``size`` in bytes;
    ``last_ns``: its last completion, nanoseconds since the stage's start; ``sum_ns`` and ``max_ns``: how long
    the operations took, of those that have a start.
    """

    operations: int = 0
    size: int = 0
    starved: int = 0
    errors: int = 0
    last_ns: int = 0
    sum_ns: int = 0
    max_ns: int = 0

    def merge(self, other: Window) -> None:
        self.operations += other.operations
        self.size += other.size
        self.starved += other.starved
        self.errors += other.errors
        self.last_ns = max(self.last_ns, other.last_ns)
        self.sum_ns += other.sum_ns
        self.max_ns = max(self.max_ns, other.max_ns)


def _listed(windows: dict[int, Window]) -> list[list[int]]:
    """As a document has them: each second, and what was completed in it."""
    return [[second, *astuple(window)] for second, window in sorted(windows.items())]


def _windows_of(listed: list[list[int]]) -> dict[int, Window]:
    return {second: Window(*counts) for second, *counts in listed}


@dataclass(slots=True)
class Cell:
    """One metric in one stage. ``windows`` are by whole seconds since the stage's start."""

    latencies: Annotated[
        Histogram, PlainValidator(Histogram.from_json), PlainSerializer(Histogram.to_json)
    ] = field(default_factory=Histogram)
    windows: Annotated[dict[int, Window], PlainValidator(_windows_of), PlainSerializer(_listed)] = field(
        default_factory=dict
    )
    skipped: int = 0  # end to end: the send time is not known to this loader
    #: of the latencies, at least what they are: without an end when the loader gave up, and counted up to
    #: then; or end to end, received once the producers helped with the drain
    unfinished: int = 0
    last_ns: int = 0  # the last completion, nanoseconds since the stage's start
    by_core: int = 0  # of the completions: driven by the compiled core
    calls: int = 0  # that may carry several operations each
    paused_ns: int = 0  # by all workers together, after asks that came back empty
    starved_at_end: int = 0  # of the asks that came back empty: after the last message of whoever asked
    paused_at_end_ns: int = 0  # of the pauses: the same

    def complete(
        self, elapsed_ns: int, size: int, count: int = 1, *, sum_ns: int = 0, max_ns: int = 0
    ) -> None:
        """Operations of ``size`` bytes each that ended this long after the stage's start.

        :param sum_ns: how long all of them took, and ``max_ns`` the longest; 0 of what has no start
        """
        window = self.window(elapsed_ns)
        window.sum_ns += sum_ns
        window.max_ns = max(window.max_ns, max_ns)
        window.operations += count
        window.size += size * count
        window.last_ns = max(window.last_ns, elapsed_ns)
        self.last_ns = max(self.last_ns, elapsed_ns)

    def complete_many(self, elapsed_ns: Int64s, size: int, took_ns: Int64s | None = None) -> None:
        """As :meth:`complete` for each. ``took_ns``: how long each took; None of what has no start."""
        seconds = elapsed_ns // SECOND_NS
        for second in range(least(seconds), greatest(seconds) + 1):
            places = seconds == second
            within = elapsed_ns[places]
            if not within.size:
                continue
            took = took_ns[places] if took_ns is not None else None
            sum_ns, max_ns = (0, 0) if took is None else (total(took), greatest(took))
            self.complete(greatest(within), size, within.size, sum_ns=sum_ns, max_ns=max_ns)

    def early(self) -> tuple[int, float] | None:
        """The completions up to the second in which ``EARLY_SHARE`` of them had come, and the last of these,
        seconds since the stage's start. None where fewer than one would be left out.
        """
        total = sum(window.operations for window in self.windows.values())
        if total < EARLY_FROM:
            return None
        reached = 0
        for _, window in sorted(self.windows.items()):
            reached += window.operations
            if reached >= ceil(EARLY_SHARE * total):
                return reached, window.last_ns / SECOND_NS
        raise AssertionError("a share of all is never more than all")

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
        self.by_core += other.by_core
        self.calls += other.calls
        self.paused_ns += other.paused_ns
        self.starved_at_end += other.starved_at_end
        self.paused_at_end_ns += other.paused_at_end_ns

    def total(self) -> Window:
        """All windows added up: what was completed within the stage."""
        result = Window()
        for window in self.windows.values():
            result.merge(window)
        return result
