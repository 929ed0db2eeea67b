"""Faults of nodes: what a suite says of them, what is refused, and what the plan makes of them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.planning import execution_limits
from breakeven.planning.budget.durations import seconds_needed
from breakeven.planning.budget.planning_assumptions import OVERHEADS
from breakeven.planning.expand import expand
from breakeven.planning.plan import make_plan
from breakeven.planning.warm_up import windows_of
from breakeven.workload.case import Case, Workload
from breakeven.workload.fault_steps import steps_of
from breakeven.workload.node_faults import ALARMS, BACK_S, NodeFault
from breakeven.workload.read import load_shipped, parse_suite
from breakeven.workload.suite import Suite
from local.servers.endpoints import Endpoints

SQS, PAIR, TRIO, SINGLE = (
    "sqs-standard",
    "rabbitmq-mirrored-pair",
    "rabbitmq-quorum-trio",
    "rabbitmq-single",
)
KILL = {"at_s": 10, "kind": "kill", "node": "leader", "for_s": 5}
ROLLING = {"at_s": 10, "kind": "rolling-restart", "for_s": 5}


def fault(**changes: Any) -> dict[str, Any]:
    return {**KILL, **changes}


def upgrade(to: Any) -> dict[str, Any]:
    return {"at_s": 10, "kind": "upgrade", "for_s": 5, "to": to}


def suite_of(scenario: dict[str, Any], *targets: str, **changes: Any) -> Suite:
    found = {"suite": "x", "title": "x", "targets": list(targets or (TRIO,)), "instrument": False, **changes}
    return parse_suite({**found, "scenarios": {"s": {"threads": 2, "measure_s": 60, **scenario}}}, "x.yaml")


def cases(scenario: dict[str, Any], *targets: str, **changes: Any) -> list[Case]:
    return expand(suite_of(scenario, *targets, **changes), run_id="run-1", environment="local")


def test_a_case_has_its_faults_and_says_them_in_words() -> None:
    (case,) = cases(
        {"faults": [KILL, fault(at_s=30, kind="pause", node=2), fault(at_s=40, kind="memory-alarm", node=3)]}
    )
    assert case.workload.faults == (
        NodeFault(at_s=10, kind="kill", node="leader", for_s=5),
        NodeFault(at_s=30, kind="pause", node=2, for_s=5),
        NodeFault(at_s=40, kind="memory-alarm", node=3, for_s=5),
    )
    assert case.workload.parameters()["faults"] == (
        "kill the leader's node at 10 s for 5 s, pause node 2 at 30 s for 5 s, "
        "memory-alarm on node 3 at 40 s for 5 s"
    )
    assert Case.model_validate(case.model_dump(mode="json")) == case


def test_without_any_a_case_says_nothing_of_them_and_one_stored_before_is_read() -> None:
    (case,) = cases({})
    assert case.workload.faults == ()
    assert "faults" not in case.workload.parameters()
    stored = case.workload.model_dump(mode="json")
    del stored["faults"]
    assert Workload.model_validate(stored) == case.workload


def test_a_suites_document_reads_the_same() -> None:
    suite = suite_of({"faults": [KILL, fault(at_s=30, node=3)]})
    assert parse_suite(suite.document(), "x.yaml").sha256 == suite.sha256


@pytest.mark.parametrize(
    ("entry", "path", "value", "remedy"),
    [
        (fault(at_s=-1), "faults.0.at_s", -1, "seconds since the measured stage's start, 0 to 10800"),
        (fault(for_s=0), "faults.0.for_s", 0, "over 0 and at most 240"),
        (fault(for_s=-5), "faults.0.for_s", -5, "over 0 and at most 240"),
        (fault(for_s=241), "faults.0.for_s", 241, "over 0 and at most 240"),
        (
            fault(kind="burn"),
            "faults.0.kind",
            "burn",
            "one of kill, stop, pause, memory-alarm, disk-alarm, partition,",
        ),
        (
            fault(kind="rolling-restart"),
            "faults.0.node",
            "leader",
            "is of all nodes, one after the other; remove it",
        ),
        (fault(node="first"), "faults.0.node", "first", "leader, other, or a node's number from 1 to 9"),
        (fault(node=0), "faults.0.node", 0, "leader, other, or a node's number from 1 to 9"),
        (fault(node=True), "faults.0.node", True, "leader, other, or a node's number from 1 to 9"),
        (fault(node="2"), "faults.0.node", "2", "leader, other, or a node's number from 1 to 9"),
        (fault(to="4.3"), "faults.0.to", "4.3", "is of an upgrade, and this is kill; remove it"),
        (
            {"at_s": 1, "kind": "upgrade", "for_s": 5},
            "faults.0.to",
            None,
            "is required: a series of RabbitMQ",
        ),
        (upgrade("4"), "faults.0.to", "4", 'must be a series of RabbitMQ in quotes, such as "4.3"'),
        (upgrade(4.3), "faults.0.to", 4.3, 'must be a series of RabbitMQ in quotes, such as "4.3"'),
        ({**upgrade("4.3"), "node": 1}, "faults.0.node", 1, "upgrade is of all nodes, one after the other"),
        (fault(after_s=2), "faults.0.after_s", 2, "no such field"),
        ({k: v for k, v in KILL.items() if k != "node"}, "faults.0.node", None, "is required: leader, other"),
        ({k: v for k, v in KILL.items() if k != "at_s"}, "faults.0.at_s", None, "is required: seconds"),
    ],
)
def test_what_is_no_fault_is_named(entry: dict[str, Any], path: str, value: object, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        suite_of({"faults": [entry]})
    assert (caught.value.field, caught.value.value) == (f"scenarios.s.{path}", value)
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    "scenario",
    [{"mode": "load-unload", "messages": 10, "measure_s": None}, {"mode": "capacity", "rate": 100}],
)
def test_they_need_a_measured_stage(scenario: dict[str, Any]) -> None:
    given = {name: value for name, value in scenario.items() if value is not None}
    suite = {"suite": "x", "title": "x", "targets": [TRIO]}
    with pytest.raises(InputError) as caught:
        parse_suite({**suite, "scenarios": {"s": {"threads": 2, **given, "faults": [KILL]}}}, "x.yaml")
    assert caught.value.field == "scenarios.s.faults"
    assert "mode: parallel" in caught.value.remedy


@pytest.mark.parametrize(
    ("scenario", "target", "field", "value", "remedy"),
    [
        ({"faults": [fault(at_s=60)]}, TRIO, "faults.0.at_s", "60", "the measured stage ends after 60 s"),
        (
            {"faults": [fault(at_s=20)], "measure_s": None, "rate": 5, "profile": [{"rate": 5, "for_s": 20}]},
            TRIO,
            "faults.0.at_s",
            "20",
            "the measured stage ends after 20 s",
        ),
        ({"faults": [fault(node=4)]}, TRIO, "faults.0.node", 4, "has 3 nodes; at most 3"),
        ({"faults": [fault(node=3)]}, PAIR, "faults.0.node", 3, "has 2 nodes; at most 2"),
        (
            {"faults": [fault(kind="pause", for_s=45)]},
            TRIO,
            "faults.0.for_s",
            "45",
            "peers may give up a node that is silent for 45 s, and then it goes on partitioned from them; "
            "pause it for less than 45 s, or use partition, which heals it",
        ),
        (
            {"faults": [fault(node="other")]},
            SINGLE,
            "faults.0.node",
            "other",
            "has 1 node, so that there is no",
        ),
        (
            {"faults": [fault(node=1), fault(at_s=12, node=1)]},
            TRIO,
            "faults.1.at_s",
            "12",
            "faults.0 has node 1 until 15 s; begin it after that",
        ),
        (
            {"faults": [fault(node=1), fault(at_s=12, node=2)]},
            PAIR,
            "faults.1.at_s",
            "12",
            "2 of the 2 nodes of rabbitmq-mirrored-pair would be away at once, and its queues bear 1; "
            "begin it at 15 s or later",
        ),
        (
            {"faults": [fault(at_s=12), fault(node="other")]},
            TRIO,
            "faults.0.at_s",
            "12",
            "2 of the 3 nodes of rabbitmq-quorum-trio would be away at once, and its queues bear 1",
        ),
        (
            {"faults": [fault(kind="disk-alarm"), fault(at_s=12, node=2)]},
            TRIO,
            "faults.1.at_s",
            "12",
            "faults.0 blocks all who publish until then; begin it at 15 s or later",
        ),
        (
            {"faults": [fault(node=1), fault(at_s=12, kind="memory-alarm", node=2)]},
            TRIO,
            "faults.1.at_s",
            "12",
            "faults.0 has a node until then, and memory-alarm would block all who publish; begin it at 15 s",
        ),
        (
            {"faults": [fault(kind="memory-alarm")]},
            SQS,
            "faults",
            "memory-alarm on the leader's node at 10 s for 5 s",
            "Amazon SQS has no nodes",
        ),
        (
            {"faults": [KILL, ROLLING]},
            TRIO,
            "faults.1.kind",
            "rolling-restart",
            "it lasts until the last node is back, and nobody knows when; give it a scenario of its own",
        ),
        (
            {"faults": [fault(kind="partition")]},
            SINGLE,
            "faults.0.kind",
            "partition",
            "has 1 node, and no peers; use pause",
        ),
        (
            {"faults": [ROLLING]},
            SINGLE,
            "faults.0.kind",
            "rolling-restart",
            "has 1 node, and none that would go on",
        ),
        (
            {"faults": [ROLLING]},
            "amazon-mq-cluster",
            "faults",
            "rolling-restart from 10 s, each node away for 5 s",
            "no call reaches a single node of amazon-mq-cluster, and RebootBroker is not built",
        ),
        (
            {"faults": [upgrade("4.3")]},
            TRIO,
            "faults.0.to",
            "4.3",
            "RabbitMQ 4.0, which upstream forbids to upgrade to 4.3 at once: it has to go by 4.2, with",
        ),
        (
            {"faults": [upgrade("4.2")]},
            TRIO,
            "faults.0.to",
            "4.2",
            "upstream allows RabbitMQ 4.0 to be upgraded to 4.2, and there is nothing here to do it with",
        ),
        (
            {"faults": [upgrade("4.0")]},
            PAIR,
            "faults.0.to",
            "4.0",
            "which upstream forbids to upgrade to 4.0 at once: it has to go by 3.11 (3.11.18 or newer), "
            "3.12, 3.13, with all stable feature flags enabled before each step; remove it",
        ),
        ({"faults": [upgrade("3.9")]}, TRIO, "faults.0.to", "3.9", "runs RabbitMQ 4.0, and 3.9 is not newer"),
        ({"faults": [upgrade("4.0")]}, TRIO, "faults.0.to", "4.0", "runs RabbitMQ 4.0, and 4.0 is not newer"),
        (
            {"faults": [upgrade("9.1")]},
            TRIO,
            "faults.0.to",
            "9.1",
            "is no series of RabbitMQ that upstream's",
        ),
        ({"faults": [upgrade("4.3")]}, SQS, "faults", "upgrade to 4.3", "Amazon SQS has no nodes"),
        ({"faults": [KILL], "nodes_down": 1}, TRIO, "nodes_down", 1, "begins with all nodes up"),
        (
            {"faults": [KILL]},
            SQS,
            "faults",
            "kill the leader's node at 10 s for 5 s",
            "Amazon SQS has no nodes",
        ),
        (
            {"faults": [KILL]},
            "amazon-mq-cluster",
            "faults",
            "kill the leader's node at 10 s for 5 s",
            "no call reaches a single node of amazon-mq-cluster, and RebootBroker is not built",
        ),
    ],
)
def test_what_cannot_be_carried_out_is_refused(
    scenario: dict[str, Any], target: str, field: str, value: object, remedy: str
) -> None:
    given = {"measure_s": 60, **scenario}
    found = {"suite": "x", "title": "x", "targets": [target], "instrument": False}
    body = {name: value for name, value in {"threads": 2, **given}.items() if value is not None}
    with pytest.raises(InputError) as caught:
        expand(parse_suite({**found, "scenarios": {"s": body}}, "x.yaml"), run_id="r", environment="local")
    assert (caught.value.field, caught.value.value) == (f"scenarios.s.{field}", value)
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("faults", "target", "more"),
    [
        ([fault(kind="memory-alarm"), fault(at_s=15, kind="disk-alarm")], PAIR, {}),
        ([fault(at_s=0), fault(at_s=5)], PAIR, {}),
        ([KILL], SINGLE, {}),
        ([fault(kind="pause", for_s=240)], SINGLE, {}),
        ([fault(kind="pause", for_s=44.9)], PAIR, {}),
        ([fault(node=1), fault(at_s=15, node=1)], SINGLE, {}),
        ([fault(node=1), fault(at_s=12, node=2)], TRIO, {"group_size": 5}),
        ([KILL], TRIO, {"group_size": 1}),
    ],
)
def test_what_queues_bear_is_planned(faults: list[dict[str, Any]], target: str, more: dict[str, Any]) -> None:
    five = {"machines": {TRIO: {"five": {"nodes": 5}}}} if more.get("group_size") == 5 else {}
    (case,) = cases({"faults": faults, **more}, target, **five)
    assert len(case.workload.faults) == len(faults)


def test_nodes_that_were_given_are_left_alone() -> None:
    given = Endpoints(("amqp://127.0.0.1:1", "amqp://127.0.0.1:2"))
    suite = suite_of({"faults": [KILL]}, PAIR)
    with pytest.raises(InputError) as caught:
        given.check(suite, expand(suite, run_id="run-1", environment="local"))
    assert (caught.value.where, caught.value.field) == ("x.yaml", "scenarios.s.faults")
    assert (
        "given by --rabbitmq-url are never killed, stopped, paused or cut off, and raise no alarm of ours"
        in caught.value.remedy
    )


def test_on_aws_they_are_planned_as_here() -> None:
    suite = suite_of({"faults": [KILL]})
    there, here = (make_plan(suite, run_id="run-1", environment=at) for at in ("aws", "local"))
    assert there.refusals == here.refusals == []
    assert there.fault_notes == here.fault_notes
    assert there.fault_notes


def test_the_plan_tells_the_workflow_and_reckons_with_them() -> None:
    plain, faulty = (
        make_plan(suite_of(scenario), run_id="run-1", environment="local")
        for scenario in ({}, {"faults": [KILL]})
    )
    assert faulty.refusals == []
    ((without,),), ((ref,),) = ([leg.cases for leg in plan.rounds[0]] for plan in (plain, faulty))
    assert (without.faults, ref.faults) == (0, 1)
    (before,), (after,) = plain.cases, faulty.cases
    assert after.expected_s == pytest.approx(before.expected_s + OVERHEADS["local"].faults, abs=0.11)
    more = execution_limits.history_events([after]) - execution_limits.history_events([before])
    assert more == execution_limits.HISTORY_OF_FAULTS


def test_a_loader_has_time_for_a_node_that_comes_back_after_the_drain() -> None:
    late = {"measure_s": 60, "drain_s": 1, "faults": [fault(at_s=59, for_s=200)]}
    (case,) = cases(late)
    gate_s = OVERHEADS["local"].gate + case.workload.warmup_s
    assert seconds_needed(case.workload, case.target, "local") == gate_s + 259 + BACK_S


def test_a_rolling_restart_may_take_nodes_to_the_end_of_the_stages() -> None:
    (case,) = cases({"measure_s": 60, "drain_s": 30, "faults": [ROLLING]})
    assert case.workload.parameters()["faults"] == "rolling-restart from 10 s, each node away for 5 s"
    gate_s = OVERHEADS["local"].gate + case.workload.warmup_s
    assert seconds_needed(case.workload, case.target, "local") == gate_s + 90 + 5 + BACK_S


def test_a_rolling_restart_has_a_step_a_node_each_after_the_one_before() -> None:
    (case,) = cases({"faults": [ROLLING]}, machines={TRIO: {"five": {"nodes": 5}}})
    steps = steps_of(case.workload.faults, 5)
    assert [(step.number, step.node, step.before) for step in steps] == [
        (1, 1, None),
        *((number, number, number - 1) for number in range(2, 6)),
    ]
    (early, late) = (NodeFault(at_s=at_s, kind="kill", node="leader", for_s=1) for at_s in (2, 9))
    assert [(step.number, step.before) for step in steps_of([late, early], 3)] == [(2, None), (1, None)]


def test_the_suite_of_rolling_restarts_has_one_on_a_trio_and_on_a_pair() -> None:
    found = expand(load_shipped("rolling-restart"), run_id="run-1", environment="local")
    assert {(case.target, *(each.kind for each in case.workload.faults)) for case in found} == {
        (TRIO, "rolling-restart"),
        (PAIR, "rolling-restart"),
    }


def test_a_fault_that_ends_too_late_for_a_function_is_refused_by_its_own_field() -> None:
    late = {"measure_s": 700, "drain_s": 1, "loader": "lambda", "faults": [fault(at_s=690, for_s=200)]}
    (refusal,) = make_plan(suite_of(late), run_id="run-1", environment="local").refusals
    assert (refusal.field, refusal.value) == ("scenarios.s.faults", 890)
    fits = int(re.search(r"may end (\d+) s after", refusal.remedy)[1])
    late["faults"] = [fault(at_s=690, for_s=fits - 690)]
    assert make_plan(suite_of(late), run_id="run-1", environment="local").refusals == []


def test_a_lane_is_warmed_without_them() -> None:
    (window,) = windows_of(cases({"faults": [KILL]}))
    assert window.workload.faults == ()


def test_the_suite_that_ships_has_each_kind_on_a_trio_and_on_a_pair() -> None:
    found = expand(load_shipped("faults"), run_id="run-1", environment="local")
    assert {(case.target, *(each.kind for each in case.workload.faults)) for case in found} == {
        (target, kind) for target in (TRIO, PAIR) for kind in ("kill", "stop", "pause", *ALARMS, "partition")
    }
    plan = make_plan(load_shipped("faults"), run_id="run-1", environment="local")
    assert plan.refusals == []
    assert plan.estimate.seconds < 10 * 60
