"""moto's server with state machines on it, for the tests of the patches."""

from __future__ import annotations

import io
import itertools
import json
import time
import zipfile
from contextlib import contextmanager

import pytest
from botocore.config import Config
from moto.moto_api._internal.models import moto_api_backend
from moto.server import ThreadedMotoServer

from local.aws.boto import Aws, bound_environment, environment
from local.aws.cloudformation import deploy
from local.aws.patches import machine_patches, moto_patches
from local.cdk.assembly import StackArtifact

REGION = "us-east-1"
LIMIT_S = 20
#: what the other patches need to be seen at all
BASE = (machine_patches.executions_run, machine_patches.tasks_call_this_server)
ENDED = {"SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"}

#: marks a test of a patch, which is to see it and the symptom without it
both = pytest.mark.parametrize("patched", [True, False], ids=["patched", "unpatched"])

CAUGHT = {"Type": "Pass", "Result": {"caught": True}, "End": True}
LOST = {"Type": "Pass", "Parameters": {"x.$": "$.nowhere"}, "End": True}
PARALLEL = {"Type": "Parallel", "Branches": [{"StartAt": "Lost", "States": {"Lost": LOST}}]}
MAP = {"Type": "Map", "ItemsPath": "$.items", "ItemProcessor": {"StartAt": "Lost", "States": {"Lost": LOST}}}


def machine(**states):
    return {"StartAt": next(iter(states)), "States": states}


def caught(state, *errors):
    return {**state, "Catch": [{"ErrorEquals": list(errors), "Next": "Caught"}], "End": True}


def call(function, **payload):
    return {"Type": "Task", "Resource": function, "Parameters": payload, "End": True}


@contextmanager
def moto_server():
    moto_api_backend.reset()
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    with bound_environment(environment(endpoint, REGION)):
        yield Moto(Aws(endpoint, REGION))
    server.stop()
    moto_api_backend.reset()


class Moto:
    def __init__(self, aws):
        self.aws, self._names = aws, (f"n{i}" for i in itertools.count())
        made = aws.client("iam").create_role(RoleName="role", AssumeRolePolicyDocument="{}")
        self.role = made["Role"]["Arn"]

    def name(self):
        return next(self._names)

    @property
    def sfn(self):
        """Does not ask again what was answered with an error."""
        return self.aws.task_client("stepfunctions", REGION, Config(retries={"max_attempts": 0}))

    @contextmanager
    def patched_with(self, patch, wanted, base=BASE):
        """``base`` in force, and ``patch`` with it if ``wanted``."""
        with moto_patches.applied(self.aws, [*base, *([patch] if wanted else [])]):
            yield

    def function(self, name=None):
        """Make a Lambda function; returns its ARN."""
        code = io.BytesIO()
        with zipfile.ZipFile(code, "w") as archive:
            archive.writestr("code.py", "")
        return self.aws.client("lambda").create_function(
            FunctionName=name or self.name(),
            Runtime="python3.13",
            Role=self.role,
            Handler="code.handler",
            Code={"ZipFile": code.getvalue()},
        )["FunctionArn"]

    def machine_stack(self, **properties):
        """Deploy a stack of one state machine; returns the machine's ARN."""
        properties = {"StateMachineName": self.name(), "RoleArn": self.role, **properties}
        template = {
            "Resources": {"Machine": {"Type": "AWS::StepFunctions::StateMachine", "Properties": properties}},
            "Outputs": {"Arn": {"Value": {"Ref": "Machine"}}},
        }
        return deploy(self.aws, self.name(), StackArtifact(template, ()))["Arn"]

    def start(self, definition, execution_input=None):
        made = self.sfn.create_state_machine(
            name=self.name(), definition=json.dumps(definition), roleArn=self.role
        )
        return self.sfn.start_execution(
            stateMachineArn=made["stateMachineArn"], name=self.name(), input=json.dumps(execution_input or {})
        )["executionArn"]

    def ended(self, execution):
        """Wait for the execution's end; returns its description."""
        return self._wait(
            lambda: self.sfn.describe_execution(executionArn=execution),
            lambda found: found["status"] in ENDED,
        )

    def run(self, definition, execution_input=None):
        return self.ended(self.start(definition, execution_input))

    def wait_for_task(self, execution):
        """Wait until a function was called."""
        self._wait(
            lambda: self.sfn.get_execution_history(executionArn=execution)["events"],
            lambda events: any(event["type"] == "LambdaFunctionStarted" for event in events),
        )

    @staticmethod
    def _wait(look, well):
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            if well(found := look()):
                return found
            time.sleep(0.01)
        raise AssertionError("it does not happen")
