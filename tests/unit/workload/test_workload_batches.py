"""Batches of SQS in a suite: what each call may carry, what is refused, and what it is taken to cost."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven import words
from breakeven.errors import InputError
from breakeven.planning.budget.request_counts import sqs_requests
from breakeven.planning.expand import expand
from breakeven.planning.warm_up import windows_of
from breakeven.targets.catalog import PAIR, SQS, TRIO
from breakeven.workload.case import SINGLY, Case, Workload
from breakeven.workload.read import parse_suite
from breakeven.workload.suite import Suite

ALL_TENS = {"send_batch": 10, "receive_batch": 10, "delete_batch": 10}


def suite_of(scenario: dict[str, Any], *targets: str) -> Suite:
    document = {"suite": "x", "title": "t", "targets": list(targets or [SQS]), "scenarios": {"s": scenario}}
    return parse_suite(document, "x.yaml")


def cases_of(scenario: dict[str, Any], *targets: str) -> list[Case]:
    return expand(suite_of({"threads": 2, **scenario}, *targets), run_id="run-1")


def test_unless_a_suite_says_otherwise_every_call_is_of_one_message():
    for case in cases_of({}, SQS, TRIO, PAIR):
        assert {name: getattr(case.workload, name) for name in SINGLY} == SINGLY
        assert not case.workload.batches
        assert not SINGLY.keys() & case.workload.parameters().keys()


def test_all_may_vary_apart_and_are_named_as_readers_would():
    cells = [{"send_batch": 1, "receive_batch": 10, "delete_batch": 10}, {**ALL_TENS, "linger_ms": 20}]
    cases = cases_of({"rate": 100, "cells": cells})
    assert [words.cell_name(case.cell) for case in cases] == [
        "2 threads, 100 msg/s, sent singly, received in batches of 10, deleted in batches of 10",
        "2 threads, 100 msg/s, sent in batches of 10, received in batches of 10, deleted in batches of 10, "
        "linger 20 ms",
    ]
    assert [case.workload.send_batch for case in cases] == [1, 10]
    assert cases[1].workload.parameters()["linger_ms"] == 20
    assert "send_batch" not in cases[0].workload.parameters()


def test_a_window_is_of_calls_each_of_which_carries_a_batch():
    closed, opened = cases_of({"send_batch": 10})[0], cases_of({"send_batch": 10, "rate": 100})[0]
    assert (closed.workload.in_flight, closed.workload.window) == (1, 10)
    assert (opened.workload.in_flight, opened.workload.window) == (10, 100)


def test_cases_that_were_stored_before_call_by_call():
    stored = cases_of({})[0].workload.model_dump(exclude={*SINGLY})
    assert Workload.model_validate(stored) == cases_of({})[0].workload


@pytest.mark.parametrize(
    ("scenario", "field", "value", "remedy"),
    [
        ({"send_batch": 11}, "send_batch", 11, "1 to 10"),
        ({"receive_batch": 0}, "receive_batch", 0, "1 to 10"),
        ({"delete_batch": "10"}, "delete_batch", "10", "1 to 10"),
        ({"linger_ms": -1, "send_batch": 2}, "linger_ms", -1, "0 to 10000"),
        (
            {"send_batch": 10, "message_size": "128KiB"},
            *(
                "send_batch",
                10,
                "10 messages of 128KiB are over the 1MiB that a call carries; at most 8",
            ),
        ),
        (
            {"receive_batch": 3, "delete_batch": 4},
            *("delete_batch", 4, "a closed loop deletes what one receive has brought"),
        ),
        (
            {"linger_ms": 5, "rate": 10, "receive_batch": 10},
            *("linger_ms", 5.0, "nothing waits for a batch of one; give send_batch or delete_batch over 1"),
        ),
        (
            {"linger_ms": 5, "send_batch": 2},
            "linger_ms",
            5.0,
            "in a closed loop a batch has all its messages",
        ),
    ],
)
def test_what_no_call_carries_or_nothing_fills_is_refused_with_field_value_and_remedy(
    scenario, field, value, remedy
):
    with pytest.raises(InputError, match=remedy) as caught:
        cases_of(scenario)
    assert caught.value.field.endswith(field)
    assert caught.value.value == value


def test_a_call_carries_as_much_as_fits():
    assert cases_of({"send_batch": 8, "message_size": "128KiB"})


def test_the_limit_is_that_of_what_is_sent():
    assert cases_of({"receive_batch": 10, "delete_batch": 10, "message_size": "1MiB"})


@pytest.mark.parametrize("field", ["send_batch", "receive_batch", "delete_batch"])
@pytest.mark.parametrize("target", [PAIR, TRIO])
def test_rabbitmq_has_no_batches(target, field):
    given = {"receive_batch": 2} if field == "delete_batch" else {}
    remedy = "takes and hands out messages one by one, as many at once as window and prefetch say"
    with pytest.raises(InputError, match=remedy):
        cases_of({field: 2, **given}, target)


def per_message(scenario: dict[str, Any]) -> float:
    (case,) = cases_of({"threads": 1, **scenario})
    found = case.workload
    sent = found.messages or (found.rate or 0) * (found.warmup_s + found.measure_s)
    return sqs_requests(case) / sent


def test_a_load_and_unload_by_tens_is_taken_to_cost_a_tenth():
    unload = {"mode": "load-unload", "messages": 1000}
    assert per_message(unload) == pytest.approx(3)
    assert per_message({**unload, **ALL_TENS}) == pytest.approx(0.3)
    assert per_message({**unload, "receive_batch": 10, "delete_batch": 10}) == pytest.approx(1.2)


def test_what_comes_by_a_rate_is_taken_to_fill_a_batch_as_far_as_it_lingers():
    quiet = {"rate": 100, "wait_s": 20, **ALL_TENS}  # long polls: the empty receives are few
    singly = per_message(quiet)
    lingering = per_message({**quiet, "linger_ms": 40})  # five messages within it
    assert singly - lingering == pytest.approx(2 * (1 - 1 / 5), abs=0.01)
    assert singly - per_message({**quiet, "linger_ms": 1000}) == pytest.approx(2 * (1 - 1 / 10), abs=0.01)


def test_a_lane_is_warmed_up_by_what_its_cases_do():
    windows = windows_of(cases_of({"send_batch": [1, 10]}))
    assert [(each.workload.send_batch, each.workload.window) for each in windows] == [(1, 1), (10, 10)]
    (lingering,) = windows_of(cases_of({"send_batch": 10, "linger_ms": 100, "rate": 10}))
    assert (lingering.workload.linger_ms, lingering.workload.rate) == (0, None)
