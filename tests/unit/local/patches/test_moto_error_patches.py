"""How errors of moto's states go on, with each patch of ``state_patches.py`` and without it."""

from __future__ import annotations

import json

import pytest

from local.aws.patches import state_patches
from tests.support.aws.moto_server import CAUGHT, MAP, PARALLEL, both, call, caught, machine


@both
@pytest.mark.parametrize("around", [PARALLEL, MAP], ids=["parallel", "map"])
def test_states_errors_leave_branches(moto, around, patched):
    with moto.patched_with(state_patches.states_errors_leave_branches, patched):
        by_name = machine(A=caught(around, "States.Runtime"), Caught={"Type": "Pass", "End": True})
        found = moto.run(by_name, {"items": [1]})
    causes = found.get("cause", "") + found.get("output", "")
    assert ("MUST NOT begin" in causes) is not patched
    if patched:
        assert json.loads(found["output"])["Error"] == "States.Runtime"


@both
def test_states_all_is_not_all(moto, patched):
    with moto.patched_with(state_patches.states_all_is_not_all, patched):
        lost = {"Type": "Map", "ItemsPath": "$.nowhere", "ItemProcessor": machine(A=CAUGHT)}
        found = moto.run(machine(A=caught(lost, "States.ALL"), Caught=CAUGHT))
        by_name = moto.run(machine(A=caught(lost, "States.Runtime"), Caught=CAUGHT))
    assert found["status"] == ("FAILED" if patched else "SUCCEEDED")
    assert by_name["status"] == "SUCCEEDED"


def test_states_all_still_catches_what_it_should(moto, function):
    with moto.patched_with(state_patches.states_all_is_not_all, True):
        absent = call(f"{function}-absent")
        found = moto.run(machine(A=caught(absent, "States.ALL"), Caught=CAUGHT))
    assert found["output"] == '{"caught": true}'


@both
def test_lost_paths_are_fatal(moto, function, patched):
    with moto.patched_with(state_patches.lost_paths_are_fatal, patched):
        task = {"Type": "Task", "Resource": function, "Parameters": {"x.$": "$.nowhere"}, "End": True}
        found = moto.run(machine(A=task))
    assert found["error"] == ("States.Runtime" if patched else "Exception")
    assert "$.nowhere" in found["cause"]
