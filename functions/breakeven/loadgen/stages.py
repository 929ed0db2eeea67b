"""The stages of a case on a loader's own clock.

Gates open at wall-clock instants shared by all loaders; everything after is on the monotonic clock, so
that a step of the wall clock in mid-case moves nothing.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from breakeven.terms import METRICS
from breakeven.workload.case import Mode, Workload

ALL = frozenset(METRICS)
#: the stage in which queues are loaded before a case's own work begins; nothing is measured in it
PREFILL = "prefill"
#: a drain that lasts longer than this is helped by the producers' threads, seconds
HELP_AFTER_S = 0.25
#: mode -> kind of stage -> the metrics whose latencies and totals are taken from it
MEASURED: dict[Mode, dict[str, frozenset[str]]] = {
    "parallel": {"measure": ALL},
    "load-unload": {
        "load": frozenset({"produce"}),
        "unload": frozenset({"consume", "settle", "consume_cycle"}),
    },
    # a case's figures are those of the probe of the highest rate that was held, see search.probe.best
    "capacity": {"probe": ALL, "settling": frozenset({"end_to_end"})},
}


def measured_in(mode: Mode, metric: str) -> str | None:
    """The kind of stage a metric is measured in; None where the metric means nothing in that mode."""
    return next((stage for stage, metrics in MEASURED[mode].items() if metric in metrics), None)


def kind_of(stage: str) -> str:
    """What ``probe-3`` is one of: ``probe``."""
    return stage.partition("-")[0]


@dataclass(frozen=True, slots=True)
class Stage:
    """``start_ns`` monotonic; ``start_s`` the same instant by the wall clock, epoch seconds."""

    name: str
    start_ns: int
    start_s: float
    measures: frozenset[str]


class Timeline:
    """Stages in order, each ending where the next starts. Appended by one thread, read by all."""

    def __init__(self, mode: Mode) -> None:
        self._mode: Mode = mode
        self._newest_first: tuple[Stage, ...] = ()

    def begin(self, name: str, start_ns: int, start_s: float) -> Stage:
        """Add a stage, at the earliest when the one before it starts."""
        stage = Stage(name, start_ns, start_s, MEASURED[self._mode].get(kind_of(name), frozenset()))
        self._newest_first = (stage, *self._newest_first)
        return stage

    def begin_after(self, stage: Stage, after_s: float, name: str) -> Stage:
        """Add a stage that starts so many seconds after the start of another, by either clock.

        Asked of the clocks once more, their difference would have moved by some hundred nanoseconds, and a
        message due between the two instants would be counted as due, and not as measured.
        """
        return self.begin(name, stage.start_ns + round(after_s * 1e9), stage.start_s + after_s)

    def at(self, instant_ns: int) -> Stage | None:
        """The stage of an instant; None before the first one starts."""
        for stage in self._newest_first:
            if instant_ns >= stage.start_ns:
                return stage
        return None

    def stage(self, name: str) -> Stage:
        """A stage by its name, which must have been added."""
        return next(stage for stage in self._newest_first if stage.name == name)

    @property
    def work_ns(self) -> int:
        """When the first stage starts in which the case's own work is done, which must have been added."""
        return next(stage.start_ns for stage in self.stages if stage.name != PREFILL)

    @property
    def stages(self) -> tuple[Stage, ...]:
        return self._newest_first[::-1]


def monotonic_of(epoch_s: float) -> int:
    """The monotonic instant (ns) of a wall-clock instant, by the clocks' difference now."""
    return time.monotonic_ns() + round(epoch_s * 1e9) - time.time_ns()


def parallel_stages(timeline: Timeline, workload: Workload, opens_s: float) -> None:
    """Warm-up, measured stage and drain, from the gate's instant (epoch seconds) on."""
    first = timeline.begin("warmup" if workload.warmup_s else "measure", monotonic_of(opens_s), opens_s)
    measure = timeline.begin_after(first, workload.warmup_s, "measure") if workload.warmup_s else first
    timeline.begin_after(measure, workload.measure_s, "drain")
