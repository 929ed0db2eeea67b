"""What was measured of both options near a crossing: the nearest case of each, or that there is none."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.money.latency_at_crossing import (
    crossing_latencies,
    crossing_latencies_table,
    near_crossing,
)
from tests.fixtures.report import money, sample

SQS, PAIR = "sqs-standard", "rabbitmq-mirrored-pair"
SIZE = 4096
OF_SIZE = {"consumers": 1, "message_bytes": SIZE}


@cache
def priced() -> Report:
    return sample.report(sample.planned()[2:4], **money.answers(message_bytes=SIZE))


def case(target: str, sent: float, p50: float = 5.0, **changes: Any) -> CaseReport:
    """A case of a closed loop, unless a rate is given, that consumed what it sent, unless ``received`` is."""
    (found,) = [one for one in priced().cases if one.target == target]
    assert found.produce
    assert found.end_to_end
    assert found.consume_cycle
    rate, received = changes.pop("rate", None), changes.pop("received", sent)
    size = changes.pop("message_bytes", SIZE)
    return found.model_copy(
        update={
            "case_id": f"{target}-{sent:g}",
            "produce": found.produce.model_copy(update={"msg_per_s": sent}),
            "end_to_end": found.end_to_end.model_copy(update={"p50_ms": p50, "p99_ms": 9.0}),
            "consume_cycle": found.consume_cycle.model_copy(update={"msg_per_s": received}),
            "parameters": {"mode": "parallel", "rate": rate, "consumers": 1, "message_bytes": size},
            "provenance": "measured",
            **changes,
        }
    )


def report_of(*cases: CaseReport) -> Report:
    found = crossing_latencies(priced().crossovers, cases)
    return priced().model_copy(update={"cases": list(cases), "crossing_latencies": found})


def said(report: Report) -> str:
    return near_crossing(report, report.crossovers[0])


def test_the_nearest_case_of_each_side_is_told() -> None:
    at = priced().crossovers[0].msg_per_s
    assert at is not None
    report = report_of(case(SQS, at * 1.5), case(SQS, at * 0.9, p50=12.0), case(PAIR, at, p50=2.0))
    sides = {side.target: side for side in report.crossing_latencies[0].sides}
    assert (sides[SQS].msg_per_s, sides[SQS].p50_ms, sides[PAIR].p50_ms) == (at * 0.9, 12.0, 2.0)
    assert "half of the messages within 12.0 ms and 99 of 100 within 9.00 ms" in said(report)
    assert "RabbitMQ mirrored pair (at " in said(report)
    assert "half of the messages within 2.00 ms" in said(report)


def test_an_open_loop_stands_before_a_closed_one_that_is_nearer() -> None:
    at = priced().crossovers[0].msg_per_s or 0.0
    report = report_of(case(SQS, at), case(SQS, at * 1.9, p50=7.0, rate=at * 1.9))
    assert report.crossing_latencies[0].sides[0].p50_ms == 7.0
    assert "; it has no case of RabbitMQ mirrored pair there that kept up." in said(report)


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ({"rate": 2.0}, False),
        ({"rate": 1.0}, True),
        ({"received": 0.98}, False),
        ({"received": 0.99}, True),
        ({"message_bytes": SIZE / 2 - 1}, False),
        ({"message_bytes": SIZE / 2}, True),
        ({"message_bytes": SIZE * 2}, True),
        ({"message_bytes": SIZE * 2 + 1}, False),
        ({"message_bytes": None}, False),
    ],
)
def test_only_a_case_of_that_size_that_kept_up_tells_a_latency(changes: dict[str, Any], counts: bool) -> None:
    at = priced().crossovers[0].msg_per_s or 0.0
    scaled = {name: value * at if name != "message_bytes" else value for name, value in changes.items()}
    report = report_of(case(SQS, at, p50=9000.0, **scaled))
    assert (report.crossing_latencies[0].sides[0].p50_ms == 9000.0) == counts
    assert ("no case of either side that kept up, with messages of about that size" in said(report)) != counts


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "failed"},
        {"flags": ["nodes_down"]},
        {
            "parameters": OF_SIZE
            | {"mode": "parallel", "rate": 60, "faults": "kill the leader at 6 s, for 3 s"}
        },
        {"parameters": OF_SIZE | {"mode": "load-unload"}},
    ],
)
def test_a_case_that_says_nothing_of_that_rate_is_left_out(changes: dict[str, Any]) -> None:
    at = priced().crossovers[0].msg_per_s or 0.0
    report = report_of(case(SQS, at, **changes))
    assert "this run has no case of either side that kept up" in said(report)


@pytest.mark.parametrize(("factor", "near"), [(0.49, False), (0.51, True), (1.99, True), (2.01, False)])
def test_near_is_from_half_to_twice_the_rate(factor: float, near: bool) -> None:
    at = priced().crossovers[0].msg_per_s or 0.0
    report = report_of(case(SQS, at * factor))
    assert (report.crossing_latencies[0].sides[0].case_id is not None) == near


def test_an_emulators_latency_is_called_one_and_the_table_has_a_row_a_side() -> None:
    at = priced().crossovers[0].msg_per_s or 0.0
    report = report_of(case(SQS, at, provenance="emulated"))
    assert "SQS standard (emulated) (at " not in said(report)
    assert "SQS standard (emulated, at " in said(report)
    table = crossing_latencies_table(report)
    assert table
    assert len(table.rows) == 2 * len(report.crossing_latencies)
    assert table.rows[0].origin == "emulated"
    assert table.rows[0].labels[1] == "SQS standard (emulated)"
    assert "amazon-mq" not in {row.labels[1] for row in table.rows}
