"""Every patch of ``local/patches.py``: right with it, and the symptom that it mends without it."""

from __future__ import annotations

import io
import itertools
import json
import threading
import time
import zipfile
from contextlib import contextmanager

import moto.dynamodb.models.table as dynamodb_table
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.awslambda.models import LambdaFunction
from moto.moto_api._internal.models import moto_api_backend
from moto.server import ThreadedMotoServer
from moto.stepfunctions.parser.backend.execution import Execution
from moto.stepfunctions.parser.backend.execution_worker import ExecutionWorker

from local import patches
from local.assembly import StackArtifact
from local.aws import Aws, bound_environment, environment
from local.cloudformation import DeployError, deploy
from local.swaps import Swaps

REGION = "us-east-1"
#: what the other patches need to be seen at all
BASE = [patches.executions_run, patches.tasks_call_this_server]
ENDED = {"SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"}
LIMIT_S = 20
names = (f"n{i}" for i in itertools.count())

both = pytest.mark.parametrize("patched", [True, False], ids=["patched", "unpatched"])


@pytest.fixture(scope="module")
def aws():
    moto_api_backend.reset()
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    with bound_environment(environment(endpoint, REGION)):
        yield Aws(endpoint, REGION)
    server.stop()
    moto_api_backend.reset()


@pytest.fixture(scope="module")
def role(aws):
    return aws.client("iam").create_role(RoleName="role", AssumeRolePolicyDocument="{}")["Role"]["Arn"]


@pytest.fixture
def released():
    """Set when a function that was told to wait may answer; set at the end at the latest."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def function(aws, role, released):
    """A function's ARN. It answers with its payload; ``{"wait": ...}`` has it wait for ``released``."""

    def invoke(_function, event=None):
        if isinstance(event, dict) and "wait" in event:
            released.wait(LIMIT_S)
        return json.dumps(event), False, ""

    code = io.BytesIO()
    with zipfile.ZipFile(code, "w") as archive:
        archive.writestr("code.py", "")
    made = aws.client("lambda").create_function(
        FunctionName=next(names),
        Runtime="python3.13",
        Role=role,
        Handler="code.handler",
        Code={"ZipFile": code.getvalue()},
    )
    with Swaps() as swaps:
        swaps.attribute(LambdaFunction, "_invoke_lambda", invoke)
        yield made["FunctionArn"]


@contextmanager
def patched_with(aws, patch, wanted, base=BASE):
    with patches.applied(aws, [*base, *([patch] if wanted else [])]):
        yield


def sfn(aws):
    return aws.task_client("stepfunctions", REGION, Config(retries={"max_attempts": 0}))


def start(aws, role, definition, execution_input=None):
    machine = sfn(aws).create_state_machine(name=next(names), definition=json.dumps(definition), roleArn=role)
    return sfn(aws).start_execution(
        stateMachineArn=machine["stateMachineArn"], name=next(names), input=json.dumps(execution_input or {})
    )["executionArn"]


def ended(aws, execution):
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        found = sfn(aws).describe_execution(executionArn=execution)
        if found["status"] in ENDED:
            return found
        time.sleep(0.01)
    raise AssertionError("the execution does not end")


def run(aws, role, definition, execution_input=None):
    return ended(aws, start(aws, role, definition, execution_input))


def machine(**states):
    return {"StartAt": next(iter(states)), "States": states}


def caught(state, *errors):
    return {**state, "Catch": [{"ErrorEquals": list(errors), "Next": "Caught"}], "End": True}


CAUGHT = {"Type": "Pass", "Result": {"caught": True}, "End": True}
LOST = {"Type": "Pass", "Parameters": {"x.$": "$.nowhere"}, "End": True}


def call(function, **payload):
    return {"Type": "Task", "Resource": function, "Parameters": payload, "End": True}


def wait_for_task(aws, execution):
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        events = sfn(aws).get_execution_history(executionArn=execution)["events"]
        if any(event["type"] == "LambdaFunctionStarted" for event in events):
            return
        time.sleep(0.01)
    raise AssertionError("no task was started")


@both
def test_executions_run(aws, role, patched):
    with patched_with(aws, patches.executions_run, patched, base=[]):
        execution = start(aws, role, machine(Only={"Type": "Pass", "End": True}))
        if patched:
            assert ended(aws, execution)["status"] == "SUCCEEDED"
        else:
            assert sfn(aws).describe_execution(executionArn=execution)["status"] == "RUNNING"


@both
def test_stacks_make_running_machines(aws, role, patched):
    with patched_with(aws, patches.stacks_make_running_machines, patched):
        arn = create_machine_stack(aws, role, DefinitionString=json.dumps(machine(A=CAUGHT)))
        if patched:
            execution = sfn(aws).start_execution(stateMachineArn=arn, name=next(names))["executionArn"]
            assert ended(aws, execution)["output"] == '{"caught": true}'
        else:
            with pytest.raises(ClientError, match="StateMachineDoesNotExist"):
                sfn(aws).describe_state_machine(stateMachineArn=arn)


def create_machine_stack(aws, role, **properties):
    properties = {"StateMachineName": next(names), "RoleArn": role, **properties}
    template = {
        "Resources": {"Machine": {"Type": "AWS::StepFunctions::StateMachine", "Properties": properties}},
        "Outputs": {"Arn": {"Value": {"Ref": "Machine"}}},
    }
    return deploy(aws, next(names), StackArtifact(template, ()))["Arn"]


@both
def test_tasks_call_this_server(aws, role, function, patched, monkeypatch):
    monkeypatch.setenv("MOTO_PORT", "1")  # where nobody listens
    base = [patches.executions_run]
    with patched_with(aws, patches.tasks_call_this_server, patched, base):
        found = run(aws, role, machine(A=call(function, x=1)))
    assert found["status"] == ("SUCCEEDED" if patched else "FAILED")
    if not patched:
        assert "Could not connect" in found["cause"]


@both
def test_start_time_is_text(aws, role, patched):
    with patched_with(aws, patches.start_time_is_text, patched):
        passed_on = {"Type": "Pass", "Parameters": {"at.$": "$$.Execution.StartTime"}, "End": True}
        execution = start(aws, role, machine(A=passed_on))
        if patched:
            found = ended(aws, execution)
            at = json.loads(found["output"])["at"]
            assert at == found["startDate"].strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        else:
            with pytest.raises(ClientError, match="500"):
                ended(aws, execution)


@both
def test_intrinsics_are_unescaped(aws, role, patched):
    with patched_with(aws, patches.intrinsics_are_unescaped, patched):
        literal = {"Type": "Pass", "Parameters": {"x.$": r"States.Format('\'{}\'', $.run)"}, "End": True}
        found = run(aws, role, machine(A=literal), {"run": "a run"})
    assert (json.loads(found["output"])["x"] == "'a run'") is patched


PARALLEL = {"Type": "Parallel", "Branches": [machine(Lost=LOST)]}
MAP = {"Type": "Map", "ItemsPath": "$.items", "ItemProcessor": machine(Lost=LOST)}


@both
@pytest.mark.parametrize("around", [PARALLEL, MAP], ids=["parallel", "map"])
def test_states_errors_leave_branches(aws, role, around, patched):
    with patched_with(aws, patches.states_errors_leave_branches, patched):
        by_name = machine(A=caught(around, "States.Runtime"), Caught={"Type": "Pass", "End": True})
        found = run(aws, role, by_name, {"items": [1]})
    causes = found.get("cause", "") + found.get("output", "")
    assert ("MUST NOT begin" in causes) is not patched
    if patched:
        assert json.loads(found["output"])["Error"] == "States.Runtime"


@both
def test_states_all_is_not_all(aws, role, patched):
    with patched_with(aws, patches.states_all_is_not_all, patched):
        lost = {"Type": "Map", "ItemsPath": "$.nowhere", "ItemProcessor": machine(A=CAUGHT)}
        found = run(aws, role, machine(A=caught(lost, "States.ALL"), Caught=CAUGHT))
        by_name = run(aws, role, machine(A=caught(lost, "States.Runtime"), Caught=CAUGHT))
    assert found["status"] == ("FAILED" if patched else "SUCCEEDED")
    assert by_name["status"] == "SUCCEEDED"


@both
def test_states_all_still_catches_what_it_should(aws, role, function, patched):
    with patched_with(aws, patches.states_all_is_not_all, patched):
        absent = call(f"{function}-absent")
        found = run(aws, role, machine(A=caught(absent, "States.ALL"), Caught=CAUGHT))
    assert found["output"] == '{"caught": true}'


@both
def test_lost_paths_are_fatal(aws, role, function, patched):
    with patched_with(aws, patches.lost_paths_are_fatal, patched):
        task = {"Type": "Task", "Resource": function, "Parameters": {"x.$": "$.nowhere"}, "End": True}
        found = run(aws, role, machine(A=task))
    assert found["error"] == ("States.Runtime" if patched else "Exception")
    assert "$.nowhere" in found["cause"]


@both
def test_stop_is_immediate(aws, role, function, released, patched):
    with patched_with(aws, patches.stop_is_immediate, patched):
        execution = start(aws, role, machine(A=call(function, wait=True)))
        wait_for_task(aws, execution)
        sfn(aws).stop_execution(executionArn=execution)
        status = sfn(aws).describe_execution(executionArn=execution)["status"]
        released.set()
        assert status == ("ABORTED" if patched else "RUNNING")
        assert ended(aws, execution)["status"] == "ABORTED"


@both
def test_an_execution_just_started_can_be_stopped(aws, role, patched):
    def held(self):
        may_enter.wait(LIMIT_S)
        return original(self)

    may_enter = threading.Event()
    with patched_with(aws, patches.stop_is_immediate, patched), Swaps() as swaps:
        original = swaps.attribute(ExecutionWorker, "_get_evaluation_environment", held)
        execution = start(aws, role, machine(A={"Type": "Wait", "Seconds": 600, "End": True}))
        if patched:
            threading.Timer(0.1, may_enter.set).start()
            sfn(aws).stop_execution(executionArn=execution)
            assert ended(aws, execution)["status"] == "ABORTED"
        else:
            with pytest.raises(ClientError, match="500"):
                sfn(aws).stop_execution(executionArn=execution)
            may_enter.set()


@both
def test_stopped_stays_stopped(aws, role, function, released, patched):
    with patched_with(aws, patches.stopped_stays_stopped, patched):
        inner = {**MAP, "ItemProcessor": machine(B=call(function, wait=True)), "End": True}
        execution = start(aws, role, machine(A=inner), {"items": [1, 2]})
        wait_for_task(aws, execution)
        sfn(aws).stop_execution(executionArn=execution)
        released.set()
        assert ended(aws, execution)["status"] == ("ABORTED" if patched else "FAILED")


@both
def test_athena_tasks_wait(aws, role, patched):
    query = {
        "Type": "Task",
        "Resource": "arn:aws:states:::athena:startQueryExecution.sync",
        "Parameters": {"QueryString": "SELECT 1", "WorkGroup": "primary"},
        "End": True,
    }
    with patched_with(aws, patches.athena_tasks_wait, patched):
        found = run(aws, role, machine(A=query))
    if patched:
        assert json.loads(found["output"])["QueryExecution"]["Status"]["State"] == "SUCCEEDED"
    else:
        assert "Unsupported sync" in found["cause"]


def test_athena_service_errors_have_a_name(aws, role):
    query = {
        "Type": "Task",
        "Resource": "arn:aws:states:::athena:startQueryExecution.sync",
        "Parameters": {"QueryString": "SELECT 1", "WorkGroup": "absent"},
        "End": True,
    }
    with patched_with(aws, patches.athena_tasks_wait, True):
        found = run(aws, role, machine(A=query))
    assert found["error"] == "Athena.InvalidRequestException"


@both
def test_dynamodb_writes_are_atomic(aws, patched):
    """Two conditional puts of one key, both of which would have looked before either writes."""

    def held(*args):
        condition = original(*args)
        try:
            meeting.wait(1)
        except threading.BrokenBarrierError:
            return condition  # nobody else got in
        return condition

    table, outcomes, meeting = next(names) + "-table", [], threading.Barrier(2)
    client = aws.client("dynamodb")
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

    with patched_with(aws, patches.dynamodb_writes_are_atomic, patched), Swaps() as swaps:
        original = swaps.attribute(dynamodb_table, "get_filter_expression", held)
        writers = [threading.Thread(target=put) for _ in range(2)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
    assert sorted(outcomes) == (["put", "refused"] if patched else ["put", "put"])


@both
def test_definitions_are_substituted(aws, role, patched):
    base = [*BASE, patches.stacks_make_running_machines]
    with patched_with(aws, patches.definitions_are_substituted, patched, base):
        arn = create_machine_stack(
            aws,
            role,
            DefinitionString=json.dumps(machine(A={"Type": "Pass", "Result": "${what}", "End": True})),
            DefinitionSubstitutions={"what": "substituted"},
        )
        definition = json.loads(sfn(aws).describe_state_machine(stateMachineArn=arn)["definition"])
    assert definition["States"]["A"]["Result"] == ("substituted" if patched else "${what}")


@both
@pytest.mark.parametrize("kind", ["AWS::Scheduler::Schedule", "AWS::CloudFormation::WaitConditionHandle"])
@pytest.mark.filterwarnings("ignore:Tried to parse")
def test_resource_types_are_known(aws, kind, patched):
    template = {"Resources": {"Thing": {"Type": kind}, "Topic": {"Type": "AWS::SNS::Topic"}}}
    with patched_with(aws, patches.resource_types_are_known, patched, base=[]):
        if patched:
            with pytest.raises(DeployError, match=f"resource Thing.*{kind} is not known here"):
                deploy(aws, next(names), StackArtifact(template, ()))
        else:
            assert deploy(aws, next(names), StackArtifact(template, ())) == {}


def test_every_patch_has_its_test():
    tested = {name.removeprefix("test_") for name in globals()}
    assert {patch.__name__ for patch in patches.ALL} <= tested


def test_all_is_put_back(aws):
    before = vars(Execution)["stop"], vars(LambdaFunction)["_invoke_lambda"]
    with patches.applied(aws):
        assert vars(Execution)["stop"] is not before[0]
    assert (vars(Execution)["stop"], vars(LambdaFunction)["_invoke_lambda"]) == before


def test_a_swap_of_what_is_not_there_is_refused():
    with Swaps() as swaps, pytest.raises(KeyError):
        swaps.attribute(Execution, "gone_in_a_new_release", None)
