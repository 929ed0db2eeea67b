"""Every patch of ``machine_patches.py``: right with it, and the symptom that it mends without it."""

from __future__ import annotations

import json
import threading

import pytest
from botocore.exceptions import ClientError
from moto.stepfunctions.parser.asl.antlr.runtime.ASLParser import ASLParser
from moto.stepfunctions.parser.asl.parse import asl_parser
from moto.stepfunctions.parser.backend.execution_worker import ExecutionWorker

from local.aws.patches import machine_patches
from local.aws.swaps import Swaps
from tests.support.aws.moto_server import CAUGHT, LIMIT_S, MAP, both, call, machine


@both
def test_executions_run(moto, patched):
    with moto.patched_with(machine_patches.executions_run, patched, base=[]):
        execution = moto.start(machine(Only={"Type": "Pass", "End": True}))
        if patched:
            assert moto.ended(execution)["status"] == "SUCCEEDED"
        else:
            assert moto.sfn.describe_execution(executionArn=execution)["status"] == "RUNNING"


@both
def test_stacks_make_running_machines(moto, patched):
    with moto.patched_with(machine_patches.stacks_make_running_machines, patched):
        arn = moto.machine_stack(DefinitionString=json.dumps(machine(A=CAUGHT)))
        if patched:
            execution = moto.sfn.start_execution(stateMachineArn=arn, name=moto.name())["executionArn"]
            assert moto.ended(execution)["output"] == '{"caught": true}'
        else:
            with pytest.raises(ClientError, match="StateMachineDoesNotExist"):
                moto.sfn.describe_state_machine(stateMachineArn=arn)


@both
def test_tasks_call_this_server(moto, function, patched, monkeypatch):
    monkeypatch.setenv("MOTO_PORT", "1")  # where nobody listens
    base = [machine_patches.executions_run]
    with moto.patched_with(machine_patches.tasks_call_this_server, patched, base):
        found = moto.run(machine(A=call(function, x=1)))
    assert found["status"] == ("SUCCEEDED" if patched else "FAILED")
    if not patched:
        assert "Could not connect" in found["cause"]


@both
def test_definitions_are_parsed_once(moto, patched, monkeypatch):
    parsed: list[int] = []
    monkeypatch.setattr(asl_parser, "ASLParser", lambda stream: parsed.append(1) or ASLParser(stream))
    with moto.patched_with(machine_patches.definitions_are_parsed_once, patched):
        wanted = machine(A={"Type": "Pass", "InputPath": "$.a", "Next": "B"}, B={"Type": "Pass", "End": True})
        for given in (1, 2):
            assert json.loads(moto.run(wanted, {"a": given})["output"]) == given
    assert len(parsed) == (1 if patched else 4)


@both
def test_start_time_is_text(moto, patched):
    with moto.patched_with(machine_patches.start_time_is_text, patched):
        passed_on = {"Type": "Pass", "Parameters": {"at.$": "$$.Execution.StartTime"}, "End": True}
        execution = moto.start(machine(A=passed_on))
        if patched:
            found = moto.ended(execution)
            at = json.loads(found["output"])["at"]
            assert at == found["startDate"].strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        else:
            with pytest.raises(ClientError, match="500"):
                moto.ended(execution)


@both
def test_intrinsics_are_unescaped(moto, patched):
    with moto.patched_with(machine_patches.intrinsics_are_unescaped, patched):
        literal = {"Type": "Pass", "Parameters": {"x.$": r"States.Format('\'{}\'', $.run)"}, "End": True}
        found = moto.run(machine(A=literal), {"run": "a run"})
    assert (json.loads(found["output"])["x"] == "'a run'") is patched


@both
def test_stop_is_immediate(moto, function, released, patched):
    with moto.patched_with(machine_patches.stop_is_immediate, patched):
        execution = moto.start(machine(A=call(function, wait=True)))
        moto.wait_for_task(execution)
        moto.sfn.stop_execution(executionArn=execution)
        status = moto.sfn.describe_execution(executionArn=execution)["status"]
        released.set()
        assert status == ("ABORTED" if patched else "RUNNING")
        assert moto.ended(execution)["status"] == "ABORTED"


@both
def test_an_execution_just_started_can_be_stopped(moto, patched):
    def held(self):
        may_enter.wait(LIMIT_S)
        return original(self)

    may_enter = threading.Event()
    with moto.patched_with(machine_patches.stop_is_immediate, patched), Swaps() as swaps:
        original = swaps.attribute(ExecutionWorker, "_get_evaluation_environment", held)
        execution = moto.start(machine(A={"Type": "Wait", "Seconds": 2, "End": True}))
        if patched:
            threading.Timer(0.1, may_enter.set).start()
            moto.sfn.stop_execution(executionArn=execution)
            assert moto.ended(execution)["status"] == "ABORTED"
        else:
            with pytest.raises(ClientError, match="500"):
                moto.sfn.stop_execution(executionArn=execution)
            may_enter.set()


@both
def test_stopped_stays_stopped(moto, function, released, patched):
    with moto.patched_with(machine_patches.stopped_stays_stopped, patched):
        inner = {**MAP, "ItemProcessor": machine(B=call(function, wait=True)), "End": True}
        execution = moto.start(machine(A=inner), {"items": [1, 2]})
        moto.wait_for_task(execution)
        moto.sfn.stop_execution(executionArn=execution)
        released.set()
        assert moto.ended(execution)["status"] == ("ABORTED" if patched else "FAILED")
