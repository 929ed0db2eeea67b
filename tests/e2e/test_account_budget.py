"""One run at a time, a deadline, and a budget: through the synthesized workflow, with a real pair.

Runs one after another of the deployed state machine, so that each finds the lock as the one before left it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.planning.plan import make_plan
from breakeven.results.items import LOCKS, NO_CASE_OK, RUN, lane_item
from breakeven.workload.read import load_suite
from tests.support.workflow.workflow_runs import Fault, Workflow, functions_of, workflow_at

pytestmark = pytest.mark.installed

PAIR = "rabbitmq-mirrored-pair"


@pytest.fixture(scope="module")
def workflow(assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory):
    with workflow_at(assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory.mktemp("budget")) as made:
        yield made


@contextmanager
def at_call(workflow: Workflow, run_id: str, entry: str, do: Callable[[], None]) -> Iterator[None]:
    """Do something when the run is about to call a function for the first time, which waits for it."""
    done: list[bool] = []

    def look(of: str, function: str) -> None:
        if of == run_id and re.search(functions_of(entry), function) and not done:
            done.append(True)
            do()

    workflow.calls.before.append(look)
    try:
        yield
    finally:
        workflow.calls.before.remove(look)
    assert done, f"{run_id} never called {entry}"


def record(workflow: Workflow, run_id: str) -> dict[str, Any]:
    return workflow.state(run_id).get(RUN)


def table(workflow: Workflow) -> Any:
    return workflow.plane.resource("dynamodb").Table(workflow.outputs["StateTableName"])


def lock(workflow: Workflow) -> dict[str, Any]:
    (item,) = table(workflow).query(
        KeyConditionExpression="run_id = :locks", ExpressionAttributeValues={":locks": LOCKS}
    )["Items"]
    return dict(item)


def change_lock(workflow: Workflow, **fields: Any) -> None:
    table(workflow).put_item(Item={**lock(workflow), **fields})


def assert_refused(workflow: Workflow, run_id: str, words: str) -> None:
    """It ended without the lock, having launched and let go nothing."""
    found = record(workflow, run_id)
    assert (found["status"], found["failed_at"]) == ("failed", "TakeLock")
    assert found["reason"].startswith("TakeLock: LockHeldError: ")
    assert words in found["reason"]
    assert run_id not in workflow.machines.launched
    assert workflow.state(run_id).items("case#") == {}


def test_a_second_execution_is_refused_while_the_brokers_of_the_first_run(workflow):
    seen: dict[str, Any] = {}

    def meanwhile() -> None:
        seen["second"] = workflow.end(workflow.start("second"))
        seen["launched"] = set(workflow.machines.launched["first"])
        seen["terminated"] = set(workflow.machines.terminated)
        seen["lock"] = lock(workflow)

    with at_call(workflow, "first", "PrepareCase", meanwhile):
        first = workflow.start("first")
        assert workflow.end(first) == "SUCCEEDED"
    assert seen["second"] == "FAILED"
    assert_refused(workflow, "second", "run first holds the lock until ")
    assert len(seen["launched"]) == 2
    assert seen["terminated"] == set(), "the refused run let go what was the first's"
    assert (seen["lock"]["owner"], seen["lock"]["released_at"]) == (first, None)
    assert record(workflow, "first")["status"] == "ok"
    assert seen["launched"] <= workflow.machines.terminated


@pytest.mark.parametrize("entry", ["ReleaseRun", "FinishRun"])
def test_the_lock_is_released_at_the_end_whatever_happens(workflow, entry):
    run_id = f"released-{entry}"
    workflow.calls.faults[run_id] = [Fault(entry, "raise")]
    execution = workflow.start(run_id)
    assert workflow.end(execution) == "FAILED"
    assert record(workflow, run_id)["failed_at"] == entry, "it had the lock: the run before gave it back"
    found = lock(workflow)
    assert found["owner"] == execution
    assert found["released_at"] is not None


def test_an_aborted_run_keeps_the_lock_until_its_lease_is_over_and_its_brokers_are_gone(workflow):
    workflow.calls.faults["aborted"] = [Fault("PrepareCase", "timeout")]
    execution = workflow.start("aborted")
    deadline = time.monotonic() + 120
    while workflow.state("aborted").get(lane_item(PAIR)).get("status") != "ready":
        assert time.monotonic() < deadline
        time.sleep(0.2)
    workflow.plane.stop(execution)

    assert workflow.end(workflow.start("too-soon")) == "FAILED"
    assert_refused(workflow, "too-soon", "run aborted holds the lock until ")

    change_lock(workflow, lease_until=1)
    left = workflow.machines.launched["aborted"]
    assert workflow.end(workflow.start("brokers-left")) == "FAILED"
    assert_refused(workflow, "brokers-left", "brokers of run aborted still run")
    assert not left & workflow.machines.terminated

    workflow.plane.client("ec2").terminate_instances(InstanceIds=sorted(left))
    assert workflow.end(workflow.start("taken-over")) == "SUCCEEDED"
    assert lock(workflow)["version"] > 1


def test_a_lock_that_became_anothers_is_left_to_it_and_that_is_on_record(workflow):
    with at_call(workflow, "robbed", "BuildReport", lambda: change_lock(workflow, owner="another")):
        assert workflow.end(workflow.start("robbed")) == "FAILED"
    assert record(workflow, "robbed")["failed_at"] == "ReleaseLock"
    assert (lock(workflow)["owner"], lock(workflow)["released_at"]) == ("another", None)
    change_lock(workflow, released_at="2026-11-21T00:00:00Z")


def test_after_its_deadline_a_run_begins_no_case_lets_its_brokers_go_and_reports(workflow):
    def long_past() -> None:
        workflow.state("late").update(RUN, deadline_at=1)

    with at_call(workflow, "late", "PrepareCase", long_past):
        assert workflow.end(workflow.start("late")) == "FAILED"
    (case,) = workflow.state("late").items("case#").values()
    assert case["status"] == "failed"
    assert "the run's deadline, 1970-01-01T00:00:01+00:00, has passed" in case["reason"]
    assert record(workflow, "late")["failed_at"] == NO_CASE_OK
    assert workflow.machines.launched["late"] <= workflow.machines.terminated


def test_a_run_over_its_budget_is_refused_before_any_broker_with_the_words_of_here(workflow):
    wanted = {"suite": "quick", "region": "eu-west-1", "max_usd": 0.01, "surroundings": {"name": "aws"}}
    assert workflow.end(workflow.start("dear", **wanted)) == "FAILED"
    with pytest.raises(InputError) as here:
        make_plan(load_suite("quick"), run_id="x", region="eu-west-1", max_usd=0.01).raise_if_refused()
    assert "SQS requests $0.0" in str(here.value)
    found = record(workflow, "dear")
    assert found["failed_at"] == "Plan"
    assert found["reason"] == f"Plan: InputError: {here.value}"
    assert "dear" not in workflow.machines.launched
