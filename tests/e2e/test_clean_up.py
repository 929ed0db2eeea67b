"""Runs that were stopped where they stood: the rule alone, and the watchdog alone, let go of what they made.

Real handlers and a real pair; SQS is the control plane's own. Nothing here delivers events to EventBridge:
the functions are called with the documents that it would send.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from breakeven.planning.plan import make_plan
from breakeven.results import layout
from breakeven.results.fault_orders import FaultOrder, FaultOrders
from breakeven.results.items import LOCKS, RUN, all_loaders_item, lane_item
from breakeven.results.state import RunState
from breakeven.workload.case import Case
from breakeven.workload.read import parse_suite, parse_yaml
from tests.support.aws.stack_deletion import assert_images_go
from tests.support.aws.status_change import status_change
from tests.support.canaries import arguments, holds
from tests.support.grants import review
from tests.support.grants.recorder import Recorder
from tests.support.grants.roles import by_role, defined, on_one_machine, roles_of
from tests.support.workflow.left_behind import (
    NOTHING,
    OF_THEIRS,
    OURS,
    THEIRS,
    WHOLE,
    leave,
    make_theirs,
    standing,
)
from tests.support.workflow.managed_brokers import AnsweringBrokers
from tests.support.workflow.places import SEARCHED, places, plant
from tests.support.workflow.workflow_runs import Fault, Workflow, parse_suite_text, workflow_at

pytestmark = pytest.mark.installed

PAIR = "rabbitmq-mirrored-pair"
SUITE = """
suite: two-targets
title: One short case of each
targets: [rabbitmq-mirrored-pair, sqs-standard]
instrument: false
scenarios:
  parallel: {threads: 1, warmup_s: 0, measure_s: 1, drain_s: 10, message_size: 16B}
"""
#: the same with loaders that are tasks
AS_TASKS = SUITE.replace("scenarios:", "defaults: {loader: fargate}\nscenarios:")
MANAGED = SUITE.replace("rabbitmq-mirrored-pair, sqs-standard", "amazon-mq-cluster").replace(
    "{threads: 1,", "{faults: [{at_s: 0, kind: reboot}], threads: 1,"
)
TICK = {"detail-type": "Scheduled Event", "source": "aws.events", "detail": {}}
LIMIT_S = 120


@pytest.fixture(scope="module")
def recorder():
    """Every call that reaches the simulated AWS in this file's runs."""
    recorder = Recorder()
    yield recorder
    recorder.check()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("clean-up")


@pytest.fixture(scope="module")
def seen_arguments(pair_arguments, rabbitmq_pair):
    """What processes are called with while these runs go on, and were while the pair was started."""
    with arguments() as seen:
        seen.update(pair_arguments)
        yield seen


@pytest.fixture(scope="module")
def workflow(recorder, assembly, rabbitmq_pair, folder, seen_arguments):
    brokers = AnsweringBrokers()
    with workflow_at(assembly, rabbitmq_pair, None, folder, [recorder], baked=False, brokers=brokers) as made:
        yield made


def start(workflow: Workflow, run_id: str, *faults: Fault, machine: str | None = None) -> str:
    """Start the suite, both lanes at once."""
    workflow.calls.faults[run_id] = list(faults)
    text = AS_TASKS if run_id == "tasks" else SUITE
    wanted = {"suite": parse_suite_text(text), "surroundings": {"name": "aws"}}
    return workflow.start(run_id, machine, **wanted)


#: loaders never come to do anything
HANGING = (Fault("Load", "timeout"), Fault("Watch", "timeout"))


def wait_for(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def wait_until_whole(workflow: Workflow, run_id: str) -> None:
    """Nodes have registered, queues are there, loaders have been called."""
    state = workflow.state(run_id)
    wait_for(lambda: state.get(lane_item(PAIR)).get("status") == "ready")
    wait_for(lambda: sum(case.get("status") == "running" for case in state.items("case#").values()) == 2)
    assert standing(workflow, run_id) == WHOLE


def lock_name(workflow: Workflow) -> str:
    return str(workflow.outputs["StateMachineArn"].rpartition(":")[2])


def lock(workflow: Workflow) -> dict[str, Any]:
    table = workflow.plane.resource("dynamodb").Table(workflow.outputs["StateTableName"])
    return RunState(table, LOCKS).get(lock_name(workflow))


#: runs that come to their end: run -> what fails in it
TO_THEIR_END = {
    "well": (),
    "tasks": (),
    "ill": (Fault("SettleCase", "raise"),),
    "worse": (Fault("SettleCase", "raise"), Fault("FailCase", "raise")),
    "broken": (Fault("EstablishLane", "raise"), Fault("ReleaseLane", "raise")),
    "half": (Fault("PrepareCaseOutside", "raise"), Fault("FailCaseOutside", "raise")),
}


@pytest.fixture(scope="module")
def others(workflow):
    """The same, under way while the tests of the others go on: run -> execution."""
    workflow.call("health", {"time": "2026-12-01T05:07:00Z"})  # before any run went well
    executions = {
        run_id: start(workflow, run_id, *faults, machine=workflow.machine(run_id))
        for run_id, faults in TO_THEIR_END.items()
    }
    leave(workflow, "broken", OURS)
    return executions


@pytest.fixture(scope="module")
def going_on(workflow, others):
    """A run that stands beside the others until the last test: on a state machine of its own."""
    execution = start(workflow, "going-on", *HANGING, machine=workflow.machine("going-on"))
    wait_until_whole(workflow, "going-on")
    with_a_node_down(workflow, "going-on")
    yield execution
    workflow.plane.stop(execution)


def stop(workflow: Workflow, run_id: str, execution: str) -> None:
    """Abort it where it stands, with what a bad launch would have left, beside another installation's."""
    wait_until_whole(workflow, run_id)
    leave(workflow, run_id, OURS)
    make_theirs(workflow, run_id)
    workflow.plane.stop(execution)
    assert lock(workflow)["released_at"] is None
    assert standing(workflow, run_id) == {**WHOLE, "unused volumes": 1, "unused interfaces": 1}


def assert_cleaned_up(workflow: Workflow, run_id: str, execution: str) -> None:
    assert standing(workflow, run_id) == NOTHING
    assert workflow.machines.launched[run_id] <= workflow.machines.terminated
    record = workflow.state(run_id).get(RUN)
    assert (record["status"], record["reason"]) == ("aborted", "the execution was aborted")
    found = lock(workflow)
    assert found["owner"] == execution
    assert found["released_at"] is not None
    assert standing(workflow, run_id, THEIRS) == OF_THEIRS
    assert standing(workflow, "going-on") == WHOLE
    assert workflow.state("going-on").get(RUN)["status"] == "running"


def assert_brokers_keep_the_next_run_out(workflow: Workflow) -> None:
    """Even after the lease of the run that has left them."""
    table = workflow.plane.resource("dynamodb").Table(workflow.outputs["StateTableName"])
    table.put_item(Item={"run_id": LOCKS, "item": lock_name(workflow), **lock(workflow), "lease_until": 1})
    assert workflow.end(start(workflow, "refused")) == "FAILED"
    assert "brokers of run by-rule still run" in workflow.state("refused").get(RUN)["reason"]


def test_after_an_aborted_execution_the_rule_alone_lets_go(workflow, going_on):
    execution = start(workflow, "by-rule", *HANGING)
    stop(workflow, "by-rule", execution)
    assert_brokers_keep_the_next_run_out(workflow)
    event = status_change(workflow.outputs["StateMachineArn"], "by-rule", "ABORTED")
    workflow.call("clean_up", event)
    assert_cleaned_up(workflow, "by-rule", execution)
    before = workflow.state("by-rule").get(RUN)
    workflow.call("clean_up", event)
    assert_cleaned_up(workflow, "by-rule", execution)
    assert workflow.state("by-rule").get(RUN) == before


def test_an_event_of_a_run_that_goes_on_after_all_is_left_alone(workflow, going_on):
    machine = going_on.replace(":execution:", ":stateMachine:").rpartition(":")[0]
    workflow.call("clean_up", status_change(machine, "going-on", "FAILED"))
    assert standing(workflow, "going-on") == WHOLE
    assert workflow.state("going-on").get(RUN)["status"] == "running"


def test_after_an_aborted_execution_the_watchdog_alone_lets_go(workflow, going_on):
    execution = start(workflow, "by-watchdog", *HANGING)  # gets the lock of the one before
    stop(workflow, "by-watchdog", execution)
    with ThreadPoolExecutor(2) as pool:
        for watched in [pool.submit(workflow.call, "watchdog", TICK) for _ in range(2)]:
            watched.result()
    assert_cleaned_up(workflow, "by-watchdog", execution)
    before = workflow.state("by-watchdog").get(RUN)
    workflow.call("watchdog", TICK)
    assert_cleaned_up(workflow, "by-watchdog", execution)
    assert workflow.state("by-watchdog").get(RUN) == before


def test_the_watchdog_lets_go_of_a_run_that_has_outlasted_its_lease(workflow, going_on):
    workflow.state("going-on").update(RUN, deadline_at=1)
    workflow.call("watchdog", TICK)
    assert standing(workflow, "going-on") == NOTHING
    assert workflow.plane.status(going_on) == "RUNNING"
    assert workflow.state("going-on").get(RUN)["status"] == "running"


@pytest.fixture(scope="module")
def ended(workflow, others):
    return {run_id: workflow.end(execution) for run_id, execution in others.items()}


def with_a_node_down(workflow: Workflow, run_id: str) -> None:
    """What the workflow calls around a case that wants a node down."""
    state, store = workflow.state(run_id), workflow.store()
    (case,) = [each for each in state.items("case#").values() if each["target"] == PAIR]
    document = store.get_json(layout.case_key(run_id, case["case_id"]))
    document["workload"]["nodes_down"] = 1
    store.put_json(layout.case_key(run_id, "down"), {**document, "case_id": "down"})
    for entry in ("stop_nodes", "start_nodes", "await_nodes"):
        workflow.call(entry, {"run_id": run_id, "target": PAIR, "case_id": "down"})


def has_it_rebooted(workflow: Workflow, case: Case) -> None:
    """An attempt that failed before its reboot was ordered, and one that has it."""
    store, failed = workflow.store(), all_loaders_item(case.case_id, 1)
    store.put_json(layout.case_key(case.run_id, case.case_id), case.model_dump(mode="json"))
    workflow.state(case.run_id).update(failed, reason="a loader is missing")
    order = FaultOrder(
        case_id=case.case_id,
        attempt=2,
        number=1,
        kind="reboot",
        aimed_at="broker",
        node="the broker",
        due_at_s=time.time() + 10,
        for_s=0.0,
        in_sync=None,
    )
    orders = FaultOrders(store, case.run_id, case.target)
    orders.give(order)
    event = {"run_id": case.run_id, "target": case.target, "case_id": case.case_id}
    for attempt in (1, 2):
        workflow.call("reboot_broker", {**event, "attempt": attempt})
    assert orders.answered(case.case_id, 2)[1].back_at_s is not None


def with_a_managed_broker(workflow: Workflow) -> None:
    """What the workflow calls of a lane of Amazon MQ, and the clock while its broker stands."""
    plan = make_plan(parse_suite(parse_yaml(MANAGED.encode(), "test"), "test"), run_id="managed")
    ((leg,),) = plan.model_dump(mode="json")["rounds"]
    event = {
        "run_id": "managed",
        "leg": {**leg, "brokers": True, "managed": True, "warms_up": False, "warm_up_s": 0.0},
    }
    workflow.call("create_broker", event)
    workflow.call("health", {"time": "2026-12-01T05:07:00Z"})
    api = workflow.plane.client("mq")
    wait_for(lambda: [each["BrokerState"] for each in api.list_brokers()["BrokerSummaries"]] == ["RUNNING"])
    workflow.call("create_broker", event)
    (case,) = plan.cases
    has_it_rebooted(workflow, case)
    workflow.call("release_lane", event)
    wait_for(lambda: not api.list_brokers()["BrokerSummaries"])


@pytest.fixture(scope="module")
def apart(workflow, ended):
    """What the clock calls, and the plan of a run that goes on with another."""
    with_a_managed_broker(workflow)
    scheduled = {"scheduled_time": "2026-12-01T06:00:00Z", "input": {"suite": "there is none"}}
    workflow.call("start_scheduled", scheduled)
    goes_on = {"suite": parse_suite_text(SUITE), "surroundings": {"name": "aws"}, "resume_run_id": "half"}
    workflow.calls.faults["resumed"] = [Fault("TakeLock", "raise")]
    resumed = workflow.end(workflow.start("resumed", workflow.machine("resumed"), **goes_on))
    assert_images_go(workflow)
    assert (resumed, workflow.state("resumed").get(RUN)["failed_at"]) == ("FAILED", "TakeLock")


@pytest.fixture(scope="module")
def held(workflow, going_on, ended, apart, recorder):
    """The roles as they are deployed, and every call that is theirs."""
    for run_id, status in ended.items():
        cases = workflow.state(run_id).items("case#").values()
        some_ok = any(case["status"] == "ok" for case in cases)
        assert status == ("SUCCEEDED" if some_ok else "FAILED"), run_id
    machine = workflow.outputs["StateMachineArn"]
    api = workflow.plane.client("stepfunctions")
    definition = json.loads(api.describe_state_machine(stateMachineArn=machine)["definition"])
    return roles_of(workflow.plane), on_one_machine(by_role(recorder.calls), machine) | defined(definition)


def test_a_run_that_its_lanes_and_cases_have_not_cleaned_up_is_cleaned_up_at_its_end(workflow, ended):
    for run_id in TO_THEIR_END:
        assert standing(workflow, run_id) == NOTHING, run_id
    assert workflow.state("broken").get(RUN)["release_failed_at"] == "ReleaseLane"


def test_every_call_is_allowed_and_nothing_else_is(held):
    roles, calls = held
    reviewed = review.implied()
    assert {call.caller for call in calls} == {role for role in roles if not role.startswith("role:")}
    assert review.too_little(roles, calls, reviewed) == []
    unused = sorted(map(str, review.unused(roles, calls, reviewed)))
    assert unused == [], "\n".join(unused)
    assert review.idle(roles, calls, reviewed) == []
    assert sorted(map(str, review.on_everything(roles))) == []


def test_without_any_one_permission_something_would_be_denied(held):
    roles, calls = held
    reviewed = review.implied()
    taken = {(grant.role, grant.action) for grant in review.granted(roles)}
    assert len(taken) > 150
    for role, action in taken:
        left = {role: review.without(roles[role], action)}
        theirs = {call for call in calls if call.caller == role}
        assert review.too_little(left, theirs, reviewed), (role, action)


def test_no_secret_is_anywhere_but_among_the_secrets(
    workflow, ended, going_on, assembly, folder, seen_arguments
):
    secret = {workflow.machines.access.password, *workflow.machines.secrets}
    assert len(secret) > 2 * len(TO_THEIR_END)
    searched = list(places(workflow, assembly, folder / "logs"))
    assert {place for place, body in searched if holds(body, secret)} == set()
    assert not holds(b"\n".join(seen_arguments), secret)
    assert {place for place, _ in searched} >= SEARCHED


def test_a_secret_that_is_there_is_found(workflow, ended, assembly, folder):
    canary = "Canary/of~these+tests"
    planted = plant(workflow, canary, folder / "logs")
    found = {place for place, body in places(workflow, assembly, folder / "logs") if holds(body, [canary])}
    assert found == planted
    with arguments() as seen:
        subprocess.run([sys.executable, "-c", "import time; time.sleep(0.5)", canary], check=True)
    assert holds(b"\n".join(seen), [canary])
