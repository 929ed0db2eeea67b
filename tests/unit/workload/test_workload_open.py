"""Open loops and capacity searches: what a suite says of them, and what it cannot say."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.planning.expand import expand
from breakeven.workload.case import Case, Workload
from breakeven.workload.read import parse_suite

SQS, RABBITMQ = "sqs-standard", "rabbitmq-mirrored-pair"
OPEN = {"threads": 2, "rate": 100}


def cases(scenario: dict[str, Any], *targets: str) -> list[Case]:
    found = {"suite": "x", "title": "x", "targets": list(targets or (SQS, RABBITMQ))}
    suite = parse_suite({**found, "scenarios": {"s": scenario}}, "x.yaml")
    return expand(suite, run_id="run-1", environment="local")


def workload(scenario: dict[str, Any], target: str = RABBITMQ) -> Workload:
    (case,) = cases(scenario, target)
    return case.workload


def test_an_open_loop_has_the_windows_of_its_target() -> None:
    rabbitmq, sqs = workload(OPEN), workload(OPEN, SQS)
    assert (rabbitmq.consume, rabbitmq.prefetch, rabbitmq.window, rabbitmq.rate) == ("push", 200, 200, 100)
    assert (sqs.consume, sqs.window, sqs.rate, sqs.arrivals) == ("get", 10, 100, "constant")
    assert (sqs.in_flight, rabbitmq.in_flight) == (10, 1)
    closed = workload({"threads": 2})
    assert (closed.window, closed.prefetch, closed.consume, closed.is_open) == (1, 1, "get", False)


def test_what_a_suite_says_counts_before_that() -> None:
    given = workload({**OPEN, "window": 7, "consume": "get", "arrivals": "poisson", "processing_ms": 3})
    assert (given.window, given.consume, given.arrivals, given.processing_ms) == (7, "get", "poisson", 3)


def test_a_rate_for_each_producer_and_its_profile_are_added_up() -> None:
    steps = [{"rate": 10, "for_s": 4}, {"rate": 30, "for_s": 6, "ramp": True}]
    found = workload({**OPEN, "rate": 10, "rate_per": "producer", "profile": steps})
    assert found.rate == 20
    assert [(step.value, step.for_s, step.ramp) for step in found.profile] == [(20, 4, False), (60, 6, True)]
    assert found.measure_s == 10
    assert found.parameters()["profile"] == "20 msg/s for 4 s, to 60 msg/s over 6 s"


def test_what_only_an_open_loop_has_is_no_parameter_of_a_closed_one() -> None:
    assert {"rate", "arrivals", "profile"} <= workload(OPEN).parameters().keys()
    assert {"rate", "arrivals", "profile"}.isdisjoint(workload({"threads": 2}).parameters())


def test_rates_make_cells_named_after_them() -> None:
    found = cases({"threads": 1, "rate": [100, 0.5]}, RABBITMQ)
    assert [case.cell for case in found] == ["threads=1 rate=100", "threads=1 rate=0.5"]
    assert [case.workload.rate for case in found] == [100, 0.5]


def test_a_capacity_search_has_one_loader_and_holds_a_minute() -> None:
    (case,) = cases({"mode": "capacity", "threads": 20, "rate": 500}, RABBITMQ)
    assert (case.loaders, case.workload.measure_s, case.workload.objective_ms) == (1, 60, 100)


@pytest.mark.parametrize(
    ("scenario", "field", "remedy"),
    [
        ({"threads": 2, "profile": [{"rate": 5, "for_s": 1}]}, "rate", "is required by profile"),
        ({"threads": 2, "mode": "capacity"}, "rate", "is required by mode capacity"),
        ({"mode": "capacity", **OPEN}, "mode", "Amazon SQS has a quota"),
        ({"threads": 800, "rate": 1e5, "rate_per": "producer"}, "rate", "800 producers make 8e+07 messages"),
    ],
)
def test_open_loops_that_cannot_be_are_refused(scenario: dict[str, Any], field: str, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        cases(scenario)
    assert f"scenarios.s.{field}" in str(caught.value)
    assert remedy in str(caught.value)
