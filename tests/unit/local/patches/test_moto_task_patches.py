"""Tasks that a state waits for: right with each patch of ``state_patches.py``, and the symptom without it."""

from __future__ import annotations

import json

from local.aws.patches import state_patches
from tests.support.aws.moto_server import both, machine
from tests.support.aws.moto_tasks import Tasks


def query(work_group):
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::athena:startQueryExecution.sync",
        "Parameters": {"QueryString": "SELECT 1", "WorkGroup": work_group},
        "End": True,
    }


@both
def test_athena_tasks_wait(moto, patched):
    with moto.patched_with(state_patches.athena_tasks_wait, patched):
        found = moto.run(machine(A=query("primary")))
    if patched:
        assert json.loads(found["output"])["QueryExecution"]["Status"]["State"] == "SUCCEEDED"
    else:
        assert "Unsupported sync" in found["cause"]


def test_athena_service_errors_have_a_name(moto):
    with moto.patched_with(state_patches.athena_tasks_wait, True):
        found = moto.run(machine(A=query("absent")))
    assert found["error"] == "Athena.InvalidRequestException"


@both
def test_ecs_tasks_wait(moto, patched):
    tasks = Tasks(moto)
    state = tasks.state(tasks.definition("true", memory=64))
    with moto.patched_with(state_patches.ecs_tasks_wait, patched):
        found = moto.run(machine(A=state), {"run": "r", "order": "x"})
    if patched:
        # of a task that was never a process: the simulation's own tasks are in test_local_ecs.py
        task = json.loads(found["output"])
        assert (task["LastStatus"], task["StartedBy"]) == ("STOPPED", "AWS Step Functions")
    else:
        assert found["cause"].endswith("'Cluster'")  # a KeyError


def test_ecs_errors_have_a_name(moto):
    tasks = Tasks(moto)
    state = tasks.state(tasks.definition("true", memory=64))
    state["Parameters"]["Cluster"] = "absent"
    with moto.patched_with(state_patches.ecs_tasks_wait, True):
        found = moto.run(machine(A=state), {"run": "r", "order": "x"})
    assert found["error"] == "ECS.ClusterNotFoundException"


@both
def test_builds_wait(moto, patched):
    tasks = Tasks(moto)
    with moto.patched_with(state_patches.builds_wait, patched):
        found = moto.run(machine(A=tasks.build(tasks.project())))
    if patched:
        assert json.loads(found["output"])["Build"]["BuildStatus"] == "SUCCEEDED"
    else:
        assert "Unsupported" in found["cause"]
