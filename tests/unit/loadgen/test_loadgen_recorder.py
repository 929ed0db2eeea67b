"""Histograms against exact percentiles, and what is attributed to which stage and second."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from breakeven.loadgen.record.cell import Cell, Window
from breakeven.loadgen.record.histogram import MAX_NS, Histogram, bin_of, midpoint
from breakeven.loadgen.record.recorder import Recorder
from breakeven.loadgen.stages import Timeline

HOUR_NS = 3600 * 10**9
SECOND_NS = 10**9
CELL = TypeAdapter(Cell)
latencies = st.lists(st.integers(min_value=0, max_value=HOUR_NS), max_size=200)


def filled(values: list[int]) -> Histogram:
    histogram = Histogram()
    for value in values:
        histogram.add(value)
    return histogram


def nearest_rank(histogram: Histogram, share: float) -> int:
    """As the reports do it in SQL: the bin in which the rank falls."""
    rank, seen = math.ceil(share * histogram.count), 0
    for index, count in sorted(histogram.bins.items()):
        seen += count
        if seen >= rank:
            return midpoint(index)
    raise AssertionError("empty")


@given(st.integers(min_value=1000, max_value=HOUR_NS))
@settings(max_examples=500)
def test_a_bin_tells_a_latency_to_a_thousandth(value: int) -> None:
    assert abs(midpoint(bin_of(value)) - value) <= value / 1000


@given(st.integers(min_value=0, max_value=MAX_NS - 1))
def test_bins_are_in_order_without_a_hole(value: int) -> None:
    assert bin_of(value + 1) - bin_of(value) in (0, 1)
    assert bin_of(midpoint(bin_of(value))) == bin_of(value)


def test_short_latencies_are_exact() -> None:
    assert [midpoint(bin_of(value)) for value in (0, 1, 2047)] == [0, 1, 2047]


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.lognormal(14, 1, 50_000),
        lambda rng: rng.exponential(2e6, 50_000) + 1000,
        lambda rng: rng.uniform(1e3, 1e10, 50_000),
        lambda rng: np.concatenate([rng.normal(1e6, 1e4, 45_000), rng.normal(3e9, 1e7, 5_000)]),
    ],
    ids=["lognormal", "exponential", "uniform", "two peaks"],
)
@pytest.mark.parametrize("share", [0.5, 0.9, 0.95, 0.99, 0.999])
def test_percentiles_are_within_a_thousandth_of_the_exact_ones(draw, share: float) -> None:
    values = np.sort(np.maximum(draw(np.random.default_rng(7)), 1000).astype(np.int64))
    exact = int(values[math.ceil(share * len(values)) - 1])
    assert nearest_rank(filled(values.tolist()), share) == pytest.approx(exact, rel=1e-3)


@given(latencies, latencies, latencies)
def test_merging_adds_counts_in_any_order(a: list[int], b: list[int], c: list[int]) -> None:
    left, right = filled(a), filled(b)
    left.merge(filled(b))
    left.merge(filled(c))
    right.merge(filled(c))
    right.merge(filled(a))
    assert left.to_json() == right.to_json() == filled(a + b + c).to_json()


@given(latencies)
def test_count_sum_minimum_and_maximum_are_exact(values: list[int]) -> None:
    histogram = filled(values)
    assert (histogram.count, histogram.sum_ns) == (len(values), sum(values))
    assert histogram.min_ns == (min(values) if values else None)
    assert histogram.max_ns == (max(values) if values else None)


@given(latencies)
def test_json_gives_the_same_histogram_back(values: list[int]) -> None:
    histogram = filled(values)
    again = Histogram.from_json(json.loads(json.dumps(histogram.to_json())))
    assert again.to_json() == histogram.to_json()
    assert again.count == histogram.count


def test_longer_than_the_last_bin_is_counted_in_it_with_its_true_maximum() -> None:
    histogram = filled([MAX_NS + 12345])
    assert histogram.bins == {bin_of(MAX_NS): 1}
    assert histogram.max_ns == histogram.sum_ns == MAX_NS + 12345


def test_a_negative_latency_is_refused() -> None:
    with pytest.raises(ValueError, match="-1 ns"):
        filled([-1])


def parallel_timeline() -> Timeline:
    """Warm-up from 0 s, measured stage from 10 s, drain from 20 s."""
    timeline = Timeline("parallel")
    for name, start_s in {"warmup": 0, "measure": 10, "drain": 20}.items():
        timeline.begin(name, start_s * SECOND_NS, float(start_s))
    return timeline


def at(seconds: float) -> int:
    return round(seconds * SECOND_NS)


def test_latency_goes_by_the_intended_start_and_completion_by_the_end() -> None:
    recorder = Recorder(parallel_timeline())
    recorder.operation("produce", at(9.5), at(10.5), 100)  # intended in the warm-up, completed in the stage
    recorder.operation("produce", at(12.0), at(12.1), 100)
    recorder.operation("produce", at(19.5), at(20.5), 100)  # intended in the stage, completed in the drain
    cells = recorder.cells()
    measured = cells["measure", "produce"]
    assert measured.latencies.count == 2
    assert measured.latencies.max_ns == at(1.0)
    assert measured.windows == {
        0: Window(1, 100, last_ns=at(0.5), sum_ns=at(1), max_ns=at(1)),
        2: Window(1, 100, last_ns=at(2.1), sum_ns=at(12.1) - at(12), max_ns=at(12.1) - at(12)),
    }
    drained = Window(1, 100, last_ns=at(0.5), sum_ns=at(1), max_ns=at(1))
    assert cells["drain", "produce"].windows == {0: drained}
    assert cells["drain", "produce"].latencies.count == 0


def test_a_stages_end_belongs_to_the_next_stage() -> None:
    recorder = Recorder(parallel_timeline())
    recorder.operation("produce", at(20.0) - 5, at(20.0), 1)
    assert recorder.cells()["measure", "produce"].windows == {}
    assert recorder.cells()["drain", "produce"].total().operations == 1


def test_only_measured_stages_keep_latencies() -> None:
    timeline = Timeline("load-unload")
    timeline.begin("load", 0, 0.0)
    timeline.begin("unload", at(10), 10.0)
    recorder = Recorder(timeline)
    recorder.operation("produce", at(1), at(2), 1)
    recorder.operation("consume", at(11), at(12), 1)
    recorder.operation("end_to_end", at(1), at(12), 1)
    counts = {key: cell.latencies.count for key, cell in recorder.cells().items()}
    assert counts == {("load", "produce"): 1, ("unload", "consume"): 1, ("unload", "end_to_end"): 0}


@pytest.mark.parametrize("count", [1, 5, 40], ids=["one", "a list", "an array"])
@pytest.mark.parametrize(
    ("metric", "received_s", "at_least"),
    [
        ("end_to_end", 19.9, False),
        ("end_to_end", 20.2, False),
        ("end_to_end", 20.3, True),
        ("produce", 20.3, False),
    ],
)
def test_what_is_received_once_producers_help_with_the_drain_took_at_least_that(
    metric: str, received_s: float, at_least: bool, count: int
) -> None:
    recorder = Recorder(parallel_timeline())
    sent_ns = [at(11) + number for number in range(count)]
    recorder.operations(metric, sent_ns, [at(received_s)] * count, 64)
    cell = recorder.cells()["measure", metric]
    assert (cell.latencies.count, cell.unfinished) == (count, count * at_least)


def test_starved_asks_errors_and_skips_are_kept_apart_from_operations() -> None:
    recorder = Recorder(parallel_timeline())
    recorder.starved("consume", at(11.5))
    recorder.error("consume", at(11.6), "connection_lost")
    recorder.skip("end_to_end", at(11.7))
    recorder.completions("consume", at(11.8), 1, 50)
    cell = recorder.cells()["measure", "consume"]
    assert cell.windows == {1: Window(operations=1, size=50, starved=1, errors=1, last_ns=at(1.8))}
    assert cell.latencies.count == 0
    assert recorder.cells()["measure", "end_to_end"].skipped == 1
    assert [(found.kind, found.count) for found in recorder.errors()] == [("connection_lost", 1)]


def test_nothing_is_recorded_before_the_first_stage_but_errors_are_counted() -> None:
    timeline = Timeline("parallel")
    timeline.begin("measure", at(10), 10.0)
    recorder = Recorder(timeline)
    recorder.operation("produce", at(1), at(2), 1)
    recorder.starved("consume", at(3))
    recorder.skip("end_to_end", at(3))
    recorder.error("produce", at(3), "connection_lost")
    assert recorder.cells() == {}
    assert [(found.kind, found.count) for found in recorder.errors()] == [("connection_lost", 1)]


def test_a_copy_of_the_cells_does_not_change_with_the_recorder() -> None:
    recorder = Recorder(parallel_timeline())
    recorder.operation("produce", at(11), at(12), 1)
    before = recorder.cells()
    recorder.operation("produce", at(11), at(12), 1)
    assert before["measure", "produce"].total().operations == 1
    assert before["measure", "produce"].latencies.count == 1


def test_cells_survive_json() -> None:
    recorder = Recorder(parallel_timeline())
    recorder.operation("consume", at(11), at(12.5), 64)
    recorder.starved("consume", at(13))
    cell = recorder.cells()["measure", "consume"]
    again = CELL.validate_json(CELL.dump_json(cell))
    assert CELL.dump_python(again) == CELL.dump_python(cell)
    assert again.windows == cell.windows
