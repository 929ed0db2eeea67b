"""Every patch of ``local/patches.py``: right with it, and the symptom that it mends without it."""

from __future__ import annotations

import json
import threading

import pytest
from botocore.exceptions import ClientError
from moto.awslambda.models import LambdaFunction
from moto.dynamodb.models import table as dynamodb_table
from moto.s3.utils import _VersionedKeyStore as ObjectsByKey
from moto.stepfunctions.parser.backend.execution import Execution
from moto.stepfunctions.parser.backend.execution_worker import ExecutionWorker

from local import patches
from local.assembly import StackArtifact
from local.cloudformation import DeployError, deploy
from local.swaps import Swaps
from tests.unit import test_moto_map_patches
from tests.unit.moto_server import BASE, CAUGHT, LIMIT_S, MAP, PARALLEL, call, caught, machine, moto_server

both = pytest.mark.parametrize("patched", [True, False], ids=["patched", "unpatched"])


@pytest.fixture(scope="module")
def moto():
    with moto_server() as server:
        yield server


@pytest.fixture
def released():
    """Set when a function that was told to wait may answer; set at the end at the latest."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def function(moto, released):
    """A function's ARN. It answers with its payload; ``{"wait": ...}`` has it wait for ``released``."""

    def invoke(_function, event=None):
        if isinstance(event, dict) and "wait" in event:
            released.wait(LIMIT_S)
        return json.dumps(event), False, ""

    with Swaps() as swaps:
        swaps.attribute(LambdaFunction, "_invoke_lambda", invoke)
        yield moto.function()


@both
def test_executions_run(moto, patched):
    with moto.patched_with(patches.executions_run, patched, base=[]):
        execution = moto.start(machine(Only={"Type": "Pass", "End": True}))
        if patched:
            assert moto.ended(execution)["status"] == "SUCCEEDED"
        else:
            assert moto.sfn.describe_execution(executionArn=execution)["status"] == "RUNNING"


@both
def test_stacks_make_running_machines(moto, patched):
    with moto.patched_with(patches.stacks_make_running_machines, patched):
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
    base = [patches.executions_run]
    with moto.patched_with(patches.tasks_call_this_server, patched, base):
        found = moto.run(machine(A=call(function, x=1)))
    assert found["status"] == ("SUCCEEDED" if patched else "FAILED")
    if not patched:
        assert "Could not connect" in found["cause"]


@both
def test_start_time_is_text(moto, patched):
    with moto.patched_with(patches.start_time_is_text, patched):
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
    with moto.patched_with(patches.intrinsics_are_unescaped, patched):
        literal = {"Type": "Pass", "Parameters": {"x.$": r"States.Format('\'{}\'', $.run)"}, "End": True}
        found = moto.run(machine(A=literal), {"run": "a run"})
    assert (json.loads(found["output"])["x"] == "'a run'") is patched


@both
@pytest.mark.parametrize("around", [PARALLEL, MAP], ids=["parallel", "map"])
def test_states_errors_leave_branches(moto, around, patched):
    with moto.patched_with(patches.states_errors_leave_branches, patched):
        by_name = machine(A=caught(around, "States.Runtime"), Caught={"Type": "Pass", "End": True})
        found = moto.run(by_name, {"items": [1]})
    causes = found.get("cause", "") + found.get("output", "")
    assert ("MUST NOT begin" in causes) is not patched
    if patched:
        assert json.loads(found["output"])["Error"] == "States.Runtime"


@both
def test_states_all_is_not_all(moto, patched):
    with moto.patched_with(patches.states_all_is_not_all, patched):
        lost = {"Type": "Map", "ItemsPath": "$.nowhere", "ItemProcessor": machine(A=CAUGHT)}
        found = moto.run(machine(A=caught(lost, "States.ALL"), Caught=CAUGHT))
        by_name = moto.run(machine(A=caught(lost, "States.Runtime"), Caught=CAUGHT))
    assert found["status"] == ("FAILED" if patched else "SUCCEEDED")
    assert by_name["status"] == "SUCCEEDED"


def test_states_all_still_catches_what_it_should(moto, function):
    with moto.patched_with(patches.states_all_is_not_all, True):
        absent = call(f"{function}-absent")
        found = moto.run(machine(A=caught(absent, "States.ALL"), Caught=CAUGHT))
    assert found["output"] == '{"caught": true}'


@both
def test_lost_paths_are_fatal(moto, function, patched):
    with moto.patched_with(patches.lost_paths_are_fatal, patched):
        task = {"Type": "Task", "Resource": function, "Parameters": {"x.$": "$.nowhere"}, "End": True}
        found = moto.run(machine(A=task))
    assert found["error"] == ("States.Runtime" if patched else "Exception")
    assert "$.nowhere" in found["cause"]


@both
def test_stop_is_immediate(moto, function, released, patched):
    with moto.patched_with(patches.stop_is_immediate, patched):
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
    with moto.patched_with(patches.stop_is_immediate, patched), Swaps() as swaps:
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
    with moto.patched_with(patches.stopped_stays_stopped, patched):
        inner = {**MAP, "ItemProcessor": machine(B=call(function, wait=True)), "End": True}
        execution = moto.start(machine(A=inner), {"items": [1, 2]})
        moto.wait_for_task(execution)
        moto.sfn.stop_execution(executionArn=execution)
        released.set()
        assert moto.ended(execution)["status"] == ("ABORTED" if patched else "FAILED")


def query(work_group):
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::athena:startQueryExecution.sync",
        "Parameters": {"QueryString": "SELECT 1", "WorkGroup": work_group},
        "End": True,
    }


@both
def test_athena_tasks_wait(moto, patched):
    with moto.patched_with(patches.athena_tasks_wait, patched):
        found = moto.run(machine(A=query("primary")))
    if patched:
        assert json.loads(found["output"])["QueryExecution"]["Status"]["State"] == "SUCCEEDED"
    else:
        assert "Unsupported sync" in found["cause"]


def test_athena_service_errors_have_a_name(moto):
    with moto.patched_with(patches.athena_tasks_wait, True):
        found = moto.run(machine(A=query("absent")))
    assert found["error"] == "Athena.InvalidRequestException"


@both
def test_dynamodb_writes_are_atomic(moto, patched):
    """Two conditional puts of one key, both of which would have looked before either writes."""

    def held(*args):
        condition = original(*args)
        try:
            meeting.wait(1)
        except threading.BrokenBarrierError:
            return condition  # nobody else got in
        return condition

    table, outcomes, meeting = moto.name() + "-table", [], threading.Barrier(2)
    client = moto.aws.client("dynamodb")
    client.create_table(
        TableName=table,
        KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )

    def put():
        try:
            item = {"k": {"S": "lock"}}
            client.put_item(TableName=table, Item=item, ConditionExpression="attribute_not_exists(k)")
            outcomes.append("put")
        except client.exceptions.ConditionalCheckFailedException:
            outcomes.append("refused")

    with moto.patched_with(patches.dynamodb_writes_are_atomic, patched), Swaps() as swaps:
        original = swaps.attribute(dynamodb_table, "get_filter_expression", held)
        writers = [threading.Thread(target=put) for _ in range(2)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
    assert sorted(outcomes) == (["put", "refused"] if patched else ["put", "put"])


@both
@pytest.mark.parametrize(
    ("listing", "whole"),
    [
        ("items", [("kept", "1"), ("deleted", "2")]),
        ("values", ["1", "2"]),
        ("lists", [("kept", ["1"]), ("deleted", ["2"])]),
    ],
)
def test_listings_outlive_deletions(moto, listing, whole, patched):
    with moto.patched_with(patches.listings_outlive_deletions, patched):
        objects = ObjectsByKey({"kept": ["1"], "deleted": ["2"]})
        listed = getattr(objects, listing)()
        first = next(listed)
        dict.pop(objects, "deleted")
        if patched:
            assert [first, *listed] == whole
        elif listing == "lists":
            assert next(listed) == ("deleted", None)
        else:
            with pytest.raises(KeyError):
                next(listed)


@both
def test_definitions_are_substituted(moto, patched):
    base = [*BASE, patches.stacks_make_running_machines]
    with moto.patched_with(patches.definitions_are_substituted, patched, base):
        arn = moto.machine_stack(
            DefinitionString=json.dumps(machine(A={"Type": "Pass", "Result": "${what}", "End": True})),
            DefinitionSubstitutions={"what": "substituted"},
        )
        definition = json.loads(moto.sfn.describe_state_machine(stateMachineArn=arn)["definition"])
    assert definition["States"]["A"]["Result"] == ("substituted" if patched else "${what}")


@both
@pytest.mark.parametrize("kind", ["AWS::GameLift::Fleet", "AWS::CloudFormation::WaitConditionHandle"])
@pytest.mark.filterwarnings("ignore:Tried to parse")
def test_resource_types_are_known(moto, kind, patched):
    template = {"Resources": {"Thing": {"Type": kind}, "Topic": {"Type": "AWS::SNS::Topic"}}}
    with moto.patched_with(patches.resource_types_are_known, patched, base=[]):
        if patched:
            with pytest.raises(DeployError, match=f"resource Thing.*{kind} is not known here"):
                deploy(moto.aws, moto.name(), StackArtifact(template, ()))
        else:
            assert deploy(moto.aws, moto.name(), StackArtifact(template, ())) == {}


def test_a_machines_own_time_limit_ends_it(moto):
    with patches.applied(moto.aws):
        waiting = machine(A={"Type": "Wait", "Seconds": 600, "End": True})
        assert moto.run({**waiting, "TimeoutSeconds": 1})["status"] == "TIMED_OUT"


def test_every_patch_has_its_test():
    tested = {name.removeprefix("test_") for name in (*globals(), *vars(test_moto_map_patches))}
    assert {patch.__name__ for patch in patches.ALL} <= tested


def test_all_is_put_back(moto):
    before = vars(Execution)["stop"], vars(LambdaFunction)["_invoke_lambda"]
    with patches.applied(moto.aws):
        assert vars(Execution)["stop"] is not before[0]
    assert (vars(Execution)["stop"], vars(LambdaFunction)["_invoke_lambda"]) == before


def test_a_swap_of_what_is_not_there_is_refused():
    with Swaps() as swaps, pytest.raises(KeyError):
        swaps.attribute(Execution, "gone_in_a_new_release", None)
