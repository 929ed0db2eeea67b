"""Clusters of more nodes than their form usually has: what a suite may ask for, and what follows from it."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.planning.budget.estimate import lane_seconds
from breakeven.planning.budget.lane_lines import cross_zone_gb
from breakeven.planning.budget.planning_assumptions import OVERHEADS
from breakeven.planning.expand import expand
from breakeven.planning.machine_availability import Account
from breakeven.planning.plan import make_plan
from breakeven.pricing.cluster_form import NODES
from breakeven.steps.case.case_rows import flags_of, mirrors_of
from breakeven.targets.catalog import PAIR, SINGLE, TRIO, clusters
from breakeven.terms import MAX_NODES
from breakeven.workload.case import Case
from breakeven.workload.read import parse_suite
from breakeven.workload.suite import Suite
from tests.support.money.traffic_by_hand import moved


def suite_of(sizes: dict[str, Any], kind: str = TRIO, **scenario: Any) -> Suite:
    document = {"suite": "x", "title": "t", "targets": [kind], "machines": {kind: sizes}, "instrument": False}
    return parse_suite(document | {"scenarios": {"s": {"threads": 3, **scenario}}}, "x.yaml")


def case_of(nodes: int, kind: str = TRIO, **scenario: Any) -> Case:
    (case,) = expand(suite_of({"n": {"nodes": nodes}}, kind, **scenario), run_id="run-1")
    return case


def refused(nodes: int, kind: str = TRIO, **scenario: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        case_of(nodes, kind, **scenario)
    return caught.value


@pytest.mark.parametrize("kind", [TRIO, PAIR])
def test_a_cluster_has_from_its_forms_nodes_up_to_nine(kind):
    for nodes in clusters()[kind].counts:
        case = case_of(nodes, kind)
        assert case.machines
        assert (case.nodes, case.machines.nodes) == (nodes, nodes)
    assert clusters()[kind].counts == range(NODES[clusters()[kind].deployment], MAX_NODES + 1)
    (usual,) = expand(suite_of({"n": {}}, kind), run_id="run-1")
    assert usual.nodes == clusters()[kind].count


@pytest.mark.parametrize(
    ("nodes", "kind", "remedy"),
    [
        (1, TRIO, "rabbitmq-quorum-trio has 3 to 9 nodes; give as many, or remove it for 3"),
        (2, TRIO, "rabbitmq-quorum-trio has 3 to 9 nodes; give as many, or remove it for 3"),
        (1, PAIR, "rabbitmq-mirrored-pair has 2 to 9 nodes; give as many, or remove it for 2"),
        (3, SINGLE, "rabbitmq-single has 1 node, no more and no fewer; remove it"),
    ],
)
def test_another_number_is_refused_with_those_that_there_can_be(nodes, kind, remedy):
    error = refused(nodes, kind)
    assert (error.field, error.value, error.remedy) == (f"machines.{kind}.n.nodes", nodes, remedy)


@pytest.mark.parametrize("nodes", [0, 10])
def test_no_suite_asks_for_none_or_for_more_than_nine(nodes):
    error = refused(nodes)
    assert (error.field, error.value) == (f"machines.{TRIO}.n.nodes", nodes)
    assert "from 1 to 9" in error.remedy


def test_a_group_has_at_most_as_many_members_as_the_cluster_has_nodes():
    assert case_of(5, group_size=5).workload.group_size == 5
    error = refused(5, group_size=[3, 7])
    assert (error.field, error.value) == ("scenarios.s.group_size", 7)
    assert "rabbitmq-quorum-trio_n has 5 nodes, and each member needs its own; at most 5" in error.remedy


def test_of_two_sizes_the_one_that_is_too_small_is_named():
    with pytest.raises(InputError) as caught:
        expand(suite_of({"three": {}, "five": {"nodes": 5}}, group_size=5), run_id="run-1")
    assert "rabbitmq-quorum-trio_three has 3 nodes" in caught.value.remedy


@pytest.mark.parametrize(
    ("nodes", "scenario", "most"),
    [
        (
            3,
            {"nodes_down": 2},
            "most of them, 2, must be up for quorum queues, and from 4.2 on for metadata; at most 1",
        ),
        (3, {"nodes_down": 2, "group_size": 1}, "most of them, 2, must be up"),
        (
            4,
            {"nodes_down": 2},
            "most of them, 3, must be up for quorum queues, and from 4.2 on for metadata; at most 1",
        ),
        (
            5,
            {"nodes_down": 3},
            "most of them, 3, must be up for quorum queues, and from 4.2 on for metadata; at most 2",
        ),
        (5, {"nodes_down": 3, "group_size": 5}, "most of them, 3, must be up"),
        (5, {"nodes_down": 5}, "one must be left; at most 4"),
        (5, {"nodes_down": 4}, "most of them, 3, must be up"),
    ],
)
def test_no_more_nodes_are_stopped_than_leave_queues_their_majority(nodes, scenario, most):
    error = refused(nodes, **scenario)
    assert (error.field, error.value) == ("scenarios.s.nodes_down", scenario["nodes_down"])
    assert most in error.remedy


@pytest.mark.parametrize(
    ("nodes", "kind", "scenario", "mirrors"),
    [
        (5, TRIO, {}, 2),
        # members are chosen among the nodes that run, of which there are enough
        (5, TRIO, {"nodes_down": 2}, 2),
        (5, TRIO, {"group_size": 5}, 4),
        (5, TRIO, {"group_size": 5, "nodes_down": 2}, 2),
        (4, PAIR, {}, 3),
        (4, PAIR, {"nodes_down": 1}, 2),
        # mirrors are made on the nodes that run, as far as there are any
        (5, PAIR, {"group_size": 2}, 1),
        (5, PAIR, {"group_size": 2, "nodes_down": 3}, 1),
        (5, PAIR, {"group_size": 4, "nodes_down": 3}, 1),
    ],
)
def test_copies_are_due_on_the_nodes_that_are_up_and_in_the_group(nodes, kind, scenario, mirrors):
    case = case_of(nodes, kind, **scenario)
    assert mirrors_of(case) == mirrors
    counts = {"before": {"q": mirrors}, "after": {"q": mirrors}}
    assert "mirrors_out_of_sync" not in flags_of(case, None, "measured", "aws", counts)
    fewer = {"before": {"q": mirrors - 1}, "after": {"q": mirrors}}
    assert "mirrors_out_of_sync" in flags_of(case, None, "measured", "aws", fewer)


def test_a_mirrored_queue_is_on_all_nodes_or_on_as_many_as_are_asked_for():
    assert case_of(5, PAIR).workload.group_size is None
    assert case_of(5, PAIR, group_size=2).workload.parameters()["group_size"] == 2
    assert case_of(5, PAIR, group_size=2, nodes_down=4).workload.nodes_down == 4, "copies need no majority"
    error = refused(5, PAIR, group_size=[5, 6])
    assert (error.field, error.value) == ("scenarios.s.group_size", 6)
    assert error.remedy.startswith(f"{PAIR}_n has 5 nodes, and each copy needs its own; at most 5")


def test_an_even_number_runs_and_the_plan_says_what_it_is_worth():
    made = make_plan(suite_of({"four": {"nodes": 4}, "five": {"nodes": 5}}), run_id="run-1")
    assert made.refusals == []
    assert made.machine_notes == [
        "rabbitmq-quorum-trio_four has 4 nodes: most of them must be up, so that 4 survive the loss of 1 "
        "node, as 3 do. RabbitMQ's makers recommend an odd number."
    ]
    assert make_plan(suite_of({"four": {"nodes": 4}}, PAIR), run_id="run-1").machine_notes == []


def test_more_nodes_than_the_account_may_run_are_refused_by_name():
    made = make_plan(suite_of({"n": {"nodes": 9}}), run_id="run-1", account=Account(vcpus=16))
    (refusal,) = made.refusals
    assert (refusal.field, refusal.value) == (f"machines.{TRIO}.n.instance_type", "m7g.large")
    assert "9 of them have 18 vCPUs, and the account may run 16" in refusal.remedy


@pytest.mark.parametrize("environment", ["aws", "local"])
def test_a_plan_has_the_time_and_the_instances_of_each_node(environment):
    three, five = (make_plan(suite_of({"n": {"nodes": each}}), run_id="run-1") for each in (3, 5))
    hours = [
        {line.item: line.quantity for line in made.estimate.lines}["m7g.large"] for made in (three, five)
    ]
    lanes = [made.estimate.lanes[f"{TRIO}_n"] for made in (three, five)]
    assert lanes[1] - lanes[0] == pytest.approx(2 * OVERHEADS["aws"].more_node)
    assert hours == pytest.approx([3 * lanes[0] / 3600, 5 * lanes[1] / 3600], rel=1e-3)
    seconds = [sum(lane_seconds([case_of(each)], environment).values()) for each in (3, 5)]
    assert seconds[1] - seconds[0] == pytest.approx(2 * OVERHEADS[environment].more_node)


def test_what_crosses_zones_is_of_the_groups_members_and_of_all_nodes():
    """Of five nodes in two zones (3 and 2) 6 of 10 pairs have a zone between them; quorum deliveries
    hop to the two nodes without a member.
    """
    case = case_of(5)
    size = case.workload.message_bytes
    of_three = moved(size, copies=2 * (2 / 3), clients=1, hops=(2 / 3) * (2 / 3))
    each = cross_zone_gb(case_of(3)) / of_three
    of_five = moved(size, copies=2 * 0.6, clients=1, hops=(0.8 + 0.4) * 0.6)
    assert cross_zone_gb(case) / each == pytest.approx(of_five)
    every = case_of(5, group_size=5)
    assert cross_zone_gb(every) / each == pytest.approx(
        moved(size, copies=4 * 0.6, clients=1, hops=0.8 * 0.6)
    )
    two = case_of(5, PAIR, group_size=2)
    of_two = moved(size, mirrored=2.8 * 0.6, clients=1, hops=2 * 0.8 * 0.6)
    assert cross_zone_gb(two) / each == pytest.approx(of_two)


def test_nodes_go_to_three_zones_at_most_one_after_another():
    zones = {"m7g.large": ("a", "b", "c", "d")}
    made = make_plan(suite_of({"n": {"nodes": 5}}), run_id="run-1", account=Account(zones=zones))
    assert {case.machines.zones for case in made.cases if case.machines} == {("a", "b", "c")}
