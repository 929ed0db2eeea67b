"""Repeats as rows, and the statistics that ``repeats.sql`` and ``comparison.sql`` should give of them.

The statistics are worked out anew in exact fractions; the quantile of Student's t comes from integrating
its density.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from tests.support.money.query_tables import Bucket, case

STAGE_S = 1000.0
SQS, RABBITMQ = "sqs-standard", "rabbitmq-mirrored-pair"
#: three decimals of a quantile are exact to this
TABLED = 3e-4

Rates = Mapping[tuple[str, str], Sequence[float]]


def put(bucket: Bucket, rates: Rates, *, metric: str = "produce", name: str = "part", **columns: Any) -> None:
    """Cases that were measured to the end: (cell, target) -> messages a second of each repeat."""
    cases, totals = [], []
    for (cell, target), repeats in rates.items():
        for number, rate in enumerate(repeats, start=1):
            case_id = f"{'s' if name == 'part' else name}.{cell}.{target}.r{number}"
            provenance = "emulated" if target == SQS else "measured"
            found = {"scenario": "s", "cell": cell, "repeat": number, "mode": "parallel", "producers": 1}
            origin = {"target": target, "provenance": provenance}
            cases.append(case(case_id, **{**found, **origin, **columns}))
            completed = round(rate * STAGE_S)
            totals.append(
                {
                    "case_id": case_id,
                    "metric": metric,
                    "operations": completed,
                    "completed": completed,
                    "sum_ns": completed * 2_000_000,
                    "min_ns": 1_000_000,
                    "max_ns": 1_000_000_000,
                    "stage_s": STAGE_S,
                }
            )
    bucket.put("cases", cases, name=name)
    bucket.put("totals", totals, name=name)


def rounded(rates: Sequence[float]) -> list[float]:
    """The rates as they come back out of whole completions."""
    return [round(rate * STAGE_S) / STAGE_S for rate in rates]


def beyond_zero(t: float, df: int) -> float:
    """P(0 < T < t) of Student's t: with x = sqrt(df) tan(a) the density is a power of a cosine (Simpson)."""
    steps, end = 400, math.atan(t / math.sqrt(df))
    weights = (1 if k in (0, steps) else 4 if k % 2 else 2 for k in range(steps + 1))
    area = sum(w * math.cos(end * k / steps) ** (df - 1) for k, w in enumerate(weights)) * end / steps / 3
    return area * math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)


@cache
def quantile(df: int) -> float:
    """The 0.975 quantile of Student's t, by halving."""
    low, high = 1.9, 13.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond_zero(middle, df) < 0.475 else (low, middle)
    return low


def mean_and_square(values: Sequence[float]) -> tuple[Fraction, Fraction]:
    """The mean, and the square of its standard error."""
    exact = [Fraction(value) for value in values]
    mean = sum(exact, Fraction()) / len(exact)
    return mean, sum(((v - mean) ** 2 for v in exact), Fraction()) / (len(exact) - 1) / len(exact)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95% interval of the mean."""
    mean, square = mean_and_square(values)
    half = quantile(len(values) - 1) * math.sqrt(square)
    return max(0.0, float(mean) - half), float(mean) + half


def ratio_interval(values: Sequence[float], against: Sequence[float]) -> tuple[float, float, float]:
    """The ratio of the geometric means and its 95% interval, by Welch."""
    (mean_a, a), (mean_b, b) = (mean_and_square([math.log(v) for v in side]) for side in (values, against))
    weights = a * a / (len(values) - 1) + b * b / (len(against) - 1)
    half = quantile(math.floor((a + b) ** 2 / weights)) * math.sqrt(a + b) if weights else 0.0
    middle = float(mean_a - mean_b)
    return math.exp(middle), math.exp(middle - half), math.exp(middle + half)
