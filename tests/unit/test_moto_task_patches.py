"""Every patch of ``local/task_patches.py``: right with it, and the symptom that it mends without it."""

from __future__ import annotations

import json

import pytest

from local import task_patches
from tests.unit.moto_server import machine, moto_server

both = pytest.mark.parametrize("patched", [True, False], ids=["patched", "unpatched"])


@pytest.fixture(scope="module")
def moto():
    with moto_server() as server:
        yield server


def query(work_group):
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::athena:startQueryExecution.sync",
        "Parameters": {"QueryString": "SELECT 1", "WorkGroup": work_group},
        "End": True,
    }


@both
def test_athena_tasks_wait(moto, patched):
    with moto.patched_with(task_patches.athena_tasks_wait, patched):
        found = moto.run(machine(A=query("primary")))
    if patched:
        assert json.loads(found["output"])["QueryExecution"]["Status"]["State"] == "SUCCEEDED"
    else:
        assert "Unsupported sync" in found["cause"]


def test_athena_service_errors_have_a_name(moto):
    with moto.patched_with(task_patches.athena_tasks_wait, True):
        found = moto.run(machine(A=query("absent")))
    assert found["error"] == "Athena.InvalidRequestException"
