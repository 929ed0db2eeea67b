"""``repeats.sql`` against statistics worked out anew."""

from __future__ import annotations

import random
import re
from pathlib import Path
from statistics import NormalDist, fmean
from typing import Any

import pytest

from breakeven.results.queries import query as text_of
from tests.support.money.query_tables import Bucket, case
from tests.support.money.repeated_cases import RABBITMQ, SQS, TABLED, interval, put, quantile, rounded

FIGURES = ["mean_ms", "msg_per_s", "p50_ms", "p95_ms"]
STATISTICS = ("mean", "least", "greatest", "spread", "interval_low", "interval_high")


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    return Bucket(tmp_path)


def rates(bucket: Bucket) -> dict[tuple[str, str], dict[str, Any]]:
    """(cell, target) -> the row of its produce rate."""
    found = bucket.ask("repeats")
    return {
        (row["cell"], row["target"]): row
        for row in found
        if (row["metric"], row["figure"]) == ("produce", "msg_per_s")
    }


def statistics(row: dict[str, Any]) -> list[Any]:
    return [row[name] for name in STATISTICS]


def tabled(query: str) -> dict[int, float]:
    """The quantiles as they stand in the file."""
    text = text_of(query)
    return {int(df): float(t) for df, t in re.findall(r"\((\d+), (\d+\.\d{3})E0\)", text)}


@pytest.mark.parametrize("query", ["repeats", "comparison"])
def test_the_quantiles_are_students(query: str) -> None:
    found = tabled(query)
    assert list(found) == [*range(1, 31), 40, 60, 100]
    for df, t in found.items():
        assert t == pytest.approx(quantile(df), abs=0.000_51), df
    assert min(found.values()) > NormalDist().inv_cdf(0.975), "never narrower than the limit"


@pytest.mark.parametrize("seed", range(3))
def test_random_repeats(bucket: Bucket, seed: int) -> None:
    dice = random.Random(seed)
    drawn = {
        (f"c{cell}", target): rounded(
            [dice.lognormvariate(6, dice.choice([0.01, 0.2])) for _ in range(dice.randint(2, 31))]
        )
        for cell in range(40)
        for target in (SQS, RABBITMQ)
    }
    put(bucket, drawn)
    found = rates(bucket)
    assert set(found) == set(drawn)
    for key, values in drawn.items():
        row, (low, high) = found[key], interval(values)
        mean = fmean(values)
        assert row["repeats"] == len(values)
        assert row["mean"] == pytest.approx(mean, rel=1e-12)
        assert (row["least"], row["greatest"]) == (min(values), max(values))
        assert row["spread"] == pytest.approx((max(values) - min(values)) / mean, rel=1e-12)
        assert row["interval_low"] == pytest.approx(low, abs=TABLED * (high - low))
        assert row["interval_high"] == pytest.approx(high, abs=TABLED * (high - low))
        assert row["spread_over_10_percent"] == ((max(values) - min(values)) / mean > 0.1)


def test_the_interval_of_two_repeats_is_wide_and_not_below_zero(bucket: Bucket) -> None:
    put(bucket, {("narrow", SQS): [100, 102], ("wide", SQS): [100, 200]})
    found = rates(bucket)
    assert statistics(found["narrow", SQS]) == pytest.approx(
        [101, 100, 102, 2 / 101, 101 - 12.706, 101 + 12.706]
    )
    assert statistics(found["wide", SQS]) == pytest.approx([150, 100, 200, 100 / 150, 0, 150 + 12.706 * 50])


def test_a_single_repeat_has_no_interval(bucket: Bucket) -> None:
    put(bucket, {("c", SQS): [123.5]})
    row = rates(bucket)["c", SQS]
    assert row["repeats"] == 1
    assert statistics(row) == [123.5, 123.5, 123.5, None, None, None]
    assert row["spread_over_10_percent"] is False


@pytest.mark.parametrize("rate", [100.1, 0.0])
def test_equal_repeats_have_an_interval_without_width(bucket: Bucket, rate: float) -> None:
    put(bucket, {("c", SQS): [rate] * 3})
    row = rates(bucket)["c", SQS]
    spread = 0.0 if rate else None  # of nothing there is no share
    assert statistics(row) == [pytest.approx(rate), rate, rate, spread, *[pytest.approx(rate)] * 2]
    assert row["spread_over_10_percent"] is False


@pytest.mark.parametrize(("greatest", "flagged"), [(105, False), (105.1, True)])
def test_a_spread_over_ten_percent_is_flagged(bucket: Bucket, greatest: float, flagged: bool) -> None:
    put(bucket, {("c", SQS): [200 - greatest, 100, greatest]})
    assert rates(bucket)["c", SQS]["spread_over_10_percent"] is flagged


def test_more_repeats_than_are_tabled_take_the_next_lower_degrees(bucket: Bucket) -> None:
    dice = random.Random(1)
    counts = {31: 30, 32: 30, 40: 30, 41: 40, 60: 40, 61: 60, 100: 60}
    drawn = {(f"n{n}", SQS): rounded([dice.uniform(90, 110) for _ in range(n)]) for n in counts}
    put(bucket, drawn)
    found = rates(bucket)
    assert found.keys() == drawn.keys()
    for (cell, _), row in found.items():
        values, n = drawn[cell, SQS], int(cell[1:])
        low, high = interval(values)
        width = (high - low) * quantile(counts[n]) / quantile(n - 1)
        assert row["interval_high"] - row["interval_low"] == pytest.approx(width, rel=2 * TABLED)


def test_failed_repeats_are_left_out(bucket: Bucket) -> None:
    put(bucket, {("c", SQS): [100, 110]})
    failed = {
        "scenario": "s",
        "cell": "c",
        "producers": 1,
        "status": "failed",
        "flags": '["loader_saturated"]',
    }
    bucket.put("cases", [case("f", **failed)], name="failed")
    bucket.put(
        "totals", [{"case_id": "f", "metric": "produce", "completed": 9, "stage_s": 1.0}], name="failed"
    )
    row = rates(bucket)["c", SQS]
    assert (row["repeats"], row["mean"], row["loader_saturated"]) == (2, 105, False)


def test_a_cell_of_which_every_repeat_failed_is_a_row_of_nulls(bucket: Bucket) -> None:
    failed = {"scenario": "s", "cell": "c", "producers": 1, "consumers": 2, "status": "failed"}
    bucket.put("cases", [case("a", **failed), case("b", **failed)])
    rows = bucket.ask("repeats")
    assert [(row["metric"], row["figure"]) for row in rows] == [
        (metric, figure) for metric in ("consume", "produce") for figure in FIGURES
    ]
    for row in rows:
        assert (row["repeats"], row["provenance"]) == (0, "emulated")
        assert statistics(row) == [None] * 6


def test_a_figure_that_one_repeat_lacks_is_not_told_of_the_others(bucket: Bucket) -> None:
    put(bucket, {("c", SQS): [100, 110]})
    third = {"scenario": "s", "cell": "c", "producers": 1, "flags": '["loader_saturated"]'}
    bucket.put("cases", [case("x", **third)], name="x")
    row = rates(bucket)["c", SQS]
    assert (row["repeats"], row["loader_saturated"]) == (3, True)
    assert statistics(row) == [None] * 6


def test_percentiles_are_those_of_each_repeat_and_are_not_averaged(bucket: Bucket) -> None:
    dice = random.Random(5)
    put(bucket, {("c", SQS): [1.0, 1.0, 1.0], ("few", SQS): [0.15, 1.0]})
    for cell, sizes in {"c": (1000, 1000, 1000), "few": (150, 1000)}.items():
        for number, size in enumerate(sizes, start=1):
            bins = [
                {
                    "case_id": f"s.{cell}.{SQS}.r{number}",
                    "metric": "produce",
                    "value_ns": value,
                    "operations": 1,
                }
                for value in {dice.randrange(10**6, 10**9) for _ in range(size)}
            ]
            bucket.put("latencies", bins, name=f"{cell}{number}")
    each = bucket.ask("latency_percentiles")
    rows = {(row["cell"], row["figure"]): row for row in bucket.ask("repeats")}
    for figure in ("p50_ms", "p95_ms"):
        values = [row[figure] for row in each if row["case_id"].startswith("s.c.")]
        row = rows["c", figure]
        assert len(set(values)) == 3
        assert statistics(row) == [None, min(values), max(values), None, None, None]
    assert rows["few", "p50_ms"]["least"] is not None
    assert statistics(rows["few", "p95_ms"]) == [None] * 6, "150 samples give no p95"
    assert statistics(rows["c", "mean_ms"]) == [2.0, 2.0, 2.0, 0.0, 2.0, 2.0]


def test_time_in_the_queue_of_a_load_unload_case_has_no_row(bucket: Bucket) -> None:
    put(bucket, {("c", SQS): [100, 110]}, metric="end_to_end", mode="load-unload", producers=0)
    assert bucket.ask("repeats") == []
    put(bucket, {("c", SQS): [100, 110]}, metric="end_to_end", producers=0)
    assert [row["figure"] for row in bucket.ask("repeats")] == FIGURES


def test_emulated_once_is_emulated(bucket: Bucket) -> None:
    put(bucket, {("c", RABBITMQ): [100, 110]})
    stand_in = {"scenario": "s", "cell": "c", "producers": 1, "target": RABBITMQ}
    bucket.put("cases", [case("x", **stand_in)], name="x")
    row = rates(bucket)["c", RABBITMQ]
    assert (row["provenance"], row["environment"], row["repeats"]) == ("emulated", "local", 3)


@pytest.mark.parametrize("repeats", [2, 3, 5])
def test_the_interval_holds_the_true_mean_nineteen_times_in_twenty(bucket: Bucket, repeats: int) -> None:
    dice, cells = random.Random(repeats), 2000
    put(bucket, {(f"c{n}", SQS): [dice.gauss(1000, 10) for _ in range(repeats)] for n in range(cells)})
    rows = rates(bucket).values()
    held = sum(row["interval_low"] <= 1000 <= row["interval_high"] for row in rows)
    assert 0.935 < held / cells < 0.965
