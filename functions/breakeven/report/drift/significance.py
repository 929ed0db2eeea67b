"""Tests of two runs' figures on their logarithms, and Holm's correction for many tests at once.

Rates and latencies of a queue vary by factors, not by amounts: their logarithms are compared, as the report's
comparisons of targets are (queries/parts/welch.sql).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean, stdev, variance

#: standard deviation of a logarithm that is taken at least: clocks, windows and the search's grid leave about
#: so much, and repeats that agree by chance would otherwise make any difference a finding
LEAST_DEVIATION = 0.01
#: that are thought of where few were too few
MOST_CELLS = 1000
#: of intervals
CONFIDENCE = 0.95


def p_of_repeats(before: Sequence[float], after: Sequence[float]) -> float:
    """The probability of a difference as large as this, or larger, if nothing had changed: Welch's test.

    :param before: positive figures, of two repeats or more; likewise ``after``
    :raises ValueError: a figure is not positive, or there is one repeat only
    """
    if min(len(before), len(after)) < 2 or min(*before, *after) <= 0:
        raise ValueError("two positive figures or more are needed of either run")
    logs = [[math.log(figure) for figure in figures] for figures in (before, after)]
    parts = [max(variance(each), LEAST_DEVIATION**2) / len(each) for each in logs]
    t = (fmean(logs[1]) - fmean(logs[0])) / math.sqrt(sum(parts))
    freedom = sum(parts) ** 2 / sum(p**2 / (len(each) - 1) for p, each in zip(parts, logs, strict=True))
    # whole degrees: fewer are the cautious side
    return two_sided(t, math.floor(freedom + 1e-9))


def p_of_ratios(ratios: Sequence[float]) -> float:
    """The probability that ratios which are 1 but for chance lie as far to one side: Student's test.

    :param ratios: after / before of different cells, two or more
    """
    logs = [math.log(ratio) for ratio in ratios]
    deviation = max(stdev(logs), LEAST_DEVIATION)
    return two_sided(fmean(logs) * math.sqrt(len(logs)) / deviation, len(logs) - 1)


def cells_needed(ratios: Sequence[float], level: float) -> int | None:
    """How many cells whose ratios differ as these do would make their mean a finding; None: over 1,000.

    :param ratios: as of :func:`p_of_ratios`
    :param level: of p, at most
    """
    logs = [math.log(ratio) for ratio in ratios]
    of_one = abs(fmean(logs)) / max(stdev(logs), LEAST_DEVIATION)
    more = range(len(logs) + 1, MOST_CELLS + 1)
    return next((cells for cells in more if two_sided(of_one * math.sqrt(cells), cells - 1) <= level), None)


def two_sided(t: float, freedom: int) -> float:
    """The share of Student's t that lies beyond ±t, by the finite sums for whole degrees of freedom.

    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
    """
    angle = math.atan2(abs(t), math.sqrt(freedom))
    cosine_squared = math.cos(angle) ** 2
    odd = freedom % 2
    term, total = (math.cos(angle) if odd else 1.0), 0.0
    for step in range(1 if odd else 0, freedom - 1, 2):
        total += term
        term *= cosine_squared * (step + 1) / (step + 2)
    within = (2 / math.pi) * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total
    return max(0.0, 1.0 - within)


def interval_of_repeats(values: Sequence[float]) -> tuple[float, float] | None:
    """95% interval of the geometric mean by Student's t, in the values' unit; None of a single repeat.

    :param values: positive figures, one a repeat
    """
    if len(values) < 2:
        return None
    logs = [math.log(value) for value in values]
    deviation = max(stdev(logs), LEAST_DEVIATION)
    half = quantile(len(logs) - 1) * deviation / math.sqrt(len(logs))
    return math.exp(fmean(logs) - half), math.exp(fmean(logs) + half)


@lru_cache
def quantile(freedom: int, beyond: float = 1 - CONFIDENCE) -> float:
    """Student's t beyond which, on both sides of 0 together, that share lies."""
    low, high = 0.0, 1e4
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, freedom) > beyond else (low, middle)
    return high


def significant(p_values: Sequence[float], level: float) -> list[bool]:
    """Which of the tests are findings, so that the probability of any false one is at most ``level``.

    Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6,
    1979.
    """
    found = [False] * len(p_values)
    ordered = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, number in enumerate(ordered):
        if p_values[number] > level / (len(p_values) - rank):
            break
        found[number] = True
    return found
