"""Was the loader itself the limit? (Rule 7 of the design.) What it measured of itself, and what follows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Protocol

from breakeven.loadgen.record.histogram import Histogram, midpoint
from breakeven.loadgen.self_check.zone import has_own_host
from breakeven.workload.case import Workload

#: cores that a loader's process may use before its figures count as a lower bound: its threads share a GIL
SATURATED_SHARE = 0.8
#: how late a loader may hand over messages of a constant rate at its 99th percentile, seconds
LATE_S = 0.001
#: how late a sleeping thread of a function or task may wake at its 99th percentile, seconds: a loader that
#: waits for its quota of a processor, or for its interpreter, is late with all that it times, however little
#: it uses. On a host that is shared with the target both are late, which the flag ``shared_host`` says.
LAG_S = 0.005
#: share of what was offered that must be handed over in the stage, where the target leaves room
ACHIEVED_SHARE = 0.99
#: share of the stage for which a full window counts as the target's back-pressure
BLOCKED_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One loader in one measured stage.

    ``cpu_share``: cores that its process used. ``lag_p99_ms``: how late a sleeping thread of it woke.
    Of an open loop, else None: messages ``offered`` (due within the stage) and ``achieved`` (handed over
    within it), ``pacing_p99_ms`` (how late they were handed over, waiting for room apart), and
    ``blocked_share`` of the stage in which a message was due and the window was full: back-pressure of the
    target, over all producers.
    """

    stage: str
    cpu_share: float
    lag_p99_ms: float | None = None
    offered: int | None = None
    achieved: int | None = None
    pacing_p99_ms: float | None = None
    blocked_share: float | None = None
    own_host: bool = False  # a function or a task: nobody else's work makes its threads late
    constant: bool = False  # arrivals at a constant rate: lateness can be judged

    def evidence(self) -> list[str]:
        """Why its figures are a lower bound, in words; empty when they are not."""
        found = []
        if self.cpu_share >= SATURATED_SHARE:
            found.append(f"it used {self.cpu_share:.2f} of a core, and {SATURATED_SHARE:g} is the limit")
        if self.own_host and self.lag_p99_ms is not None and self.lag_p99_ms > LAG_S * 1e3:
            found.append(f"a thread of it woke {self.lag_p99_ms:.1f} ms late or later 1 time in 100")
        if self.constant and self.pacing_p99_ms is not None and self.pacing_p99_ms > LATE_S * 1e3:
            found.append(f"1 message in 100 was handed over {self.pacing_p99_ms:.1f} ms late or later")
        if self.offered and self.achieved is not None and self.achieved < ACHIEVED_SHARE * self.offered:
            share = self.achieved / self.offered
            if (self.blocked_share or 0.0) < BLOCKED_SHARE:
                found.append(f"it handed over {share:.1%} of what was due, and the target left room")
        return found

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Diagnosis:
        return cls(**document)


class OpenLoop(Protocol):
    """What an open loop's producer counts within the measured stage; ``blocked_ns``: window full, one due."""

    offered: int
    achieved: int
    blocked_ns: int


def diagnose(
    stage: str,
    workload: Workload,
    cpu_share: float,
    lags: Histogram,
    pacing: Histogram,
    producers: Sequence[OpenLoop],
) -> Diagnosis:
    """:param pacing: an open loop's, of the stage; ``producers``: its own, none in a closed loop"""
    lag_ms, own = percentile_ms(lags, 0.99), has_own_host(os.environ)
    if not producers:
        return Diagnosis(stage, cpu_share, lag_ms, own_host=own)
    blocked_s = sum(producer.blocked_ns for producer in producers) / len(producers) / 1e9
    return Diagnosis(
        stage=stage,
        cpu_share=cpu_share,
        lag_p99_ms=lag_ms,
        offered=sum(producer.offered for producer in producers),
        achieved=sum(producer.achieved for producer in producers),
        pacing_p99_ms=percentile_ms(pacing, 0.99),
        blocked_share=blocked_s / workload.measure_s,
        own_host=own,
        constant=workload.arrivals == "constant" and not workload.profile,
    )


def percentile_ms(latencies: Histogram, share: float) -> float | None:
    """The nearest rank's bin, milliseconds; None without samples."""
    rank, seen = ceil(share * latencies.count), 0
    for index, count in sorted(latencies.bins.items()):
        seen += count
        if seen >= rank:
            return midpoint(index) / 1e6
    return None
