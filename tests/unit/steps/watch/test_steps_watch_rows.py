"""Rows of a watch: what a target tells and what processes use, joined by second and node."""

from __future__ import annotations

import os

import pytest

from breakeven.errors import CaseError
from breakeven.results import schemas
from breakeven.steps.case import watch, watch_rows
from breakeven.steps.case.process_meter import TREE
from breakeven.steps.case.watch_rows import NO_ANSWER, NOT_COUNTED, WatchRows
from breakeven.targets.target import Depth, NodeProcess, NodeSample
from tests.support.workflow.processes import eventually

OURS = NodeProcess(os.getpid(), "py")


@pytest.fixture
def clock(monkeypatch):
    """Seconds since the watch began, set by the test."""
    now = {"s": 0.0}
    monkeypatch.setattr(watch_rows.time, "monotonic", lambda: 50.0 + now["s"])
    monkeypatch.setattr(watch_rows.time, "time", lambda: 1_780_000_000.25 + now["s"])
    return now


def test_a_row_has_the_tables_columns_and_says_when_its_second_ended(clock):
    rows = WatchRows("case", since_s=840)
    clock["s"] = 3.9
    rows.add_samples([NodeSample("n1", memory_bytes=5, alarms="", no_process="elsewhere")], Depth(7, 4, 3))
    (row,) = rows.rows()
    assert list(row) == list(next(t for t in schemas.TABLES if t.name == "nodes").columns)
    known = {name: value for name, value in row.items() if value is not None}
    assert known == {
        **{"case_id": "case", "node": "n1", "second": 843, "at_s": 1_780_000_003.25},
        **{"memory_bytes": 5, "alarms": "", "depth": 7, "ready": 4, "unacknowledged": 3},
        "unknown": "elsewhere",
    }


def test_a_depth_that_was_not_told_is_null_beside_what_was(clock):
    rows = WatchRows("case")
    rows.add_samples([NodeSample("n1", memory_bytes=5, process=OURS)], None)
    (row,) = rows.rows()
    assert (row["memory_bytes"], row["depth"], row["unknown"]) == (5, None, NOT_COUNTED)


def test_processes_are_counted_each_second_while_the_target_is_silent():
    rows = WatchRows("case")
    rows.know_processes([NodeSample("n1", process=OURS), NodeSample("n2", process=NodeProcess(2**30))])
    with rows.with_processes():
        assert eventually(lambda: len(rows.rows()) >= 2)
    found = rows.rows()
    assert [row["second"] for row in found] == sorted({row["second"] for row in found})
    assert {row["node"] for row in found} == {"n1"}, "one that is gone has gaps, and no zeros"
    assert found[-1]["taken"] == TREE
    assert found[-1]["cpu_cores"] is not None
    assert NO_ANSWER in found[-1]["unknown"]


class Target:
    name = "t"

    def __init__(self, samples=None, depth=None):
        self._samples, self._depth = samples, depth

    def samples(self):
        if self._samples is None:
            raise CaseError("nobody answers")
        return self._samples

    def depths(self, queues):
        if self._depth is None:
            raise CaseError("nobody answers")
        return Depth(self._depth)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (Target(), []),
        (Target(depth=5), []),
        (Target([]), [("t", None)]),
        (Target([], 5), [("t", 5)]),
        (Target([NodeSample("n1"), NodeSample("n2")], 5), [("n1", 5), ("n2", 5)]),
        (Target([NodeSample("n1")]), [("n1", None)]),
    ],
)
def test_what_a_target_tells_is_kept_whatever_else_it_does_not_tell(target, expected):
    rows = WatchRows("case")
    watch._look(target, ("q",), rows)
    assert [(row["node"], row["depth"]) for row in rows.rows()] == expected
