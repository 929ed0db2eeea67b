"""Acknowledgements and prefetch in a suite: what they are unless it says otherwise, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.planning.expand import expand
from breakeven.targets.catalog import PAIR, SQS, TRIO
from breakeven.workload.case import MOST_UNLIMITED, Case, Workload
from breakeven.workload.read import parse_suite

PUSHED = {"consume": "push", "prefetch": 50}


def cases_of(scenario: dict[str, Any], *targets: str, **suite: Any) -> list[Case]:
    scenarios = {"s": {"threads": 2, **scenario}}
    document = {"suite": "x", "title": "t", "targets": list(targets or [PAIR]), **suite}
    return expand(parse_suite({**document, "scenarios": scenarios}, "x.yaml"), run_id="run-1")


def test_unless_a_suite_says_otherwise_each_message_is_acknowledged_by_itself():
    for case in cases_of({}, SQS, TRIO, PAIR):
        assert (case.workload.acks, case.workload.ack_every) == (True, 1)
        assert not {"acks", "ack_every"} & case.workload.parameters().keys()


def test_a_case_that_was_planned_before_has_them():
    (case,) = cases_of({})
    stored = case.workload.model_dump(exclude={"acks", "ack_every"})
    assert Workload.model_validate(stored) == case.workload


def test_a_case_and_its_report_say_what_was_asked_for():
    (case,) = cases_of({**PUSHED, "ack_every": 10})
    assert (case.workload.ack_every, case.workload.parameters()["ack_every"]) == (10, 10)
    (case,) = cases_of({"acks": False, "consume": "push"})
    assert case.workload.parameters()["acks"] is False
    assert case.workload.most_in_hand == MOST_UNLIMITED
    (case,) = cases_of({"consume": "push", "prefetch": "unlimited"})
    assert (case.workload.prefetch, case.workload.parameters()["prefetch"]) == (0, "unlimited")
    assert case.workload.most_in_hand == MOST_UNLIMITED


def test_how_many_may_be_in_hand_is_varied():
    found = cases_of({"consume": "push", "prefetch": [1, 20, "unlimited"]})
    assert [case.cell for case in found] == [
        *("threads=2 prefetch=1", "threads=2 prefetch=20", "threads=2 prefetch=unlimited"),
    ]
    assert [case.workload.prefetch for case in found] == [1, 20, 0]
    found = cases_of({"consume": "push", "cells": [{"prefetch": 5}, {"queues": 2}]})
    assert [case.workload.prefetch for case in found] == [5, 1]


def test_a_variant_may_change_them():
    variants = {"as-published": {PAIR: {"acks": False, **PUSHED}}}
    found = cases_of({}, SQS, PAIR, variants=variants, variant="as-published")
    assert {(case.target, case.workload.acks) for case in found} == {(SQS, True), (PAIR, False)}


@pytest.mark.parametrize(
    ("scenario", "target", "field", "value", "remedy"),
    [
        ({"acks": "none"}, PAIR, "acks", "none", "true or false"),
        ({"ack_every": 0}, PAIR, "ack_every", 0, "1 to 65535"),
        ({**PUSHED, "prefetch": -1}, PAIR, "prefetch", -1, "1 to 65535 messages, or unlimited"),
        ({**PUSHED, "prefetch": "all"}, PAIR, "prefetch", "all", "or unlimited"),
        ({"acks": False}, SQS, "acks", False, "Amazon SQS hands out again what is not deleted"),
        ({"ack_every": 2}, SQS, "ack_every", 2, "use delete_batch"),
        ({"prefetch": 20}, SQS, "prefetch", 20, "use receive_batch"),
        ({"prefetch": "unlimited"}, SQS, "prefetch", "unlimited", "use receive_batch"),
        ({**PUSHED, "acks": False, "ack_every": 2}, PAIR, "ack_every", 2, "nothing is acknowledged"),
        ({"ack_every": 2}, TRIO, "ack_every", 2, "use consume: push"),
        ({**PUSHED, "ack_every": 51}, TRIO, "ack_every", 51, "never holds more than prefetch, 50"),
        (
            {"consume": "push", "prefetch": "unlimited", "processing_ms": 1},
            *(PAIR, "processing_ms", "1", "hold fewer messages"),
        ),
    ],
)
def test_what_cannot_be_is_refused_with_field_value_and_remedy(scenario, target, field, value, remedy):
    with pytest.raises(InputError, match=remedy) as caught:
        cases_of(scenario, target)
    assert caught.value.field == f"scenarios.s.{field}"
    assert caught.value.value == value


@pytest.mark.parametrize(
    "scenario",
    [
        {**PUSHED, "ack_every": 50},
        {"consume": "push", "prefetch": "unlimited", "ack_every": 100},
        {"acks": False, "consume": "push", "processing_ms": 600_000},
    ],
)
def test_the_most_that_can_be(scenario):
    assert cases_of(scenario)
