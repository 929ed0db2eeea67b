"""Latencies with exact percentiles: every step of the table gets its share of the sample, in random order."""

from __future__ import annotations

import random
from array import array
from collections.abc import Sequence

from breakeven.instrument.program import Latency

#: samples that must lie beyond a percentile (rule 4 of docs/rules.md)
BEYOND = 10


def rank(count: int, per_mille: int) -> int:
    """The nearest rank of a percentile among ``count`` samples, from 1."""
    return -(-count * per_mille // 1000)


def values_ns(latency: Latency, count: int) -> list[int]:
    """The sample, ascending, in nanoseconds."""
    values: list[int] = []
    for step in latency.steps:
        values += [round(step.ms * 1e6)] * (round(step.up_to * count) - len(values))
    return values


def percentile_ms(latency: Latency, count: int, per_mille: int) -> float:
    """A percentile of the sample, milliseconds."""
    return values_ns(latency, count)[rank(count, per_mille) - 1] / 1e6


def shuffled_ns(latency: Latency, count: int, seed: str) -> array[int]:
    """The sample in an order of chance, the same for the same seed."""
    values = values_ns(latency, count)
    random.Random(seed).shuffle(values)  # noqa: S311  order only, nothing secret
    return array("q", values)


def nearest_rank_ms(ascending_ns: Sequence[int], per_mille: int) -> float | None:
    """A percentile of samples in nanoseconds as milliseconds; None when there are none."""
    return ascending_ns[rank(len(ascending_ns), per_mille) - 1] / 1e6 if ascending_ns else None
