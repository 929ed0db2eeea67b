"""What of a distributed Map ``state_patches.py`` mends, and what is right without a patch."""

from __future__ import annotations

import json

import pytest

from local.aws.patches import state_patches
from tests.support.aws.moto_server import BASE, CAUGHT, both, machine

THRESHOLD = "States.ExceedToleratedFailureThreshold"
#: fails of the item that is named, and answers with nothing for the others
CHILD = machine(
    Which={
        "Type": "Choice",
        "Choices": [{"Variable": "$.item", "NumericEquals": 2, "Next": "Ill"}],
        "Default": "Well",
    },
    Ill={"Type": "Fail", "Error": "Injected"},
    Well={"Type": "Pass", "OutputPath": None, "End": True},
)
MANY = {
    "Type": "Map",
    "ItemsPath": "$.items",
    "ItemSelector": {"item.$": "$$.Map.Item.Value", "run.$": "$.run"},
    "MaxConcurrency": 100,
    "Label": "Many",
    "ItemProcessor": {**CHILD, "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}},
    "End": True,
}


def within(state, *errors):
    """The state in a branch, as the workflow has its maps, and a catch of these around it."""
    return {
        "Type": "Parallel",
        "Branches": [machine(Inner=state)],
        "Catch": [{"ErrorEquals": list(errors), "Next": "Caught"}],
        "End": True,
    }


@both
@pytest.mark.parametrize("error", [THRESHOLD, "States.ALL"])
def test_failed_children_fail_their_map(moto, error, patched):
    base = [*BASE, state_patches.states_errors_leave_branches]
    with moto.patched_with(state_patches.failed_children_fail_their_map, patched, base):
        definition = machine(A=within(MANY, error), Caught=CAUGHT)
        found = moto.run(definition, {"items": [1, 2, 3], "run": "r"})
    reported = json.loads(found["output"])
    assert reported == ({"caught": True} if patched else [[{}, None, {}]])


def test_what_is_caught_says_so_and_is_on_record(moto):
    base = [*BASE, state_patches.states_errors_leave_branches]
    with moto.patched_with(state_patches.failed_children_fail_their_map, True, base):
        definition = machine(A=within(MANY, THRESHOLD), Caught={"Type": "Pass", "End": True})
        execution = moto.start(definition, {"items": [2], "run": "r"})
        reported = json.loads(moto.ended(execution)["output"])
        events = [e["type"] for e in moto.sfn.get_execution_history(executionArn=execution)["events"]]
    assert reported["Error"] == THRESHOLD
    assert "tolerated failure threshold" in reported["Cause"]
    assert "MapRunFailed" in events


def test_where_failures_are_tolerated_they_stay_without_effect(moto):
    tolerant = {**MANY, "ToleratedFailurePercentage": 100.0}
    with moto.patched_with(state_patches.failed_children_fail_their_map, True):
        found = moto.run(machine(A=tolerant), {"items": [1, 2], "run": "r"})
    assert (found["status"], json.loads(found["output"])) == ("SUCCEEDED", [{}, None])


def test_children_have_a_history_of_their_own_and_the_parents_does_not_grow_with_them(moto):
    lengths = []
    with moto.patched_with(state_patches.failed_children_fail_their_map, True):
        for count in (1, 50):
            execution = moto.start(machine(A=MANY), {"items": [1] * count, "run": "r"})
            found = moto.ended(execution)
            assert json.loads(found["output"]) == [{}] * count
            lengths.append(len(moto.sfn.get_execution_history(executionArn=execution)["events"]))
    assert lengths[0] == lengths[1]
