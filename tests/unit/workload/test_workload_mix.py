"""Messages of several sizes: how a suite says them, what is refused, and what they are taken to cost."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.errors import InputError, MultipleInputError
from breakeven.planning.budget.budget import sqs_requests_at_most
from breakeven.planning.budget.request_counts import sqs_requests
from breakeven.planning.expand import expand
from breakeven.targets.catalog import PAIR, SQS
from breakeven.workload.case import Case, Share, Workload
from breakeven.workload.read import parse_suite
from breakeven.workload.suite import Suite

MIX = {"16B": 50, "1KiB": 30, "64KiB": 20}
BYTES = {16: 50, 1024: 30, 65_536: 20}


def suite_of(scenario: dict[str, Any], *targets: str, **suite: Any) -> Suite:
    document = {"suite": "x", "title": "t", "targets": list(targets or [SQS]), **suite}
    return parse_suite({**document, "scenarios": {"s": {"threads": 2, **scenario}}}, "x.yaml")


def cases_of(scenario: dict[str, Any], *targets: str, **suite: Any) -> list[Case]:
    return expand(suite_of(scenario, *targets, **suite), run_id="run-1")


def test_it_is_none_unless_a_suite_says_otherwise_and_of_cases_that_were_planned_before():
    (case,) = cases_of({})
    assert (case.workload.message_mix, case.workload.most_bytes) == ((), 1024)
    assert "message_mix" not in case.workload.parameters()
    assert Workload.model_validate(case.workload.model_dump(exclude={"message_mix"})) == case.workload


def test_its_mean_stands_for_it_where_one_size_is_asked_for():
    (case,) = cases_of({"message_mix": MIX})
    assert case.workload.message_bytes == 13_423  # 0.5 x 16 + 0.3 x 1024 + 0.2 x 65536 = 13422.4
    assert case.workload.most_bytes == 65_536
    assert case.workload.shares == tuple(Share(bytes=size, percent=part) for size, part in BYTES.items())
    assert case.workload.parameters()["message_mix"] == "50% of 16 B, 30% of 1024 B, 20% of 65536 B"
    assert Workload.model_validate_json(case.workload.model_dump_json()) == case.workload


def test_the_suites_document_gives_the_same_suite():
    suite = suite_of({"message_mix": MIX})
    assert suite.scenarios["s"].message_mix == BYTES
    assert parse_suite(suite.document(), "y.yaml").sha256 == suite.sha256


def test_a_scenarios_own_size_or_mix_takes_the_place_of_that_of_the_defaults():
    (case,) = cases_of({"message_size": "2KiB"}, defaults={"message_mix": MIX})
    assert (case.workload.message_bytes, case.workload.message_mix) == (2048, ())
    (case,) = cases_of({"message_mix": MIX}, defaults={"message_size": "2KiB"})
    assert (case.workload.message_bytes, case.workload.most_bytes) == (13_423, 65_536)


@pytest.mark.parametrize(
    ("mix", "remedy"),
    [
        ({"16B": 50, "1KiB": 49}, "the percentages add up to 99, and must to 100"),
        ({"16B": 100}, "must be 2 to 50 sizes"),
        ("16B", "must be 2 to 50 sizes"),
        ({"16B": 50, "16": 50}, "'16' must be a size from 16B to 128MiB that is there once"),
        ({"15B": 50, "1KiB": 50}, "'15B' must be a size from 16B"),
        ({"1 mile": 50, "1KiB": 50}, "'1 mile' must be a size"),
        ({"16B": "50%", "1KiB": 50}, "16B must have a whole number from 1 to 99"),
        ({"16B": 0, "1KiB": 100}, "16B must have a whole number from 1 to 99"),
        ({"16B": True, "1KiB": 99}, "16B must have a whole number from 1 to 99"),
    ],
)
def test_what_is_no_mix_is_refused(mix, remedy):
    with pytest.raises(InputError, match=remedy) as caught:
        suite_of({"message_mix": mix})
    assert caught.value.field == "scenarios.s.message_mix"


@pytest.mark.parametrize(
    ("scenario", "suite", "field"),
    [
        ({"message_mix": MIX, "message_size": "1KiB"}, {}, "scenarios.s.message_size"),
        ({"message_mix": MIX, "cells": [{"message_size": 16}, {"queues": 2}]}, {}, "scenarios.s.message_mix"),
        ({}, {"defaults": {"message_mix": MIX, "message_size": 16}}, "defaults.message_size"),
    ],
)
def test_one_place_says_the_sizes(scenario, suite, field):
    with pytest.raises(InputError, match="by message_size and by message_mix; keep one of them") as caught:
        suite_of(scenario, **suite)
    assert not isinstance(caught.value, MultipleInputError)
    assert caught.value.field == field


def test_the_largest_of_them_must_be_taken_and_fit_in_a_batch():
    with pytest.raises(InputError, match="takes at most 1MiB") as caught:
        cases_of({"message_mix": {"16B": 99, "2MiB": 1}}, SQS)
    assert (caught.value.field, caught.value.value) == ("scenarios.s.message_mix", "2MiB")
    assert cases_of({"message_mix": {"16B": 99, "2MiB": 1}}, PAIR)
    with pytest.raises(InputError, match="10 messages of 256KiB are over the 1MiB"):
        cases_of({"message_mix": {"16B": 99, "256KiB": 1}, "send_batch": 10}, SQS)


def test_each_message_is_billed_by_its_own_size():
    """In chunks of 64 KiB: the mean of 26 KB would be one, and a tenth of the messages has four."""
    workload = {"rate": 100, "prefill": 100, "warmup_s": 0, "measure_s": 1, "wait_s": 20}
    (case,) = cases_of({"message_mix": {"16B": 90, "256KiB": 10}, **workload})
    (small,) = cases_of({"message_size": "16B", **workload})
    each = 2 * (0.9 * 1 + 0.1 * 4) + 1
    assert sqs_requests(case) - sqs_requests(small) == pytest.approx(200 * (each - 3))
    assert sqs_requests_at_most(case) - sqs_requests_at_most(small) == pytest.approx(200 * (each - 3))
