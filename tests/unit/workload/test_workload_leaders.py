"""Where queues are put: their leaders on all nodes or on one, quorum queues with a group of members."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven import words
from breakeven.errors import InputError
from breakeven.planning.budget.lane_lines import cross_zone_gb
from breakeven.planning.expand import expand
from breakeven.steps.case.case_rows import mirrors_of
from breakeven.targets.catalog import PAIR, SINGLE, SQS, TRIO
from breakeven.workload.case import Case, Workload
from breakeven.workload.read import parse_suite
from breakeven.workload.suite import Suite
from tests.support.money.traffic_by_hand import moved


def suite_of(scenario: dict[str, Any], *targets: str) -> Suite:
    document = {"suite": "x", "title": "t", "targets": list(targets), "scenarios": {"s": scenario}}
    return parse_suite(document, "x.yaml")


def cases_of(scenario: dict[str, Any], *targets: str) -> list[Case]:
    return expand(suite_of({"threads": 2, **scenario}, *targets), run_id="run-1")


def test_unless_a_suite_says_otherwise_leaders_are_spread_over_groups_of_three():
    cases = cases_of({}, TRIO, PAIR, SINGLE, SQS)
    assert {case.workload.leaders for case in cases} == {"spread"}
    assert [case.workload.group_size for case in cases] == [3, None, None, None]
    assert "leaders" not in cases[0].workload.parameters()
    assert [case.workload.parameters().get("group_size") for case in cases] == [3, None, None, None]


def test_both_may_vary_and_are_named_as_readers_would():
    cases = cases_of({"leaders": ["spread", "one"], "group_size": [1, 3]}, TRIO)
    assert [words.cell_name(case.cell) for case in cases] == [
        "2 threads, leaders spread, 1 copy",
        "2 threads, leaders spread, 3 copies",
        "2 threads, leaders on one node, 1 copy",
        "2 threads, leaders on one node, 3 copies",
    ]
    assert [(case.workload.leaders, case.workload.group_size) for case in cases] == [
        ("spread", 1),
        ("spread", 3),
        ("one", 1),
        ("one", 3),
    ]
    assert cases[3].workload.parameters()["leaders"] == "one"


def test_clients_connect_to_any_node_unless_a_suite_says_otherwise():
    cases = cases_of({"connect_to": ["any", "leader", "other"]}, PAIR)
    assert [case.workload.connect_to for case in cases] == ["any", "leader", "other"]
    assert [words.cell_name(case.cell) for case in cases] == [
        "2 threads, connected to any node",
        "2 threads, connected to the leader's node",
        "2 threads, connected to another node",
    ]
    assert [case.workload.parameters().get("connect_to") for case in cases] == [None, "leader", "other"]
    stored = cases[0].workload.model_dump(exclude={"connect_to"})
    assert Workload.model_validate(stored) == cases[0].workload


def test_classic_queues_may_be_lazy():
    cases = cases_of({"queue_mode": ["default", "lazy"]}, SINGLE, PAIR)
    assert [case.workload.queue_mode for case in cases] == ["default", "default", "lazy", "lazy"]
    assert [case.workload.parameters().get("queue_mode") for case in cases] == [None, None, "lazy", "lazy"]
    assert [words.cell_name(case.cell) for case in cases[1:3]] == [
        "2 threads, queues not lazy",
        "2 threads, lazy queues",
    ]
    stored = cases[0].workload.model_dump(exclude={"queue_mode"})
    assert Workload.model_validate(stored) == cases[0].workload


def test_the_plan_prices_what_nodes_pass_to_the_leader():
    """Two nodes in two zones: round the ring twice, to the mirror from a channel at the master, half the
    clients twice, and hops twice or not at all.
    """
    to = {
        case.workload.connect_to: case for case in cases_of({"connect_to": ["any", "leader", "other"]}, PAIR)
    }
    gb = {wanted: cross_zone_gb(case) for wanted, case in to.items()}
    size = to["any"].workload.message_bytes
    at_the_leader = moved(size, mirrored=3, clients=1)
    found = {wanted: each / gb["leader"] * at_the_leader for wanted, each in gb.items()}
    assert found["any"] == pytest.approx(moved(size, mirrored=2.5, clients=1, hops=1))
    assert found["other"] == pytest.approx(moved(size, mirrored=2, clients=1, hops=2))


@pytest.mark.parametrize(
    ("scenario", "target", "field", "value", "remedy"),
    [
        ({"group_size": 5}, TRIO, "group_size", 5, "has 3 nodes, and each member needs its own; at most 3"),
        ({"group_size": 3}, PAIR, "group_size", 3, "has 2 nodes, and each copy needs its own; at most 2"),
        (
            {"group_size": 1},
            SINGLE,
            "group_size",
            1,
            "queues of rabbitmq-single have no group of members and no mirrors; remove it, or drop",
        ),
        ({"group_size": 3}, SQS, "group_size", 3, "queues of sqs-standard have no group of members"),
        ({"connect_to": "leader"}, SQS, "connect_to", "leader", "Amazon SQS has no nodes to choose among"),
        (
            {"connect_to": "other"},
            SINGLE,
            "connect_to",
            "other",
            "1 node would run, so that there is no other",
        ),
        ({"connect_to": "other", "nodes_down": 1}, PAIR, "connect_to", "other", "1 node would run"),
        (
            {"queue_mode": "lazy"},
            TRIO,
            "queue_mode",
            "lazy",
            "are no classic queues, which alone can be lazy",
        ),
        ({"queue_mode": "lazy"}, SQS, "queue_mode", "lazy", "are no classic queues, which alone can be lazy"),
        ({"leaders": "one"}, SQS, "leaders", "one", "Amazon SQS has no nodes to put queues on"),
    ],
)
def test_where_queues_cannot_be_is_refused_in_the_plan(scenario, target, field, value, remedy):
    with pytest.raises(InputError) as caught:
        cases_of(scenario, target)
    assert (caught.value.field, caught.value.value) == (f"scenarios.s.{field}", value)
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("target", "scenario", "mirrors"),
    [
        (TRIO, {}, 2),
        (TRIO, {"nodes_down": 1}, 1),
        (TRIO, {"group_size": 1}, 0),
        (PAIR, {}, 1),
        (PAIR, {"nodes_down": 1}, 0),
        (PAIR, {"group_size": 1}, 0),
        (PAIR, {"group_size": 2, "nodes_down": 1}, 0),
        (SINGLE, {}, 0),
    ],
)
def test_copies_are_due_on_the_nodes_that_are_up_and_in_the_group(target, scenario, mirrors):
    (case,) = cases_of(scenario, target)
    assert mirrors_of(case) == mirrors


def test_a_case_that_was_stored_before_these_fields_reads_as_it_was_run():
    (case,) = cases_of({}, PAIR)
    stored = case.workload.model_dump(mode="json")
    del stored["leaders"], stored["group_size"]
    assert Workload.model_validate(stored) == case.workload
