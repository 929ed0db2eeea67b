"""What ``state_patches.py`` calls the errors of services, and the symptom without it."""

from __future__ import annotations

import json

import pytest

from local.aws.patches.state_patches import service_errors_have_their_names
from local.aws.strict import front
from local.aws.strict.front import Answer
from local.aws.swaps import Swaps
from tests.support.aws.moto_server import CAUGHT, both, call, caught, machine

WORDS = "User: arn:aws:sts::123456789012:assumed-role/r/s is not authorized to perform: x because"
UPDATE = {
    "Type": "Task",
    "Resource": "arn:aws:states:::dynamodb:updateItem",
    "Parameters": {"TableName": "t", "Key": {"k": {"S": "x"}}, "UpdateExpression": "SET a = b"},
}


def invoke(function):
    """The same function, called the other way that there is."""
    parameters = {"FunctionName": function, "Payload": {}}
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Parameters": parameters,
        "End": True,
    }


def refusing(service, status, code):
    """A layer in which the service refuses every call."""

    def layer(request, pass_on):
        if request.service != service:
            return pass_on(request)
        body = json.dumps({"__type": code, "message": WORDS}).encode()
        return Answer.of(
            status, "application/x-amz-json-1.1", body, x_amzn_ErrorType=code, x_amzn_RequestId="1"
        )

    return layer


def failed(moto, patched, layer, state):
    with moto.patched_with(service_errors_have_their_names, patched), Swaps() as swaps:
        front.install(swaps, [layer])
        return moto.run(machine(A=state))


@both
@pytest.mark.parametrize(
    ("status", "code", "name"),
    [
        (429, "TooManyRequestsException", "Lambda.TooManyRequestsException"),
        (500, "ServiceException", "Lambda.ServiceException"),
        (403, "AccessDeniedException", "Lambda.AWSLambdaException"),
    ],
)
def test_service_errors_have_their_names(moto, function, status, code, name, patched):
    for state in (call(function, x=1), invoke(function)):
        found = failed(moto, patched, refusing("lambda", status, code), state)
        assert found["status"] == "FAILED"
        reported = f"{WORDS} (Service: AWSLambda; Status Code: {status}; Error Code: {code}; Request ID: "
        if patched:
            assert (found["error"], found["cause"][: len(reported)]) == (name, reported)
        elif state["Resource"] == function:
            assert found["error"] == "Exception"


@both
def test_what_dynamodb_has_no_name_for_is_its_general_error(moto, patched):
    layer = refusing("dynamodb", 400, "AccessDeniedException")
    found = failed(moto, patched, layer, {**UPDATE, "End": True})
    name = "AmazonDynamoDBException" if patched else "AccessDeniedException"
    assert found["error"] == f"DynamoDB.{name}"
    assert found["cause"].startswith(WORDS)


@both
def test_a_lost_condition_keeps_its_name(moto, patched):
    layer = refusing("dynamodb", 400, "ConditionalCheckFailedException")
    found = failed(moto, patched, layer, {**UPDATE, "End": True})
    assert found["error"] == "DynamoDB.ConditionalCheckFailedException"


def test_a_refused_call_is_caught_by_its_name(moto, function):
    state = caught(call(function, x=1), "Lambda.TooManyRequestsException")
    with moto.patched_with(service_errors_have_their_names, True), Swaps() as swaps:
        front.install(swaps, [refusing("lambda", 429, "TooManyRequestsException")])
        assert moto.run(machine(A=state, Caught=CAUGHT))["output"] == '{"caught": true}'
