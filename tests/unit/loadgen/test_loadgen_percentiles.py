"""Percentiles of ten million samples: recorder, merged bins and SQL against the samples themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from breakeven.loadgen.record.cell import Cell
from breakeven.loadgen.record.histogram import midpoint
from breakeven.loadgen.record.recorder import Recorder
from breakeven.loadgen.stages import Timeline
from tests.support.money.query_tables import Bucket, case

SAMPLES = 10_000_000
#: what a recorder takes at once; any size would do
BATCH = 100_000
PERMILLE = {"p50_ms": 500, "p90_ms": 900, "p95_ms": 950, "p99_ms": 990, "p999_ms": 999}
STAGE_NS = 10**15  # the stage's start, later than any of these latencies is long

Samples = npt.NDArray[np.int64]
Draw = Callable[[np.random.Generator, int], npt.NDArray[np.float64]]


def stalled(random: np.random.Generator, count: int) -> npt.NDArray[np.float64]:
    """Two ways through, and two in a hundred that wait for the end of a one-second stall."""
    fast, slow = random.normal(0.9e6, 5e4, count), random.normal(3.2e6, 2e5, count)
    usual = np.where(random.random(count) < 0.8, fast, slow)
    return usual + np.where(random.random(count) < 0.02, random.uniform(0, 1e9, count), 0)


DISTRIBUTIONS: dict[str, Draw] = {
    "uniform": lambda random, count: random.uniform(1e3, 5e9, count),
    "lognormal": lambda random, count: random.lognormal(14, 1.2, count),
    "bimodal, stalled": stalled,
    "pareto": lambda random, count: 5e4 * (1 + random.pareto(1.5, count)),
}


def recorded(samples: Samples) -> Cell:
    timeline = Timeline("parallel")
    timeline.begin("measure", STAGE_NS, 0.0)
    recorder = Recorder(timeline)
    for start in range(0, len(samples), BATCH):
        batch = samples[start : start + BATCH]
        recorder.operations("produce", STAGE_NS, STAGE_NS + batch, 1)
    return recorder.cells()["measure", "produce"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_ten_million_samples_give_the_exact_percentiles_to_a_thousandth(tmp_path: Path, name: str) -> None:
    drawn = DISTRIBUTIONS[name](np.random.default_rng(23), SAMPLES)
    samples = np.clip(drawn, 1000, 3600e9).astype(np.int64)
    cell = recorded(samples)
    latencies, case_id = cell.latencies, "c"
    row = {"case_id": case_id, "metric": "produce"}
    bins = [{**row, "value_ns": midpoint(i), "operations": n} for i, n in latencies.bins.items()]
    totals = {"operations": latencies.count, "sum_ns": latencies.sum_ns}
    bucket = Bucket(tmp_path)
    bucket.put("cases", [case(case_id)])
    bucket.put("latencies", bins)
    bucket.put("totals", [{**row, **totals, "min_ns": latencies.min_ns, "max_ns": latencies.max_ns}])
    (answer,) = bucket.ask("latency_percentiles")

    # nearest rank p x n, a whole number here: counted from one
    ranks = {figure: SAMPLES * permille // 1000 - 1 for figure, permille in PERMILLE.items()}
    exact = np.partition(samples, list(ranks.values()))
    for figure, rank in ranks.items():
        assert answer[figure] == pytest.approx(int(exact[rank]) / 1e6, rel=1e-3), figure
    assert answer["operations"] == cell.total().operations == SAMPLES
    assert (answer["min_ms"], answer["max_ms"]) == (int(samples.min()) / 1e6, int(samples.max()) / 1e6)
    # a tenth of them could not overflow, all of them could
    assert latencies.sum_ns == sum(int(part.sum()) for part in np.split(samples, 10))
    assert answer["mean_ms"] == pytest.approx(latencies.sum_ns / SAMPLES / 1e6, rel=1e-15)
