"""Nodes that are down for a case: what a suite says of them, and what the plan makes of it."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.planning import execution_limits
from breakeven.planning.budget.planning_assumptions import OVERHEADS
from breakeven.planning.expand import expand
from breakeven.planning.plan import make_plan
from breakeven.targets.record import Nodes
from breakeven.words import cell_name
from breakeven.workload.case import Case
from breakeven.workload.read import load_shipped, parse_suite
from breakeven.workload.suite import Suite
from local.servers.endpoints import Endpoints
from tests.support.shared import change_record

SQS, PAIR = "sqs-standard", "rabbitmq-mirrored-pair"


def suite_of(scenario: dict[str, Any], *targets: str, **changes: Any) -> Suite:
    found = {"suite": "x", "title": "x", "targets": list(targets or (PAIR,)), **changes}
    return parse_suite({**found, "scenarios": {"s": {"threads": 2, **scenario}}}, "x.yaml")


def cases(scenario: dict[str, Any], *targets: str) -> list[Case]:
    return expand(suite_of(scenario, *targets), run_id="run-1", environment="local")


def refused(suite: Suite) -> InputError:
    with pytest.raises(InputError) as caught:
        expand(suite, run_id="run-1", environment="local")
    return caught.value


def test_all_nodes_and_one_down_are_two_cells_named_after_it() -> None:
    found = cases({"nodes_down": [0, 1]})
    assert [case.cell for case in found] == ["threads=2 nodes_down=0", "threads=2 nodes_down=1"]
    assert [cell_name(case.cell) for case in found] == ["2 threads, all nodes", "2 threads, 1 node down"]
    assert [case.case_id for case in found] == [f"s.threads-2-nodes-down-{down}.{PAIR}.r1" for down in (0, 1)]
    assert [case.workload.nodes_down for case in found] == [0, 1]
    assert [case.workload.parameters().get("nodes_down") for case in found] == [None, 1]


def test_unless_it_is_said_all_are_up() -> None:
    assert [case.workload.nodes_down for case in cases({}, PAIR, SQS)] == [0, 0]
    assert [case.workload.nodes_down for case in cases({"nodes_down": 0}, PAIR, SQS)] == [0, 0]


def test_the_capacity_suite_searches_with_both_nodes_and_with_one_down() -> None:
    found = expand(load_shipped("capacity"), run_id="run-1", environment="local")
    assert {(case.workload.mode, case.workload.nodes_down) for case in found} == {
        ("capacity", 0),
        ("capacity", 1),
    }


@pytest.mark.parametrize(
    ("scenario", "targets", "field", "value", "remedy"),
    [
        ({"nodes_down": 1}, [PAIR, SQS], "scenarios.s.nodes_down", 1, "Amazon SQS has no self-hosted nodes"),
        (
            {"nodes_down": 2},
            [PAIR],
            "scenarios.s.nodes_down",
            2,
            "has 2 nodes, and one must be left; at most 1",
        ),
        ({"cells": [{"nodes_down": 2}]}, [PAIR], "scenarios.s.cells", 2, "at most 1"),
    ],
)
def test_nodes_that_cannot_be_taken_down_are_refused(
    scenario: dict[str, Any], targets: list[str], field: str, value: int, remedy: str
) -> None:
    error = refused(suite_of(scenario, *targets))
    assert (error.field, error.value) == (field, value)
    assert remedy in error.remedy


def test_a_default_is_named_as_one() -> None:
    error = refused(suite_of({}, SQS, defaults={"nodes_down": 1}))
    assert (error.field, error.value) == ("defaults.nodes_down", 1)


def test_a_single_node_cannot_be_taken_down(monkeypatch: pytest.MonkeyPatch) -> None:
    single = Nodes(1, "m7g.large", volume_gb=20, deployment="single", debian="12")
    change_record(monkeypatch, PAIR, nodes=single)
    error = refused(suite_of({"nodes_down": 1}))
    assert (error.field, error.value) == ("scenarios.s.nodes_down", 1)
    assert "has 1 node, and one must be left; at most 0" in error.remedy


@pytest.mark.parametrize("value", [-1, 11, 0.5, "1", True])
def test_it_is_a_whole_number(value: object) -> None:
    with pytest.raises(InputError) as caught:
        suite_of({"nodes_down": value})
    assert caught.value.field == "scenarios.s.nodes_down"
    assert "whole number from 0 to 10" in caught.value.remedy


def test_brokers_that_were_given_are_never_stopped() -> None:
    """Refused before anybody is asked whether they are there."""
    given = Endpoints(("amqp://127.0.0.1:1", "amqp://127.0.0.1:2"))
    suite = suite_of({"nodes_down": [0, 1]})
    with pytest.raises(InputError) as caught:
        given.check(suite, expand(suite, run_id="run-1", environment="local"))
    assert (caught.value.where, caught.value.field, caught.value.value) == (
        "x.yaml",
        "scenarios.s.nodes_down",
        1,
    )
    assert "given by --rabbitmq-url are never stopped" in caught.value.remedy


@pytest.mark.parametrize("environment", ["aws", "local"])
def test_the_plan_tells_the_workflow_and_reckons_with_it(environment: Any) -> None:
    plan = make_plan(suite_of({"nodes_down": [0, 1]}), run_id="run-1", environment=environment)
    refs = [ref for legs in plan.rounds for leg in legs for ref in leg.cases if leg.target == PAIR]
    assert {ref.case_id: ref.nodes_down for ref in refs} == {
        f"s.threads-2-nodes-down-{down}.{PAIR}.r1": down for down in (0, 1)
    }
    whole, half = (case for case in plan.cases if case.target == PAIR)
    assert half.expected_s == pytest.approx(whole.expected_s + OVERHEADS[environment].nodes_down, abs=0.11)
    more = execution_limits.history_events([half]) - execution_limits.history_events([whole])
    assert more == execution_limits.HISTORY_OF_NODES_DOWN


def test_what_stopping_and_starting_costs_is_in_the_estimate() -> None:
    def quantity(item: str, nodes_down: int) -> float:
        plan = make_plan(suite_of({"nodes_down": nodes_down}, instrument=False), run_id="run-1")
        (line,) = (line for line in plan.estimate.lines if (line.service, line.item) == ("states", item))
        return line.quantity

    assert quantity("transition", 1) - quantity("transition", 0) == 3
