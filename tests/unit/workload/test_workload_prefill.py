"""Queues that are loaded before the measured stage: where they may be, and what they are taken to cost."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.errors import InputError, MultipleInputError
from breakeven.loadgen.assignment import Assignment
from breakeven.planning.budget.budget import sqs_requests_at_most
from breakeven.planning.budget.durations import SLACK, expected, prefill_seconds, seconds_needed
from breakeven.planning.budget.request_counts import sqs_requests
from breakeven.planning.expand import expand
from breakeven.planning.loaders import long_cases
from breakeven.targets.catalog import PAIR, SQS
from breakeven.words import cell_name
from breakeven.workload.case import Case, Workload
from breakeven.workload.read import parse_suite
from breakeven.workload.suite import Suite

#: two producers and two consumers at a rate, with a thousand messages in the queue beforehand
BACKLOG = {"threads": 2, "rate": 100, "prefill": 1000, "warmup_s": 0, "measure_s": 10, "drain_s": 30}
CONSUME_ONLY = {"producers": 0, "consumers": 4, "prefill": 1000}


def suite_of(scenario: dict[str, Any], *targets: str) -> Suite:
    document = {"suite": "x", "title": "t", "targets": list(targets or [SQS]), "scenarios": {"s": scenario}}
    return parse_suite(document, "x.yaml")


def cases_of(scenario: dict[str, Any], *targets: str, scale: float = 1.0) -> list[Case]:
    return expand(suite_of(scenario, *targets), run_id="run-1", scale=scale)


def test_it_is_none_unless_a_suite_says_otherwise_and_of_cases_that_were_planned_before():
    (case,) = cases_of({"threads": 2})
    assert case.workload.prefill == 0
    assert "prefill" not in case.workload.parameters()
    assert Workload.model_validate(case.workload.model_dump(exclude={"prefill"})) == case.workload


def test_it_is_varied_and_scaled():
    found = cases_of({"threads": 2, "prefill": [0, 500_000]}, scale=0.01)
    assert [(case.cell, case.workload.prefill) for case in found] == [
        ("threads=2 prefill=0", 0),
        ("threads=2 prefill=500000", 5000),
    ]
    assert [cell_name(case.cell) for case in found] == [
        "2 threads, nothing loaded before",
        "2 threads, 500,000 messages loaded before",
    ]
    assert found[1].workload.parameters()["prefill"] == 5000


@pytest.mark.parametrize(
    ("scenario", "field", "value", "remedy"),
    [
        (
            {"threads": 2, "mode": "load-unload", "messages": 10, "prefill": 5},
            "prefill",
            5,
            "loads its messages",
        ),
        (
            {"threads": 2, "mode": "capacity", "rate": 10, "prefill": 5},
            "prefill",
            5,
            "empties queues between",
        ),
        ({"producers": 0, "consumers": 2}, "producers", 0, "there is nothing to receive; give prefill"),
        ({**CONSUME_ONLY, "rate": 10}, "rate", 10.0, "nobody sends at it with producers: 0"),
        ({**CONSUME_ONLY, "consumers": 0}, "consumers", 0, "nobody would send or receive"),
        ({**CONSUME_ONLY, "queues": 5}, "queues", 5, "4 consumers would leave a queue without one"),
        (
            {"producers": 0, "consumers": 2, "mode": "load-unload", "messages": 10},
            "producers",
            0,
            "mode load-unload measures what is sent",
        ),
        ({"threads": 2, "prefill": 100_000_001}, "prefill", 100_000_001, "from 0 to 100000000"),
    ],
)
def test_where_it_makes_no_sense_it_is_refused(scenario, field, value, remedy):
    with pytest.raises(InputError, match=remedy) as caught:
        cases_of(scenario, PAIR)
    assert not isinstance(caught.value, MultipleInputError)
    assert (caught.value.field, caught.value.value) == (f"scenarios.s.{field}", value)


@pytest.mark.parametrize(
    ("scenario", "each"),
    [
        ({"threads": 4, "queues": 2, "prefill": 10}, [3, 3, 2, 2]),
        # as many in each queue, of which one has two workers that load
        ({"threads": 3, "queues": 2, "prefill": 10}, [3, 5, 2]),
        ({"producers": 0, "consumers": 3, "prefill": 8}, [3, 3, 2]),
        ({"threads": 2, "queues": 2, "prefill": 1}, [1, 0]),
    ],
)
def test_each_queue_is_loaded_with_as_many(scenario, each):
    (case,) = cases_of(scenario)
    assignment = Assignment(case, 1, 0, tuple(f"q{number}" for number in range(case.workload.queues)))
    assert [assignment.prefill(number) for number in range(case.workload.senders)] == each


def test_what_is_loaded_and_left_of_it_takes_its_time():
    (case,) = cases_of(BACKLOG)
    (without,) = cases_of({**BACKLOG, "prefill": 0})
    found = expected(case.workload, case.target, "aws")
    assert found.messages == pytest.approx(1000 + 10 * 100)
    # two producers, each with ten calls of 10 ms at once: but loading is reckoned as one call after another
    assert prefill_seconds(case.workload, case.target, "aws") == pytest.approx(1000 / 200)
    assert found.stages_s == pytest.approx(5 + 10)  # in which a thousand a second could be received
    needed = [seconds_needed(each.workload, each.target, "aws") for each in (case, without)]
    assert needed[0] - needed[1] == pytest.approx(SLACK * 5)


def test_consumers_alone_load_what_they_receive_and_what_the_stage_leaves_is_drained():
    (case,) = cases_of({**CONSUME_ONLY, "warmup_s": 0, "measure_s": 4, "drain_s": 30})
    found = expected(case.workload, case.target, "aws")
    assert found.messages == 1000
    # loaded by four at 100 a second each; of what is left after 4 s of four at 50 each, 200 remain
    assert found.stages_s == pytest.approx(1000 / 400 + 4 + 200 / 200)


def test_its_requests_are_paid():
    (case,), (without,) = cases_of(BACKLOG), cases_of({**BACKLOG, "prefill": 0})
    assert sqs_requests(without) < sqs_requests(case)
    assert sqs_requests_at_most(case) - sqs_requests_at_most(without) == pytest.approx(3 * 1000)
    (large,) = cases_of({**BACKLOG, "message_size": "256KiB", "wait_s": 20})
    assert sqs_requests(large) >= 1000 * (4 + 4 + 1)


def test_batches_of_what_is_loaded_are_full():
    batches = {"send_batch": 10, "receive_batch": 10, "delete_batch": 10}
    (case,) = cases_of({**CONSUME_ONLY, **batches, "warmup_s": 0, "measure_s": 1, "wait_s": 20})
    assert sqs_requests(case) == pytest.approx(3 * 1000 / 10)


def test_more_than_a_function_can_load_is_refused_with_what_fits():
    suite = suite_of({"threads": 5, "prefill": 10_000_000, "drain_s": 60, "loader": "lambda"}, PAIR)
    (case,) = expand(suite, run_id="run-1")
    (refusal,) = long_cases.refusals(suite, [case], "aws")
    assert (refusal.field, refusal.value) == ("scenarios.s.prefill", 10_000_000)
    fits = int(refusal.remedy.partition(" fit")[0].rpartition(" ")[2].replace(",", ""))
    assert fits > 0
    for prefill, is_refused in ((fits, False), (int(1.01 * fits), True)):
        changed = case.workload.model_copy(update={"prefill": prefill})
        assert bool(
            list(long_cases.refusals(suite, [case.model_copy(update={"workload": changed})], "aws"))
        ) is (is_refused)
