"""A loader is never asked to hold more open than its function or task lets it."""

from __future__ import annotations

import pytest

from breakeven.errors import InputError
from breakeven.planning.footprint import ROOM, Footprint, footprint
from breakeven.planning.plan import Plan, make_plan
from breakeven.terms import Environment
from breakeven.workload.case import Workload
from breakeven.workload.read import load_suite, parse_suite
from tests.support.cases import workload_with

SQS, PAIR = "sqs-standard", "rabbitmq-mirrored-pair"


def planned(target: str = SQS, environment: Environment = "aws", **scenario) -> Plan:
    scenarios = {"p": {"measure_s": 5, "drain_s": 5, **scenario}}
    document = {"suite": "wide", "title": "Wide", "targets": [target], "scenarios": scenarios}
    return make_plan(parse_suite(document, "wide.yaml"), run_id="run-1", environment=environment)


def loaders(plan: Plan) -> list[int]:
    return [case.loaders for case in plan.cases if case.target != "instrument"]


def of_loaders(plan: Plan) -> list[tuple[str, object]]:
    return [(each.field, each.value) for each in plan.refusals if "file descriptors" in each.remedy]


def workload(**fields) -> Workload:
    return workload_with(**{"message_bytes": 64, "client": "native", **fields})


@pytest.mark.parametrize(
    ("target", "fields", "connections", "threads"),
    [
        # a connection and a thread each
        (PAIR, {"producers": 5, "consumers": 4}, 9, 9),
        (SQS, {"producers": 5, "consumers": 4}, 9, 9),
        (PAIR, {"producers": 5, "consumers": 4, "window": 200}, 9, 9),
        # pika has four descriptors a connection
        (PAIR, {"producers": 5, "consumers": 4, "client": "pika"}, 36, 9),
        # ten asks and ten settlements of each worker, with a thread each; producers help with the drain
        (SQS, {"producers": 5, "consumers": 4, "in_flight": 10}, 180, 189),
        (SQS, {"producers": 5, "consumers": 4, "in_flight": 10, "mode": "load-unload"}, 130, 139),
    ],
)
def test_what_a_loader_holds_open_by_hand(target, fields, connections, threads):
    found = footprint(workload(**fields), target, 1)
    assert (found.descriptors - 64, found.threads - 32) == (connections, threads)


def test_workers_are_dealt_and_the_fullest_loader_counts():
    found = footprint(workload(producers=5, consumers=5, in_flight=10), SQS, 2)
    assert found == Footprint(64 + 2 * 3 * 20, 32 + 6 + 120)


def test_a_case_that_would_hold_too_much_open_gets_more_loaders():
    """Ten loaders of four producers and consumers would have 8 x 200 connections each."""
    made = planned(threads=40, rate=100, window=100)
    assert (loaders(made), of_loaders(made)) == ([20], [])
    assert loaders(planned(threads=40, rate=100)) == [10]
    assert loaders(planned(threads=40, rate=100, window=100, environment="local")) == [20]


def test_a_count_of_the_suites_own_that_would_hold_too_much_open_is_refused_with_one_that_does():
    made = planned(threads=40, rate=100, window=100, loaders=5)
    assert of_loaders(made) == [("scenarios.p.loaders", 5)]
    remedy = next(each.remedy for each in made.refusals if each.field == "scenarios.p.loaders")
    assert remedy == (
        "a loader would hold up to 3,264 file descriptors and 3,248 threads, and a function has 1,024 and "
        "1,024: 20 loaders do, or loader: fargate"
    )
    assert of_loaders(planned(threads=40, rate=100, window=100, loaders=20)) == []


def test_threads_are_counted_where_they_are_more_than_descriptors():
    """One loader of 100 producers and 100 consumers, two calls at once: 8 connections of each pair."""
    assert footprint(workload(producers=100, consumers=100, in_flight=2), SQS, 1) == Footprint(864, 1032)
    assert of_loaders(planned(threads=100, rate=100, window=2, loaders=1)) == [("scenarios.p.loaders", 1)]
    assert of_loaders(planned(threads=99, rate=100, window=2, loaders=1)) == []


def test_a_window_that_no_number_of_loaders_can_hold_is_refused_with_the_largest_that_they_can():
    made = planned(threads=800, rate=100, window=100)
    assert of_loaders(made) == [("scenarios.p.window", 100)]
    assert "at most 30 here" in made.refusals[0].remedy
    assert of_loaders(planned(threads=800, rate=100, window=30)) == []
    assert of_loaders(planned(threads=800, rate=100, window=31)) != []


def test_more_workers_than_one_loader_of_a_search_can_hold_are_shared_by_two():
    most = planned(PAIR, mode="capacity", threads=480, rate=100)
    assert (loaders(most), of_loaders(most)) == ([1], [])
    more = planned(PAIR, mode="capacity", threads=481, rate=100)
    assert (loaders(more), of_loaders(more)) == ([2], [])
    kept = planned(PAIR, mode="capacity", threads=481, rate=100, loaders=1)
    assert of_loaders(kept) == [("scenarios.p.loaders", 1)]


def test_a_task_has_room_for_more():
    made = planned(threads=40, rate=100, window=100, loaders=5, loader="fargate")
    assert of_loaders(made) == []
    assert ROOM["fargate"].descriptors > 50 * ROOM["lambda"].descriptors


@pytest.mark.parametrize("name", ["quick", "capacity", "sqs-vs-rabbitmq-2012"])
def test_the_shipped_suites_fit(name):
    assert of_loaders(make_plan(load_suite(name), run_id="run-1")) == []


def test_more_calls_at_once_than_a_worker_may_have_are_bad_input():
    with pytest.raises(InputError, match=r"scenarios.p.window: 101: each is a connection .* at most 100"):
        planned(threads=1, rate=1, window=101)
    assert planned(PAIR, threads=1, rate=1, window=101).refusals == []
