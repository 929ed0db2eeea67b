"""Message groups of FIFO queues: what is one, who has them, and what would break their order."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven import words
from breakeven.errors import InputError
from breakeven.planning.expand import expand
from breakeven.targets.catalog import FIFO, SQS, TRIO
from breakeven.workload.case import Case, Workload
from breakeven.workload.read import parse_suite


def cases_of(scenario: dict[str, Any], *targets: str) -> list[Case]:
    document = {"suite": "x", "title": "t", "targets": list(targets)}
    scenarios = {"s": {"threads": 2, **scenario}}
    return expand(parse_suite({**document, "scenarios": scenarios}, "x.yaml"), run_id="run-1")


def test_unless_a_suite_says_otherwise_each_producer_is_a_group() -> None:
    cases = cases_of({}, FIFO, SQS, TRIO)
    assert [case.workload.groups for case in cases] == ["producer", None, None]
    assert [case.workload.parameters().get("groups") for case in cases] == ["producer", None, None]


def test_an_open_loop_waits_for_the_call_before_as_calls_at_once_would_break_the_order() -> None:
    (case,) = cases_of({"rate": 100}, FIFO)
    assert (case.workload.in_flight, case.workload.window) == (1, 1)


def test_both_may_vary_and_are_named_as_readers_would() -> None:
    cases = cases_of({"groups": ["producer", "message"]}, FIFO)
    assert [(words.cell_name(case.cell), case.workload.groups) for case in cases] == [
        ("2 threads, a group for each producer", "producer"),
        ("2 threads, a group for each message", "message"),
    ]


@pytest.mark.parametrize("target", [SQS, TRIO])
def test_queues_without_groups_refuse_them(target: str) -> None:
    with pytest.raises(InputError) as caught:
        cases_of({"groups": "message"}, target)
    assert (caught.value.field, caught.value.value) == ("scenarios.s.groups", "message")
    assert f"queues of {target} have no message groups; remove it, or drop {target}" in caught.value.remedy


def test_calls_at_once_are_refused_where_they_would_break_the_order() -> None:
    wide = {"rate": 100, "window": 10}
    (case,) = cases_of({**wide, "groups": "message"}, FIFO)
    assert case.workload.in_flight == 10
    with pytest.raises(InputError) as caught:
        cases_of(wide, FIFO)
    assert (caught.value.field, caught.value.value) == ("scenarios.s.window", 10)
    assert "break the order of a producer's messages; 1, with more producers" in caught.value.remedy


def test_a_case_that_was_stored_before_reads_as_it_was_run() -> None:
    (case,) = cases_of({}, SQS)
    stored = case.workload.model_dump(mode="json")
    del stored["groups"]
    assert Workload.model_validate(stored) == case.workload
