"""Change points of many short series at once, with a bound on the probability of any false alarm.

Circular binary segmentation: a series is split where its parts differ most surely, in two, or in three with
the outer ones alike, so that a change that was undone is found, too; and each part again. Monthly runs are
few (a dozen a year) and many series are looked at together, so that each split is a test with a stated level
(docs/decisions/0047-change-points-without-a-library.md).

Olshen, Venkatraman, Lucito and Wigler, Circular binary segmentation for the analysis of array-based DNA copy
number data, Biostatistics 5, 2004.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import fmean

from breakeven.report.drift.significance import LEAST_DEVIATION, significant, two_sided

#: runs of a part: what shows in one run only is that run's drift
LEAST_PART = 2
#: runs that a change point takes
LEAST_RUNS = 2 * LEAST_PART


@dataclass(frozen=True, slots=True)
class Split:
    """``cuts`` are the first places of all parts but one; ``p`` is of chance, over all ways to split."""

    cuts: tuple[int, ...]
    p: float


@dataclass(frozen=True, slots=True)
class Cut:
    """``at`` is the first place after the change; ``p`` is its split's."""

    at: int
    p: float


def best_split(levels: Sequence[float]) -> Split | None:
    """The split whose parts differ most surely; None of a series that is too short.

    ``p`` is by Student's test with the deviation within the parts, times the number of splits (Bonferroni).

    :param levels: logarithms, one a run
    """
    count = len(levels)
    ways = list(_ways(count))
    if not ways:
        return None
    middle = fmean(levels)
    sums = [0.0, *accumulate(level - middle for level in levels)]
    squares = sum((level - middle) ** 2 for level in levels)
    freedom = count - 2

    def t_of(start: int, end: int) -> float:
        """Of the mean from ``start`` to ``end`` against that of the rest, which is its opposite in sum."""
        inner, outer = end - start, count - end + start
        total = sums[end] - sums[start]
        within = max(0.0, squares - total * total * (1 / inner + 1 / outer))
        deviation = max(math.sqrt(within / freedom), LEAST_DEVIATION)
        return abs(total) * math.sqrt(1 / inner + 1 / outer) / deviation

    t, start, end = max((t_of(*way), *way) for way in ways)
    cuts = tuple(cut for cut in (start, end) if 0 < cut < count)
    return Split(cuts, min(1.0, two_sided(t, freedom) * len(ways)))


def _ways(count: int) -> Iterator[tuple[int, int]]:
    """Start and end of a part that is set against the rest: at the beginning, or within."""
    for start in (0, *range(LEAST_PART, count)):
        last = count - LEAST_PART
        yield from ((start, end) for end in range(start + LEAST_PART, last + 1))


def change_points(series: Sequence[Sequence[float]], level: float) -> list[list[Cut]]:
    """The change points of each series, in order.

    Whole series are judged at half of ``level``, the parts of those that were split at a quarter, theirs at
    an eighth, and so on, each time with Holm's correction over all: the sum stays below ``level``.
    """
    found: list[list[Cut]] = [[] for _ in series]
    parts = [(number, 0, len(levels)) for number, levels in enumerate(series)]
    while parts:
        level /= 2
        judged = [
            (number, start, end, split)
            for number, start, end in parts
            if (split := best_split(series[number][start:end])) is not None
        ]
        sure = significant([split.p for *_, split in judged], level)
        parts = []
        for (number, start, end, split), is_sure in zip(judged, sure, strict=True):
            if is_sure:
                cuts = [start + cut for cut in split.cuts]
                found[number] += [Cut(at, split.p) for at in cuts]
                parts += [(number, *part) for part in pairwise([start, *cuts, end])]
    return [sorted(cuts, key=lambda cut: cut.at) for cuts in found]
