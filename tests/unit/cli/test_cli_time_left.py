"""The time left moves while a case runs."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from breakeven.planning.plan import Plan, make_plan
from breakeven.results.items import case_item
from breakeven.terms import Environment
from breakeven.workload.read import parse_suite
from cli.running.progress import snapshot
from tests.fixtures.report import sample

CASES = sample.planned()[:3]
EACH_S = CASES[0].expected_s
BEGAN = datetime.fromisoformat("2026-11-20T00:00:00+00:00")


@pytest.mark.parametrize(
    ("after_s", "left_s"), [(0, 2 * EACH_S), (3, 2 * EACH_S - 3), (99, EACH_S), (-5, 2 * EACH_S)]
)
def test_a_case_under_way_counts_down_and_never_below_those_to_come(after_s: float, left_s: float) -> None:
    """A clock that is behind the function's, or a case that takes longer, adds and takes nothing."""
    items = {
        case_item(CASES[0].case_id): {"status": "ok"},
        case_item(CASES[1].case_id): {"status": "running", "attempt": 1, "started_at": BEGAN.isoformat()},
    }
    assert snapshot(items, CASES, BEGAN + timedelta(seconds=after_s)).seconds_left == left_s


def planned(environment: Environment, warm_up: bool = True) -> Plan:
    document = {
        "suite": "two",
        "title": "Two targets",
        "targets": ["sqs-standard", "rabbitmq-mirrored-pair"],
        "instrument": False,
        "warm_up": warm_up,
        "scenarios": {"p": {"threads": [1, 2], "message_size": "16B"}},
    }
    return make_plan(parse_suite(document, "two.yaml"), run_id="r1", environment=environment)


def left_s(plan: Plan, items: dict[str, dict[str, str]]) -> float:
    return snapshot(items, plan.cases, BEGAN, plan).seconds_left


def test_lanes_that_are_still_to_be_opened_and_warmed_up_are_part_of_the_time_left() -> None:
    plan = planned("local")
    first = plan.rounds[0][0]
    whole = left_s(plan, {})
    assert whole == pytest.approx(sum(plan.estimate.lanes.values()), abs=1)
    assert whole > left_s(planned("local", warm_up=False), {}) > sum(case.expected_s for case in plan.cases)
    begun = {case_item(first.cases[0].case_id): {"status": "running", "started_at": BEGAN.isoformat()}}
    around = plan.around_cases_s
    assert around[first.target] > 1
    assert left_s(plan, begun) == pytest.approx(whole - around[first.target])


def test_nothing_is_left_of_a_run_whose_cases_have_all_ended() -> None:
    plan = planned("local")
    assert left_s(plan, {case_item(case.case_id): {"status": "ok"} for case in plan.cases}) == 0


def test_lanes_that_are_up_at_the_same_time_are_no_longer_than_the_longest() -> None:
    plan = planned("aws")
    assert [len(legs) for legs in plan.rounds] == [2]
    assert left_s(plan, {}) == pytest.approx(max(plan.estimate.lanes.values()), abs=1)
