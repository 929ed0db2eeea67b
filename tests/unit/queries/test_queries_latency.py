"""``latency_percentiles.sql`` against the samples themselves."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from breakeven.loadgen.record.histogram import Histogram, bin_of, midpoint
from tests.support.money.query_tables import Bucket, case

PERCENTILES = {"p50": 500, "p90": 900, "p95": 950, "p99": 990, "p999": 999}


def put(bucket: Bucket, cases: dict[str, list[int]], *, parts: int = 1) -> None:
    """Samples in nanoseconds, as histograms merged or (``parts``) not."""
    totals, latencies = [], [[] for _ in range(parts)]
    for case_id, samples in cases.items():
        whole = Histogram()
        for part in range(parts):
            histogram = Histogram()
            for sample in samples[part::parts]:
                histogram.add(sample)
            whole.merge(histogram)
            latencies[part] += [
                {"case_id": case_id, "metric": "produce", "value_ns": midpoint(index), "operations": count}
                for index, count in histogram.bins.items()
            ]
        totals.append(
            {
                "case_id": case_id,
                "metric": "produce",
                "operations": whole.count,
                "sum_ns": whole.sum_ns,
                "min_ns": whole.min_ns,
                "max_ns": whole.max_ns,
                "skipped": 3,
            }
        )
    bucket.put("cases", [case(case_id) for case_id in cases])
    bucket.put("totals", totals)
    for part, rows in enumerate(latencies):
        bucket.put("latencies", rows, name=f"part-{part}")


def nearest_rank(samples: list[int], permille: int) -> int | None:
    """The sample of rank ceil(p n); None unless 10 lie beyond it."""
    rank = ceil(Fraction(len(samples) * permille, 1000))
    return sorted(samples)[rank - 1] if len(samples) - rank >= 10 else None


def check(row: dict[str, Any], samples: list[int]) -> None:
    assert row["operations"] == len(samples)
    assert row["min_ms"] == min(samples) / 1e6
    assert row["max_ms"] == max(samples) / 1e6
    assert row["mean_ms"] == pytest.approx(float(np.mean(samples)) / 1e6, rel=1e-12)
    low, high = min(samples), max(samples)
    binned = [min(max(midpoint(bin_of(sample)), low), high) for sample in samples]
    for name, permille in PERCENTILES.items():
        expected, true = nearest_rank(binned, permille), nearest_rank(samples, permille)
        if true is None or expected is None:
            assert row[f"{name}_ms"] is None
            continue
        assert row[f"{name}_ms"] == expected / 1e6
        assert row[f"{name}_ms"] == pytest.approx(true / 1e6, rel=1e-3)


@pytest.mark.parametrize("parts", [1, 3])
def test_percentiles_of_random_samples(tmp_path: Path, parts: int) -> None:
    random = np.random.default_rng(7)
    cases = {
        "lognormal": random.lognormal(14, 1.5, 20_000),
        "uniform": random.uniform(500, 4000, 1_009),
        "heavy": 1e6 * (1 + random.pareto(1.1, 9_999)),
        "constant": np.full(400, 1_234_567),
        "two": np.repeat([1_000_003, 900_000_001], [990, 10]),
    }
    samples = {name: [int(v) for v in values] for name, values in cases.items()}
    bucket = Bucket(tmp_path)
    put(bucket, samples, parts=parts)
    rows = {row["case_id"]: row for row in bucket.ask("latency_percentiles")}
    assert set(rows) == set(samples)
    for name, values in samples.items():
        check(rows[name], values)


@settings(max_examples=15, deadline=None)
@given(
    groups=st.lists(
        st.lists(st.integers(1, 10**13) | st.integers(2040, 2060), min_size=1, max_size=120),
        min_size=1,
        max_size=20,
    )
)
def test_percentiles_of_any_samples(
    tmp_path_factory: pytest.TempPathFactory, groups: list[list[int]]
) -> None:
    cases = {f"c{n}": [min(v, 4 * 10**12) for v in samples] for n, samples in enumerate(groups)}
    bucket = Bucket(tmp_path_factory.mktemp("rows"))
    put(bucket, cases)
    rows = bucket.ask("latency_percentiles")
    assert {row["case_id"] for row in rows} == cases.keys()
    for row in rows:
        check(row, cases[row["case_id"]])


def test_ranks_agree_with_numpy(tmp_path: Path) -> None:
    """Whole values below 2048 ns have bins of their own, so that the answer is the sample."""
    random = np.random.default_rng(3)
    cases = {f"n{n}": random.integers(1, 2047, n) for n in (20, 99, 100, 101, 200, 1000, 1001, 9_990, 10_010)}
    bucket = Bucket(tmp_path)
    put(bucket, {name: [int(v) for v in values] for name, values in cases.items()})
    rows = bucket.ask("latency_percentiles")
    assert {row["case_id"] for row in rows} == cases.keys()
    for row in rows:
        values = cases[row["case_id"]]
        for name, permille in PERCENTILES.items():
            if row[f"{name}_ms"] is not None:
                expected = np.percentile(values, permille / 10, method="inverted_cdf")
                assert row[f"{name}_ms"] == expected / 1e6, (row["case_id"], name)


@pytest.mark.parametrize(
    ("count", "printed"),
    [
        (19, set()),
        (20, {"p50"}),
        (99, {"p50"}),
        (100, {"p50", "p90"}),
        (199, {"p50", "p90"}),
        (200, {"p50", "p90", "p95"}),
        (999, {"p50", "p90", "p95"}),
        (1000, {"p50", "p90", "p95", "p99"}),
        (9999, {"p50", "p90", "p95", "p99"}),
        (10000, {"p50", "p90", "p95", "p99", "p999"}),
    ],
)
def test_a_percentile_needs_ten_samples_beyond_it(tmp_path: Path, count: int, printed: set[str]) -> None:
    bucket = Bucket(tmp_path)
    put(bucket, {"c": [1_000_000 + n for n in range(count)]})
    (row,) = bucket.ask("latency_percentiles")
    assert {name for name in PERCENTILES if row[f"{name}_ms"] is not None} == printed


def test_a_bin_is_held_between_the_exact_least_and_greatest(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path)
    low = [1_000_000_000] * 100
    high = [1_048_575_999] * 100
    put(bucket, {"low": low, "high": high})
    rows = {row["case_id"]: row for row in bucket.ask("latency_percentiles")}
    assert (rows["low"]["p50_ms"], rows["high"]["p90_ms"]) == (1000.0, 1048.575999)


def test_a_metric_without_samples_is_a_row_of_nulls(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path)
    bucket.put("cases", [case("a")])
    bucket.put("totals", [{"case_id": "a", "metric": "consume", "operations": 0, "sum_ns": 0, "skipped": 5}])
    (row,) = bucket.ask("latency_percentiles")
    assert row["operations"] == 0
    assert row["skipped"] == 5
    assert {row[c] for c in row if c.endswith("_ms")} == {None}


def test_metrics_and_cases_are_kept_apart_and_carry_their_origin(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path)
    put(bucket, {"a": [5_000_000] * 20, "b": [7_000_000] * 20})
    bucket.put("totals", [{"case_id": "a", "metric": "settle", "operations": 0}], name="settle")
    bucket.put("cases", [case("a", provenance="measured", target="rabbitmq-mirrored-pair")], name="a")
    bucket.put("cases", [case("b")], name="part")
    rows = bucket.ask("latency_percentiles")
    assert [(r["case_id"], r["metric"], r["p50_ms"], r["provenance"]) for r in rows] == [
        ("a", "produce", 5.0, "measured"),
        ("a", "settle", None, "measured"),
        ("b", "produce", 7.0, "emulated"),
    ]


def test_what_a_source_published_is_no_bin_and_stands_only_where_there_are_none(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path)
    samples = list(range(1_000_000, 3_000_000, 1_000))
    put(bucket, {"measured": samples})
    before = bucket.ask("latency_percentiles")
    named = {f"{name}_ms": number for number, name in enumerate(("mean", *PERCENTILES), start=1)}
    rows = [
        {
            "case_id": case_id,
            "metric": "produce",
            "value_ns": number * 10**6,
            "statistic": name.removesuffix("_ms"),
        }
        for case_id in ("measured", "told")
        for name, number in named.items()
    ]
    bucket.put("latencies", rows, name="statistics")
    reported = {"case_id": "told", "metric": "produce", "min_ns": 500_000, "max_ns": 7_500_000}
    bucket.put("totals", [reported], name="told")
    bucket.put("cases", [case("told", provenance="published", environment="elsewhere")], name="told")
    after = {row["case_id"]: row for row in bucket.ask("latency_percentiles")}
    assert [after["measured"]] == before
    assert before[0]["p999_ms"] is None, "it needs ten thousand samples, and no statistic stands in for them"
    assert {name: after["told"][name] for name in named} == named
    assert (after["told"]["min_ms"], after["told"]["max_ms"]) == (0.5, 7.5)
    assert (after["told"]["operations"], after["told"]["provenance"]) == (None, "published")
