"""Interval of a capacity: the range of a cell's repeats, by what each search held and what it did not.

It is no interval by Student's t: what disturbs a search makes a capacity seem less, never more, so that
repeats are skewed, and t's interval of two repeats of 406 and 1,851 begins below zero. The range supposes no
distribution. Each repeat is as likely above the median of all that could be made as below it, so that n of
them lie on both sides of it with a probability of 1 - 2^(1 - n): 50% for two, 94% for five.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Protocol

from breakeven import words
from breakeven.loadgen.case_figures import ProbeReport
from breakeven.loadgen.search.probe import bound


@dataclass(frozen=True, slots=True)
class CapacityInterval:
    """Messages a second: from the least that a repeat held to the rate that failed in the one that held most.

    :param high: None where no upper end was found: a loader was the limit, or no rate failed
    """

    low: float
    high: float | None
    repeats: int

    def describe(self) -> str:
        """The ends and the method; what they mean is in docs/metrics.md."""
        if self.high is None:
            return f"from {words.figure(self.low)} msg/s up, as no upper end was found ({self._method()})"
        return f"{words.figure(self.low)} to {words.figure(self.high)} msg/s ({self._method()})"

    def _method(self) -> str:
        if self.repeats > 1:
            sure = 1 - 2 ** (1 - self.repeats)
            return f"the range of {self.repeats} repeats, which has the median with {sure:.0%} probability"
        if self.high is None:
            return "measured once"
        return f"measured once: the search's own resolution, {self.high / self.low - 1:.1%}"


class Searched(Protocol):
    """A case that searched for a capacity, as a report or as its rows have it."""

    @property
    def held_rate(self) -> float | None: ...
    @property
    def is_lower_bound(self) -> bool: ...
    @property
    def probes(self) -> Sequence[ProbeReport]: ...


def interval_of(repeats: Sequence[Searched]) -> CapacityInterval:
    """:param repeats: of one cell, each of which held a rate"""
    held = sorted(((case.held_rate or 0.0, case) for case in repeats), key=itemgetter(0))
    (least, _), (_, best) = held[0], held[-1]
    failed = None if any(case.is_lower_bound for case in repeats) else bound(best.probes)
    return CapacityInterval(least, failed.rate if failed else None, len(repeats))
