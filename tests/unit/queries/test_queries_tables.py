"""Throughput, rate over time, ledger and cases, on rows written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.results import schemas
from tests.support.money.query_tables import Bucket, case

LEDGER = {
    "sent": 100,
    "confirmed": 90,
    "returned": 4,
    "nacked": 1,
    "unknown": 5,
    "received": 93,
    "missing": 5,
    "left_in_queue": 2,
    "lost": 0,
    "duplicates": 3,
    "redelivered": 6,
    "out_of_order": 1,
    "unexpected": 0,
    "closed": False,
}


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    return Bucket(tmp_path)


def test_throughput_is_completions_over_the_stage(bucket: Bucket) -> None:
    bucket.put("cases", [case("a"), case("b", target="rabbitmq-mirrored-pair", provenance="measured")])
    produce = {"metric": "produce", "operations": 1010, "starved": 2}
    bucket.put(
        "totals",
        [
            {"case_id": "b", **produce, "completed": 1000, "bytes": 3_000_000, "stage_s": 1.5},
            {"case_id": "a", **produce, "completed": 0, "bytes": 0, "stage_s": 0.0},
            {"case_id": "a", "metric": "consume", "completed": 7},
        ],
    )
    bucket.put("totals", [{"case_id": "z", **produce}], run_id="another")
    rows = bucket.ask("throughput")
    assert [(r["case_id"], r["metric"], r["msg_per_s"], r["mb_per_s"]) for r in rows] == [
        ("a", "consume", None, None),
        ("a", "produce", None, None),
        ("b", "produce", pytest.approx(1000 / 1.5), pytest.approx(2.0)),
    ]
    origin = {c: rows[2][c] for c in ("target", "provenance", "environment", "operations", "starved")}
    assert origin == {
        "target": "rabbitmq-mirrored-pair",
        "provenance": "measured",
        "environment": "local",
        "operations": 1010,
        "starved": 2,
    }


def test_rate_over_time_adds_loaders_and_shows_stalls(bucket: Bucket) -> None:
    bucket.put("cases", [case("a")])
    window = {"case_id": "a", "metric": "produce", "stage": "measure"}
    bucket.put(
        "windows",
        [
            {**window, "loader": 0, "second": 0, "operations": 10},
            {**window, "loader": 1, "second": 0, "operations": 5},
            {**window, "loader": 0, "second": 3, "operations": 1},
            {**window, "loader": 0, "second": 0, "operations": 2, "stage": "warmup"},
            {**window, "loader": 0, "second": 5, "operations": 9, "metric": "consume"},
        ],
    )
    rows = [(r["metric"], r["stage"], r["second"], r["msg_per_s"]) for r in bucket.ask("rate_over_time")]
    consume = [("consume", "measure", second, 0.0) for second in range(5)] + [("consume", "measure", 5, 9.0)]
    produce = [("produce", "measure", s, float(n)) for s, n in enumerate([15, 0, 0, 1, 0, 0])]
    assert rows == [*consume, *produce, ("produce", "warmup", 0, 2.0)]


@pytest.mark.parametrize("last", [0, 998, 999, 1000, 1001, 25_000])
def test_rate_over_time_of_long_stages(bucket: Bucket, last: int) -> None:
    bucket.put("cases", [case("a")])
    window = {"case_id": "a", "metric": "produce", "stage": "load", "operations": 1, "loader": 0}
    bucket.put("windows", [{**window, "second": last}])
    rows = bucket.ask("rate_over_time")
    assert [r["second"] for r in rows] == list(range(last + 1))
    assert [r["second"] for r in rows if r["msg_per_s"] == 1.0] == [last]


def test_ledger_whose_terms_add_up(bucket: Bucket) -> None:
    bucket.put("cases", [case("a")])
    bucket.put("ledgers", [{"case_id": "a", **LEDGER}])
    (row,) = bucket.ask("ledger")
    assert {column: row[column] for column in LEDGER} == LEDGER
    assert (row["outcomes_add_up"], row["deliveries_add_up"]) == (True, True)


@pytest.mark.parametrize("term", ["sent", "confirmed", "returned", "nacked", "unknown"])
@pytest.mark.parametrize("value", [1_000, None])
def test_outcomes_that_do_not_add_up(bucket: Bucket, term: str, value: int | None) -> None:
    bucket.put("ledgers", [{"case_id": "a", **LEDGER, term: value}])
    (row,) = bucket.ask("ledger")
    assert row["outcomes_add_up"] is False
    assert row["deliveries_add_up"] is (term != "sent")


@pytest.mark.parametrize("term", ["received", "missing", "left_in_queue"])
@pytest.mark.parametrize("value", [1_000, None])
def test_deliveries_that_do_not_add_up(bucket: Bucket, term: str, value: int | None) -> None:
    bucket.put("ledgers", [{"case_id": "a", **LEDGER, term: value}])
    (row,) = bucket.ask("ledger")
    assert (row["outcomes_add_up"], row["deliveries_add_up"]) == (True, False)


def test_a_ledger_that_a_loader_did_not_finish_keeps_its_null(bucket: Bucket) -> None:
    bucket.put("cases", [case("a")])
    bucket.put("ledgers", [{"case_id": "a", **LEDGER, "lost": None}])
    (row,) = bucket.ask("ledger")
    assert row["lost"] is None


def test_cases_are_the_rows_of_the_run_in_order(bucket: Bucket) -> None:
    failed = case("b", status="failed", reason="loader 1 ended", repeat=1, message_bytes=16, produce_s=None)
    bucket.put("cases", [failed])
    bucket.put("cases", [case("a", repeat=2, produce_s=3.0, flags='["shared_host"]')], name="second")
    bucket.put("cases", [case("c")], run_id="another")
    rows = bucket.ask("cases")
    assert list(rows[0]) == list(schemas.CASES.columns)
    assert [(r["case_id"], r["status"], r["reason"]) for r in rows] == [
        ("a", "ok", None),
        ("b", "failed", "loader 1 ended"),
    ]
    assert (rows[0]["flags"], rows[0]["produce_s"], rows[1]["message_bytes"]) == ('["shared_host"]', 3.0, 16)


def test_latency_over_time_is_the_mean_and_the_longest_of_all_loaders(bucket: Bucket) -> None:
    bucket.put("cases", [case("a")])
    window = {"case_id": "a", "metric": "produce", "stage": "measure"}
    bucket.put(
        "windows",
        [
            {**window, "loader": 0, "second": 0, "operations": 3, "sum_ns": 3_000_000, "max_ns": 2_000_000},
            {**window, "loader": 1, "second": 0, "operations": 1, "sum_ns": 9_000_000, "max_ns": 9_000_000},
            {**window, "loader": 0, "second": 2, "operations": 1},
        ],
    )
    rows = [(row["second"], row["mean_ms"], row["max_ms"]) for row in bucket.ask("rate_over_time")]
    assert rows == [(0, 3.0, 9.0), (1, None, None), (2, None, None)]
