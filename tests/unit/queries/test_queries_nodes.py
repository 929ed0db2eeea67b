"""Nodes beside rates, second by second on one axis, on rows written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.money.query_tables import Bucket, case

START_S = 1_780_000_000.4


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    found = Bucket(tmp_path)
    found.put("cases", [case("a", target="rabbitmq-single", provenance="measured")])
    return found


def window(stage: str, second: int, operations: int, started_s: float, **values: Any) -> dict[str, Any]:
    return {
        **{"case_id": "a", "loader": 0, "stage": stage, "metric": "produce", "second": second},
        **{"operations": operations, "stage_started_s": started_s, **values},
    }


def sample(at_s: float, node: str = "n1", **values: Any) -> dict[str, Any]:
    return {"case_id": "a", "node": node, "second": 0, "at_s": at_s, **values}


def test_samples_and_rates_are_on_one_axis_and_gaps_are_null(bucket: Bucket) -> None:
    measure_s = START_S + 2.5
    bucket.put(
        "windows",
        [
            window("warmup", 0, 5, START_S),
            window("warmup", 2, 6, START_S),
            window("measure", 0, 10, measure_s),
            window("measure", 0, 20, measure_s, loader=1),
            window("measure", 2, 40, measure_s),
            window("measure", 2, 7, measure_s, metric="consume"),
            window("measure", 2, 9, measure_s, metric="settle"),
        ],
    )
    # the first is mostly of the time before; the second ends 0.4 s after the axis' first second did
    bucket.put(
        "nodes",
        [
            sample(START_S + 0.4, cpu_cores=9.0),
            sample(START_S + 1.4, cpu_cores=0.1),
            sample(START_S + 2.4, cpu_cores=0.2, unknown="why"),
            sample(START_S + 4.4, cpu_cores=0.4),
        ],
    )
    rows = bucket.ask("nodes_over_time")
    assert [(r["second"], r["produced_per_s"], r["consumed_per_s"], r["cpu_cores"]) for r in rows] == [
        (0, 5.0, 0.0, 0.1),
        (1, 0.0, 0.0, 0.2),
        (2, 36.0, 0.0, None),
        (3, 0.0, 0.0, 0.4),
        (4, 40.0, 7.0, None),
    ]
    assert {(r["node"], r["target"], r["provenance"], r["environment"]) for r in rows} == {
        ("n1", "rabbitmq-single", "measured", "local")
    }
    assert [r["unknown"] for r in rows] == [None, "why", None, None, None]


def test_each_node_has_every_second_of_its_case_and_the_later_of_two_samples(bucket: Bucket) -> None:
    bucket.put("windows", [window("load", 0, 3, START_S)])
    bucket.put(
        "nodes",
        [
            sample(START_S + 1, cpu_cores=1.0),
            sample(START_S + 1.2, cpu_cores=2.0),
            sample(START_S + 3, "n2", depth=7),
        ],
    )
    rows = bucket.ask("nodes_over_time")
    assert [(r["node"], r["second"], r["cpu_cores"], r["depth"]) for r in rows] == [
        ("n1", 0, 2.0, None),
        ("n1", 1, None, None),
        ("n1", 2, None, None),
        ("n2", 0, None, None),
        ("n2", 1, None, None),
        ("n2", 2, None, 7),
    ]


def test_a_case_without_samples_has_its_rates_and_no_node(bucket: Bucket) -> None:
    bucket.put("windows", [window("load", 1, 3, START_S)])
    rows = bucket.ask("nodes_over_time")
    assert [(r["node"], r["second"], r["produced_per_s"]) for r in rows] == [(None, 0, 0.0), (None, 1, 3.0)]


@pytest.mark.parametrize("last", [999, 1000, 12_000])
def test_a_case_may_be_long(bucket: Bucket, last: int) -> None:
    bucket.put("windows", [window("load", last, 3, START_S)])
    assert [row["second"] for row in bucket.ask("nodes_over_time")] == list(range(last + 1))


def test_rows_of_earlier_versions_that_do_not_say_when_are_left_out(bucket: Bucket) -> None:
    bucket.put("windows", [{"case_id": "a", "metric": "produce", "second": 0, "operations": 1}])
    bucket.put("nodes", [{"case_id": "a", "node": "n1", "second": 0}])
    assert bucket.ask("nodes_over_time") == []
    bucket.put("windows", [window("load", 0, 3, START_S)])
    assert [row["node"] for row in bucket.ask("nodes_over_time")] == [None]
