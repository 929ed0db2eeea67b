"""Ratios between two contenders, from pairs measured side by side."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from bench.watched import ROOT

#: the quantiles that the report's intervals are made with
_QUANTILES = ROOT / "queries" / "parts" / "student_t.sql"


@dataclass(frozen=True, slots=True)
class Ratio:
    """The geometric mean of paired ratios, and its two-sided interval of 95%; None of a single pair."""

    mean: float
    low: float | None
    high: float | None


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """By Student's t on the logarithms: what disturbs both of a pair alike falls out.

    :raises ValueError: no pairs, or not as many of one as of the other
    """
    logs = [math.log(a / b) for a, b in zip(ours, theirs, strict=True)]
    if not logs:
        raise ValueError("no pairs")
    mean = statistics.fmean(logs)
    if len(logs) == 1:
        return Ratio(math.exp(mean), None, None)
    reach = student(len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
    return Ratio(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach))


def student(df: int) -> float:
    """The 0.975 quantile of Student's t; between two known ones, the wider."""
    return max((known, t) for known, t in _table().items() if known <= df)[1]


@cache
def _table() -> dict[int, float]:
    return {int(df): float(t) for df, t in re.findall(r"\((\d+), ([\d.]+)E0\)", _QUANTILES.read_text())}
