"""Limits of state machines at work: the patch, with and without it, and what moto keeps by itself."""

from __future__ import annotations

import json

import pytest
from botocore.exceptions import ClientError

from local.aws.patches import state_patches
from tests.support.aws.moto_server import CAUGHT, both, caught, machine

#: goes round until something stops it
ROUND = {"Type": "Pass", "Next": "Again"}
LOOP = {"StartAt": "Again", "States": {"Again": {**ROUND, "Next": "More"}, "More": ROUND}}
KIB = 1024


@both
def test_histories_are_finite(moto, monkeypatch, patched):
    """The states of a branch count, and no Catch keeps the execution from failing."""
    monkeypatch.setattr(state_patches, "HISTORY_EVENTS", 60)
    counted = machine(A={"Type": "Pass", "Next": "B"}, B={"Type": "Pass", "Next": "C"}, C=CAUGHT)
    items = {"Type": "Map", "ItemsPath": "$.items", "ItemProcessor": counted}
    with moto.patched_with(state_patches.histories_are_finite, patched):
        found = moto.run(machine(A=caught(items, "States.ALL"), Caught=CAUGHT), {"items": list(range(8))})
    assert found["status"] == ("FAILED" if patched else "SUCCEEDED")
    if patched:
        assert found["error"] == "States.Runtime"
        assert "maximum number of history events (60)" in found["cause"]


def test_an_execution_that_never_ends_fails_by_its_history(moto, monkeypatch):
    monkeypatch.setattr(state_patches, "HISTORY_EVENTS", 500)
    with moto.patched_with(state_patches.histories_are_finite, True):
        assert moto.run(LOOP)["error"] == "States.Runtime"


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_child_of_a_distributed_map_may_fail(moto):
    """It has a history of its own (Step Functions guide, "Distributed mode"), which nobody had begun."""
    child = machine(A={"Type": "Fail", "Error": "Own"})
    child["ProcessorConfig"] = {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}
    items = {"Type": "Map", "ItemsPath": "$.items", "ItemProcessor": child, "End": True}
    with (
        moto.patched_with(state_patches.histories_are_finite, True),
        moto.patched_with(state_patches.failed_children_fail_their_map, True),
    ):
        found = moto.run(machine(A=items), {"items": [1]})
    assert (found["status"], found["error"]) == ("FAILED", "States.ExceedToleratedFailureThreshold")


def grown(kib: int) -> dict[str, object]:
    """A state whose result is that large."""
    return {"Type": "Pass", "Result": "x" * kib * KIB, "Next": "B"}


@pytest.mark.parametrize(("kib", "status"), [(255, "SUCCEEDED"), (257, "FAILED")])
def test_what_goes_from_state_to_state_has_256_kib_and_no_catch_keeps_more(moto, kib, status):
    """Step Functions guide, "Service quotas": input or result of a task, state or execution."""
    after = caught({"Type": "Parallel", "Branches": [machine(A=CAUGHT)]}, "States.ALL")
    with moto.patched_with(state_patches.states_all_is_not_all, True):
        found = moto.run(machine(A=grown(kib), B=after, Caught=CAUGHT))
    assert found["status"] == status
    assert (found.get("error") == "States.DataLimitExceeded") == (status == "FAILED")


def test_a_name_of_an_execution_is_used_once_but_by_the_same_call_while_it_runs(moto):
    """Step Functions API reference, StartExecution: idempotent for the same name and input while it runs."""
    with moto.patched_with(state_patches.histories_are_finite, True):
        waiting = machine(A={"Type": "Wait", "Seconds": 60, "End": True})
        arn = moto.sfn.create_state_machine(
            name=moto.name(), definition=json.dumps(waiting), roleArn=moto.role
        )["stateMachineArn"]
        given = {"stateMachineArn": arn, "name": "once"}
        first = moto.sfn.start_execution(**given, input="{}")["executionArn"]
        assert moto.sfn.start_execution(**given, input="{}")["executionArn"] == first
        with pytest.raises(ClientError, match="ExecutionAlreadyExists"):
            moto.sfn.start_execution(**given, input='{"other": 1}')
        moto.sfn.stop_execution(executionArn=first)
        moto.ended(first)
        with pytest.raises(ClientError, match="ExecutionAlreadyExists"):
            moto.sfn.start_execution(**given, input="{}")
