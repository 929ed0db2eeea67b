"""Evidence of whether the loader itself was the limit (rule 7 of docs/rules.md), and what follows from it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Protocol

from breakeven import words
from breakeven.instrument.latencies import rank
from breakeven.loadgen.case_figures import Usage
from breakeven.loadgen.record.histogram import Histogram, midpoint
from breakeven.loadgen.self_check.host import has_own_host
from breakeven.loadgen.self_check.host_use import HostUse

#: cores that a loader's process may use before its figures count as a lower bound: its threads share a GIL
SATURATED_SHARE = 0.8
#: how late a loader may hand over messages at its 99th percentile, seconds; see ``waits_with_target``
LATE_S = 0.001
#: how late a sleeping thread of a function or task may wake at its 99th percentile, seconds: a loader that
#: waits for its quota of a processor, or for its interpreter, is late with all that it times, however little
#: it uses. On a host that is shared with the target both are late, which the flag ``shared_host`` says.
LAG_S = 0.005
#: cores of a host that must have been idle for a thread of its loader to find one whenever it wants to run
IDLE_CORES = 1.0
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
    idle_cores: float | None = None  # of its host, where that tells

    def evidence(self) -> list[str]:
        """Why its figures are a lower bound, in words; empty when they are not."""
        return [said for judge in SATURATED_BY.values() if (said := judge(self))]

    @property
    def is_late(self) -> bool:
        """At any schedule: what waited for room in the window is left out."""
        return self.pacing_p99_ms is not None and self.pacing_p99_ms > LATE_S * 1e3

    @property
    def waits_with_target(self) -> bool:
        """Does the run's target share the host, and did the two leave less than a core of it idle?

        Then a loader that is late waited for a processor as the target did, and more loaders would wait, too.
        """
        target_is_here = self.others_share is not None
        return target_is_here and self.idle_cores is not None and self.idle_cores < IDLE_CORES


def _processor(found: Diagnosis) -> str:
    if found.cpu_share < SATURATED_SHARE:
        return ""
    return f"it used {found.cpu_share:.2f} of a core, and {SATURATED_SHARE:g} is the limit"


def _lag(found: Diagnosis) -> str:
    if not found.own_host or found.lag_p99_ms is None or found.lag_p99_ms <= LAG_S * 1e3:
        return ""
    late = words.milliseconds(found.lag_p99_ms)
    return f"a thread of it woke {late} late or later 1 time in 100, and {LAG_S * 1e3:g} ms is the limit"


def _lateness(found: Diagnosis) -> str:
    if not found.is_late or found.waits_with_target:
        return ""
    return f"{_late(found)}, and {LATE_S * 1e3:g} ms is the limit"


def shared_lateness(found: Diagnosis) -> list[str]:
    """How late a loader was that waited for processors with its target, in words; empty where it was not."""
    if not found.is_late or not found.waits_with_target:
        return []
    return [f"{_late(found)} while {found.idle_cores:.2f} of a core was idle"]


def _late(found: Diagnosis) -> str:
    late = words.milliseconds(found.pacing_p99_ms or 0.0)
    return f"1 message in 100 was handed over {late} late or later"


def _shortfall(found: Diagnosis) -> str:
    blocked = found.blocked_share or 0.0
    if not found.offered or found.achieved is None or blocked >= BLOCKED_SHARE:
        return ""
    if found.achieved >= ACHIEVED_SHARE * found.offered:
        return ""
    return (
        f"it handed over {found.achieved:,} of the {found.offered:,} messages due, under "
        f"{ACHIEVED_SHARE:.0%}, and the target left room (its window was full {blocked:.1%} of the time)"
    )


#: what makes a loader the limit; tests hold that each has its two boundary examples
SATURATED_BY: dict[str, Callable[[Diagnosis], str]] = {
    "processor": _processor,
    "lag": _lag,
    "lateness": _lateness,
    "shortfall": _shortfall,
}


class OpenLoop(Protocol):
    """What an open loop's producer counts within the measured stage; ``blocked_ns``: window full, one due."""

    offered: int
    achieved: int
    blocked_ns: int


def diagnose(
    stage: str,
    cpu_share: float,
    lags: Histogram,
    host: HostUse,
    pacing: Histogram,
    producers: Sequence[OpenLoop],
    for_s: float,
) -> Diagnosis:
    """:param pacing: an open loop's, of the stage; ``producers``: its own, none in a closed loop; ``for_s``:
    an open loop's length of the stage
    """
    is_open = bool(producers)
    idle_cores = None if host.idle_share is None else host.idle_share * (os.cpu_count() or 1)
    blocked_s = sum(producer.blocked_ns for producer in producers) / max(1, len(producers)) / 1e9
    return Diagnosis(
        stage=stage,
        cpu_share=cpu_share,
        lag_p99_ms=percentile_ms(lags, 990),
        offered=sum(producer.offered for producer in producers) if is_open else None,
        achieved=sum(producer.achieved for producer in producers) if is_open else None,
        pacing_p99_ms=percentile_ms(pacing, 990) if is_open else None,
        blocked_share=blocked_s / for_s if is_open else None,
        **asdict(host),
        own_host=has_own_host(os.environ),
        idle_cores=idle_cores,
    )


def percentile_ms(latencies: Histogram, per_mille: int) -> float | None:
    """The nearest rank's bin, milliseconds; None without samples."""
    wanted, seen = rank(latencies.count, per_mille), 0
    for index, count in sorted(latencies.bins.items()):
        seen += count
        if seen >= wanted:
            return midpoint(index) / 1e6
    return None
