"""What the plan makes of faults of nodes: their steps, the time that they take, and the suites that ship."""

from __future__ import annotations

import re

import pytest

from breakeven.agent.effects import BACK_S
from breakeven.errors import InputError
from breakeven.planning import execution_limits
from breakeven.planning.budget.durations import seconds_needed
from breakeven.planning.budget.planning_assumptions import OVERHEADS
from breakeven.planning.expand import expand
from breakeven.planning.plan import make_plan
from breakeven.planning.warm_up import windows_of
from breakeven.workload.fault_steps import steps_of
from breakeven.workload.node_faults import ALARMS, REBOOT_S, NodeFault
from breakeven.workload.read import load_shipped
from local.servers.endpoints import Endpoints
from tests.support.fault_suites import KILL, PAIR, REBOOT, ROLLING, TRIO, cases, fault, suite_of


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


def test_a_fault_that_outlasts_its_stages_is_in_the_plans_time() -> None:
    stage = {"measure_s": 20, "drain_s": 1}
    short, long = (
        make_plan(
            suite_of({**stage, "faults": [fault(at_s=15, for_s=for_s)]}), run_id="r", environment="local"
        )
        for for_s in (2, 200)
    )
    assert long.refusals == []
    (before,), (after,) = short.cases, long.cases
    overheads = OVERHEADS["local"]
    around_s = overheads.before_case + overheads.after_case + overheads.faults + overheads.gate
    assert after.expected_s == pytest.approx(around_s + after.workload.warmup_s + 215, abs=0.11)
    assert long.estimate.seconds - short.estimate.seconds == pytest.approx(
        after.expected_s - before.expected_s, abs=0.11
    )


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


def test_a_reboot_is_one_step_of_the_broker_and_has_time_to_end() -> None:
    suite = suite_of({"faults": [REBOOT]}, "amazon-mq-cluster")
    plan = make_plan(suite, run_id="run-1", environment="aws")
    (case,), ((leg,),) = plan.cases, plan.rounds
    assert plan.refusals == []
    assert [(ref.faults, ref.reboots) for ref in leg.cases] == [(1, 1)]
    (step,) = steps_of(case.workload.faults, 3)
    assert (step.node, step.aimed_at, step.fault.words) == (None, "broker", "reboot the broker at 10 s")
    gate_s = OVERHEADS["aws"].gate + case.workload.warmup_s
    assert seconds_needed(case.workload, case.target, "aws") == gate_s + max(60 + 300, 10 + REBOOT_S)
    assert "no loss of confirmed messages is expected" in plan.fault_notes[0]


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
