"""Was the loader itself the limit? (Rule 7 of the design.) What it measured of itself, and what follows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Protocol

from breakeven.instrument.latencies import rank
from breakeven.loadgen.case_figures import Usage
from breakeven.loadgen.record.histogram import Histogram, midpoint
from breakeven.loadgen.self_check.host import has_own_host
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


class Diagnosis(Usage):
    """One loader in one measured stage.

    ``pacing_p99_ms`` leaves out what waited for room; ``blocked_share`` is back-pressure of the target, over
    all producers.
    """

    own_host: bool  # a function or a task: nobody else's work makes its threads late
    constant: bool  # arrivals at a constant rate: lateness can be judged

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
    is_open = bool(producers)
    blocked_s = sum(producer.blocked_ns for producer in producers) / max(1, len(producers)) / 1e9
    return Diagnosis(
        stage=stage,
        cpu_share=cpu_share,
        lag_p99_ms=percentile_ms(lags, 990),
        offered=sum(producer.offered for producer in producers) if is_open else None,
        achieved=sum(producer.achieved for producer in producers) if is_open else None,
        pacing_p99_ms=percentile_ms(pacing, 990) if is_open else None,
        blocked_share=blocked_s / workload.measure_s if is_open else None,
        own_host=has_own_host(os.environ),
        constant=is_open and workload.arrivals == "constant" and not workload.profile,
    )


def percentile_ms(latencies: Histogram, per_mille: int) -> float | None:
    """The nearest rank's bin, milliseconds; None without samples."""
    wanted, seen = rank(latencies.count, per_mille), 0
    for index, count in sorted(latencies.bins.items()):
        seen += count
        if seen >= wanted:
            return midpoint(index) / 1e6
    return None
