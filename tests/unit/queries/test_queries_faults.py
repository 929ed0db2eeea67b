"""What faults did to the rates of their cases, on rows and answers worked out by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.money.query_tables import Bucket, case

START_S = 1_780_000_000.4
STAGE_S = 40


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    found = Bucket(tmp_path)
    origin = {"target": "rabbitmq-quorum-trio", "provenance": "measured"}
    found.put("cases", [case("a", produce_s=STAGE_S, consume_s=STAGE_S, **origin)])
    return found


def window(metric: str, second: int, operations: int, **values: Any) -> dict[str, Any]:
    return {
        **{"case_id": "a", "loader": 0, "stage": "measure", "metric": metric, "second": second},
        **{"operations": operations, "errors": 0, "stage_started_s": START_S, **values},
    }


def rates(metric: str, usual: int, changed: Mapping[int, int], length: int = STAGE_S) -> list[dict[str, Any]]:
    return [window(metric, second, changed.get(second, usual)) for second in range(length)]


def fault(done_s: float | None = 20.3, back_s: float | None = None, **values: Any) -> dict[str, Any]:
    """A kill of a leader's node, due 0.3 s before it was done."""
    due_s = values.get("due_s", 20.0 if done_s is None else round(done_s - 0.3, 3))
    return {
        **{"case_id": "a", "number": 1, "kind": "kill", "aimed_at": "leader", "node": "n1", "for_s": 10.0},
        **{"due_s": due_s, "due_at_s": START_S + due_s, "in_sync": True},
        "done_at_s": None if done_s is None else START_S + done_s,
        "back_at_s": None if back_s is None else START_S + back_s,
        **values,
    }


def depths(found: Mapping[int, int], node: str = "n1") -> list[dict[str, Any]]:
    """Samples that say how many messages waited in a second of the measured stage; none of the others."""
    return [
        {"case_id": "a", "node": node, "second": 0, "at_s": START_S + second + 1, "depth": depth}
        for second, depth in found.items()
    ]


def asked(bucket: Bucket, *faults: dict[str, Any]) -> list[dict[str, Any]]:
    bucket.put("faults", faults)
    return bucket.ask("faults")


def pick(row: Mapping[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


PRODUCED = ("produced_before_per_s", "produced_lowest_per_s", "produce_recovery_s", "produce_unrecovered")
CONSUMED = ("consumed_before_per_s", "consumed_lowest_per_s", "consume_recovery_s", "consume_unrecovered")
LOW = ("produce_low_until_s", "consume_low_until_s")
BACKLOG = ("backlog_before", "backlog_peak", "backlog_drain_s", "backlog_undrained")


def test_what_a_fault_did_from_the_second_in_which_it_was_done_on(bucket: Bucket) -> None:
    # before: seconds 10 to 19, of which 15 had 110 and 16 had 90; 500 a second were long before
    outage = {20: 50, 21: 0, 22: 0, 23: 0, 24: 89, 25: 90, 26: 100, 27: 30, 28: 90, 29: 91}
    produced = rates("produce", 100, {**dict.fromkeys(range(10), 500), 15: 110, 16: 90, **outage})
    consumed = rates("consume", 80, dict.fromkeys((20, 21, 22), 3))
    failed = [window("produce", 5, 0, errors=9), window("produce", 20, 0, errors=3)]
    failed += [window("settle", 21, 0, errors=4), window("produce", 21, 0, stage="drain", errors=50)]
    bucket.put("windows", [*produced, *consumed, *failed])
    samples = {9: 900, 10: 5, 18: 7, 20: 6, 22: 400, 26: 400, 30: 8, 31: 7, 35: 9}
    bucket.put("nodes", [*depths(samples), *depths({18: 6}, "n2")])
    bucket.put("ledgers", [{"case_id": "a", "lost": 0, "missing": 2, "duplicates": 5}])
    (row,) = asked(bucket, fault(back_s=31.5))
    assert pick(row, "target", "provenance", "environment") == ("rabbitmq-quorum-trio", "measured", "local")
    assert pick(row, "number", "kind", "aimed_at", "node", "for_s", "in_sync", "error", "was_done") == (
        *(1, "kill", "leader", "n1"),
        *(10.0, True, None, True),
    )
    assert pick(row, "due_s", "done_s", "back_s", "span_end_s") == pytest.approx((20.0, 20.3, 31.5, 40.0))
    # 28, 29 and 30 are the first three in a row with 90 or more: 25 and 26 are two
    assert pick(row, *PRODUCED) == (100.0, 0.0, pytest.approx(7.7, abs=1e-6), None)
    assert pick(row, *CONSUMED) == (80.0, 3.0, pytest.approx(2.7, abs=1e-6), None)
    assert pick(row, *LOW) == pytest.approx((7.7, 2.7), abs=1e-6)
    # from second 22, the first with 400, to second 31, the first with no more than 7
    assert pick(row, *BACKLOG) == (7, 400, 9.0, None)
    assert pick(row, "errors", "lost", "missing", "duplicates") == (7, 0, 2, 5)


def test_calls_that_met_it_are_as_counted_beside_the_ledger(bucket: Bucket) -> None:
    bucket.put("windows", rates("produce", 100, {}))
    bucket.put("ledgers", [{"case_id": "a", "lost": 0, "missing": 2, "duplicates": 5, "unknown": 3}])
    counts = {"injected_sends": 3, "injected_receives": 0, "injected_deletes": 8, "calls_seen": 90}
    of_calls = {"kind": "reset", "aimed_at": "calls", "node": "fault proxy", "in_sync": None}
    first, second = asked(bucket, fault(**of_calls, **counts), fault(30.3, number=2))
    assert pick(first, *counts, "unknown", "duplicates") == (3, 0, 8, 90, 3, 5)
    assert pick(second, *counts, "unknown") == (None, None, None, None, 3)


def test_a_rate_that_did_not_fall_recovered_at_once(bucket: Bucket) -> None:
    bucket.put("windows", [*rates("produce", 100, {20: 90}), *rates("consume", 100, {33: 0})])
    bucket.put("nodes", depths({19: 7, 25: 7, 26: 3}))
    (row,) = asked(bucket, fault())
    assert pick(row, *PRODUCED) == (100.0, 90.0, 0.0, None)
    assert pick(row, *CONSUMED) == (100.0, 0.0, 0.0, None), "a second long after it is its lowest"
    assert pick(row, *LOW) == (None, pytest.approx(34 - 20.3, abs=1e-6)), "which is told of"
    assert pick(row, *BACKLOG) == (7, 7, 0.0, None)
    assert row["errors"] == 0


@pytest.mark.parametrize(
    ("rate", "recovery_s", "why"),
    [(90, 16.7, None), (89, None, "not before the measured stage ended")],
)
def test_ninety_percent_is_enough_and_less_is_not(
    bucket: Bucket, rate: int, recovery_s: float | None, why: str | None
) -> None:
    fallen = dict.fromkeys(range(20, 37), 10) | dict.fromkeys((37, 38, 39), rate)
    bucket.put("windows", rates("produce", 100, fallen))
    (row,) = asked(bucket, fault())
    recovered = None if recovery_s is None else pytest.approx(recovery_s, abs=1e-6)
    assert pick(row, "produce_recovery_s", "produce_unrecovered") == (recovered, why)
    assert pick(row, *CONSUMED) == (0.0, 0.0, None, "nothing was consumed before it")


def test_only_whole_seconds_of_the_measured_stage_count(bucket: Bucket) -> None:
    """The stage's last second is half a one: 50 messages in it are no fall, and not the third in a row."""
    bucket.put("cases", [case("a", produce_s=25.5, consume_s=25.5)])
    fallen = {20: 0, 21: 0, 22: 0, 25: 50}
    bucket.put("windows", [*rates("produce", 100, fallen, 26), *rates("consume", 100, {25: 5}, 26)])
    (row,) = asked(bucket, fault())
    assert row["span_end_s"] == 25.0
    assert pick(row, *PRODUCED) == (100.0, 0.0, None, "not before the measured stage ended")
    assert row["consumed_lowest_per_s"] == 100.0


def test_a_stage_of_unknown_length_ends_with_what_was_counted(bucket: Bucket) -> None:
    bucket.put("cases", [case("a", status="failed")])
    bucket.put("windows", rates("produce", 100, {30: 1}, 31))
    (row,) = asked(bucket, fault())
    assert pick(row, "span_end_s", "produced_lowest_per_s") == (30.0, 100.0)


def test_a_span_ends_where_the_next_fault_is_due_and_what_is_before_that_one_begins_with_the_node(
    bucket: Bucket,
) -> None:
    # done at 10.2, back at 23.5, and recovered from 25 on; done again at 30.2: before it are seconds 25 to 29
    fallen = dict.fromkeys(range(10, 25), 20) | dict.fromkeys(range(25, 30), 90) | dict.fromkeys((30, 31), 0)
    bucket.put("windows", rates("produce", 100, {**fallen, 23: 90, 32: 81, 33: 81, 34: 81}))
    bucket.put("nodes", depths({9: 1, 12: 50, 29: 70, 31: 90, 33: 70}))
    first, second = asked(
        bucket, fault(10.2, 23.5, due_s=10.0), fault(30.2, 38.0, due_s=29.9, number=2, kind="pause")
    )
    assert pick(first, "number", "span_end_s") == (1, 29.0)
    assert pick(first, *PRODUCED) == (100.0, 20.0, pytest.approx(14.8, abs=1e-6), None)
    assert pick(first, *BACKLOG) == (1, 50, None, "not before the next fault was due")
    assert pick(second, "number", "kind", "span_end_s") == (2, "pause", 40.0)
    assert pick(second, *PRODUCED) == (90.0, 0.0, pytest.approx(1.8, abs=1e-6), None)
    assert pick(second, *BACKLOG) == (70, 90, 2.0, None)


def test_what_is_long_before_a_later_fault_does_not_count(bucket: Bucket) -> None:
    bucket.put("windows", rates("produce", 100, dict.fromkeys(range(5, 20), 500)))
    _, second = asked(bucket, fault(5.0, 6.0, due_s=5.0), fault(30.0, None, due_s=30.0, number=2))
    assert pick(second, *PRODUCED) == (100.0, 100.0, 0.0, None)


def test_where_the_node_before_is_still_away_seconds_since_that_fault_count(bucket: Bucket) -> None:
    bucket.put("windows", rates("produce", 100, {20: 30, **dict.fromkeys(range(21, 40), 95)}))
    _, second = asked(bucket, fault(20.0, 35.0, due_s=19.9), fault(25.0, None, due_s=24.9, number=2))
    assert pick(second, *PRODUCED) == (95.0, 95.0, 0.0, None)
    _, second = asked(bucket, fault(20.0, 35.0, due_s=19.9), fault(22.9, None, due_s=22.8, number=2))
    assert second["produce_unrecovered"] == "fewer than 3 undisturbed seconds were measured before it"


@pytest.mark.parametrize("metric", ["produce", "consume"])
def test_a_rate_that_has_not_recovered_is_none_before_a_later_fault(bucket: Bucket, metric: str) -> None:
    """Neither of those that are published nor of those that are consumed: 89 of 100 is not enough."""
    fallen = {metric: dict.fromkeys(range(10, 40), 89)}
    both = ("produce", "consume")
    bucket.put("windows", [row for each in both for row in rates(each, 100, fallen.get(each, {}))])
    bucket.put("nodes", depths({9: 1, 20: 50, 31: 90}))
    _, second = asked(bucket, fault(10.0, 12.0, due_s=9.9), fault(30.0, None, due_s=29.9, number=2))
    why = "fewer than 3 undisturbed seconds were measured before it"
    assert pick(second, *PRODUCED) == (None, 100.0 if metric == "consume" else 89.0, None, why)
    assert pick(second, *CONSUMED) == (None, 100.0 if metric == "produce" else 89.0, None, why)
    assert pick(second, *LOW, "backlog_before") == (None, None, None)


def test_without_a_rate_before_the_first_fault_none_is_known_before_a_later_one(bucket: Bucket) -> None:
    bucket.put("windows", rates("produce", 100, {}))
    _, second = asked(bucket, fault(2.0, 4.0, due_s=2.0), fault(30.0, None, due_s=30.0, number=2))
    assert second["produced_before_per_s"] is None


def test_faults_that_are_due_together_share_their_span(bucket: Bucket) -> None:
    bucket.put("windows", rates("produce", 100, {20: 0, 21: 0}))
    both = asked(bucket, fault(20.1, due_s=20.0), fault(20.4, due_s=20.0, number=2, node="n2"))
    assert [pick(row, *PRODUCED) for row in both] == [
        (100.0, 0.0, pytest.approx(1.9, abs=1e-6), None),
        (100.0, 0.0, pytest.approx(1.6, abs=1e-6), None),
    ]


def test_one_that_is_done_when_the_next_is_due_has_no_span(bucket: Bucket) -> None:
    bucket.put("windows", rates("produce", 100, {}))
    late, _ = asked(bucket, fault(25.0, due_s=5.0), fault(26.0, due_s=22.0, number=2))
    assert pick(late, "span_end_s", "produced_lowest_per_s", "errors") == (None, None, None)
    why = "the next fault was due by then"
    assert pick(late, "produce_unrecovered", "consume_unrecovered", "backlog_undrained") == (why,) * 3


@pytest.mark.parametrize(("done_s", "before"), [(3.0, 100.0), (2.9, None)])
def test_a_rate_before_needs_three_seconds(bucket: Bucket, done_s: float, before: float | None) -> None:
    bucket.put("windows", [*rates("produce", 100, {}), *rates("consume", 100, {})])
    (row,) = asked(bucket, fault(done_s))
    why = None if before else "fewer than 3 undisturbed seconds were measured before it"
    assert pick(row, "produced_before_per_s", "produce_unrecovered") == (before, why)
    assert pick(row, "consumed_before_per_s", "consume_unrecovered") == (before, why)
    assert row["produced_lowest_per_s"] == 100.0


@pytest.mark.parametrize(
    ("given", "measured", "why"),
    [
        (fault(None, error="the node had gone"), True, "it was not done"),
        (fault(41.0), True, "it was done outside the measured stage"),
        (fault(-0.5, due_s=0.0), True, "it was done outside the measured stage"),
        (fault(), False, "nothing was recorded of a measured stage"),
    ],
)
def test_a_fault_without_a_span_is_a_row_that_says_why(
    bucket: Bucket, given: dict[str, Any], measured: bool, why: str
) -> None:
    bucket.put(
        "windows", rates("produce", 100, {}) if measured else [window("produce", 3, 9, stage="warmup")]
    )
    bucket.put("nodes", depths({19: 7, 25: 9}))
    (row,) = asked(bucket, given)
    assert pick(row, "span_end_s", *PRODUCED[:3], *CONSUMED[:3], *BACKLOG[:3], "errors") == (None,) * 11
    assert pick(row, PRODUCED[3], CONSUMED[3], BACKLOG[3]) == (why,) * 3
    assert pick(row, "error", "lost") == (given.get("error"), None)
    assert row["was_done"] is (given["done_at_s"] is not None)


@pytest.mark.parametrize(
    ("samples", "why"),
    [
        ({}, "nobody counted the messages in the queues"),
        ({15: 3}, "nobody counted the messages in the queues"),
        ({25: 3}, "nobody counted the messages in the queues before it"),
        ({15: 3, 25: 4}, "not before the measured stage ended"),
    ],
)
def test_a_backlog_that_nobody_counted_is_not_zero(bucket: Bucket, samples: dict[int, int], why: str) -> None:
    bucket.put("windows", rates("produce", 100, {}))
    bucket.put("nodes", depths(samples))
    (row,) = asked(bucket, fault())
    assert pick(row, *BACKLOG) == (samples.get(15), samples.get(25), None, why)


def test_a_fault_of_a_case_that_left_no_row_is_there(bucket: Bucket) -> None:
    (row,) = asked(bucket, fault(case_id="b"))
    assert pick(row, "case_id", "target", "node", "done_s") == ("b", None, "n1", None)


def both_ends(length: int) -> Iterable[dict[str, Any]]:
    yield from (window("produce", second, 100) for second in range(10))
    yield from (window("produce", second, 95) for second in (length - 3, length - 2, length - 1))


@pytest.mark.parametrize("length", [1010, 1011, 12_000])
def test_a_span_may_be_long(bucket: Bucket, length: int) -> None:
    bucket.put("cases", [case("a", produce_s=float(length))])
    bucket.put("windows", both_ends(length))
    (row,) = asked(bucket, fault(10.0, due_s=10.0))
    assert pick(row, *PRODUCED) == (100.0, 0.0, pytest.approx(length - 13, abs=1e-6), None)
