"""Limits of the services: what AWS refuses, the simulated one refuses as it does, and carries out nothing."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.aws.strict import front
from local.aws.strict.front import Answer
from local.aws.strict.service_limits import check_limits
from local.aws.strict.shapes import check_shapes
from local.aws.swaps import Swaps
from tests.support.aws.moto_server import REGION, moto_server

#: boto3 would look at some of it itself
SENT_AS_IT_IS = Config(parameter_validation=False, retries={"total_max_attempts": 1})
KIB = 1024


@pytest.fixture(scope="module")
def moto():
    with moto_server() as server, Swaps() as swaps:
        front.install(swaps, [check_shapes, check_limits, carried_out])
        yield server


#: instead of moto, which would want everything to be there
REPLIES = {"s3": b"", "sns": b"<PublishResponse><PublishResult/></PublishResponse>", "ec2": b"<Response/>"}
made: list[str] = []


def carried_out(request, pass_on):
    made.append(request.operation)
    return Answer.of(
        200,
        "text/xml" if request.service in REPLIES else "application/x-amz-json-1.0",
        REPLIES.get(request.service, b"{}"),
    )


def refused(moto, service: str, call: str, **given: Any) -> str:
    """The error's code; empty where the call is carried out."""
    made.clear()
    client = moto.aws.task_client(service, REGION, SENT_AS_IT_IS)
    try:
        getattr(client, call)(**given)
    except ClientError as error:
        assert made == []
        return str(error.response["Error"]["Code"])
    assert len(made) == 1
    return ""


def tags(count: int = 1, key: str = "k", value: str = "v") -> dict[str, Any]:
    every = [{"Key": f"{key}{n or ''}", "Value": value} for n in range(count)]
    return {"TagSpecifications": [{"ResourceType": "instance", "Tags": every}]}


RUN = {"MinCount": 1, "MaxCount": 1}
TASK = {"cluster": "c", "taskDefinition": "t"}
START = {"stateMachineArn": "arn:aws:states:us-east-1:123456789012:stateMachine:m"}
UPDATE = {"TableName": "t", "Key": {"k": {"S": "1"}}}
PUT = {"Bucket": "bucket", "Body": b""}


def overrides(characters: int) -> dict[str, Any]:
    empty = {"containerOverrides": [{"name": "loader", "command": [""]}]}
    filled = "x" * (characters - len(json.dumps(empty, separators=(",", ":"))))
    return {"containerOverrides": [{"name": "loader", "command": [filled]}]}


#: service, call, what is taken, what is not, how that is said
LIMITS = [
    ("s3", "put_object", {**PUT, "Key": "ü" * 512}, {**PUT, "Key": "ü" * 512 + "x"}, "KeyTooLongError"),
    (
        "s3",
        "put_object",
        {**PUT, "Key": "k", "Metadata": {"name": "x" * (2 * KIB - 4)}},
        {**PUT, "Key": "k", "Metadata": {"name": "x" * (2 * KIB - 3)}},
        "MetadataTooLarge",
    ),
    (
        "dynamodb",
        "update_item",
        {**UPDATE, "UpdateExpression": "x" * 4 * KIB},
        {**UPDATE, "UpdateExpression": "x" * (4 * KIB + 1)},
        "ValidationException",
    ),
    (
        "dynamodb",
        "update_item",
        {**UPDATE, "ExpressionAttributeValues": {":v": {"S": "x" * 399 * KIB}}},
        {**UPDATE, "ExpressionAttributeValues": {":v": {"S": "x" * 400 * KIB}}},
        "ValidationException",
    ),
    ("stepfunctions", "start_execution", {**START, "name": "a-B_1"}, {**START, "name": "a:b"}, "InvalidName"),
    (
        "stepfunctions",
        "start_execution",
        {**START, "name": "x" * 80},
        {**START, "name": "x" * 81},
        "ValidationException",
    ),
    (
        "stepfunctions",
        "start_execution",
        {**START, "input": json.dumps("ü" * (128 * KIB - 1), ensure_ascii=False)},
        {**START, "input": json.dumps("ü" * 128 * KIB, ensure_ascii=False)},
        "InvalidExecutionInput",
    ),
    (
        "lambda",
        "invoke",
        {"FunctionName": "f", "Payload": b"x" * 6 * KIB**2},
        {"FunctionName": "f", "Payload": b"x" * (6 * KIB**2 + 1)},
        "RequestTooLargeException",
    ),
    (
        "lambda",
        "invoke",
        {"FunctionName": "f", "InvocationType": "Event", "Payload": b"x" * 256 * KIB},
        {"FunctionName": "f", "InvocationType": "Event", "Payload": b"x" * (256 * KIB + 1)},
        "RequestTooLargeException",
    ),
    (
        "sns",
        "publish",
        {"TopicArn": "t", "Message": "x" * 256 * KIB},
        {"TopicArn": "t", "Message": "x" * (256 * KIB + 1)},
        "InvalidParameter",
    ),
    (
        "sns",
        "publish",
        {"TopicArn": "t", "Message": "m", "Subject": "x" * 100},
        {"TopicArn": "t", "Message": "m", "Subject": "x" * 101},
        "InvalidParameter",
    ),
    (
        "sns",
        "publish",
        {"TopicArn": "t", "Message": "m", "Subject": "a b"},
        {"TopicArn": "t", "Message": "m", "Subject": "a\nb"},
        "InvalidParameter",
    ),
    ("ecs", "run_task", {**TASK, "count": 10}, {**TASK, "count": 11}, "InvalidParameterException"),
    (
        "ecs",
        "run_task",
        {**TASK, "overrides": overrides(8192)},
        {**TASK, "overrides": overrides(8193)},
        "InvalidParameterException",
    ),
    (
        "ecs",
        "run_task",
        {**TASK, "tags": [{"key": f"k{n}", "value": "v"} for n in range(50)]},
        {**TASK, "tags": [{"key": f"k{n}", "value": "v"} for n in range(51)]},
        "InvalidParameterException",
    ),
    ("ec2", "run_instances", {**RUN, **tags(50)}, {**RUN, **tags(51)}, "TagLimitExceeded"),
    (
        "ec2",
        "run_instances",
        {**RUN, **tags(key="k" * 128)},
        {**RUN, **tags(key="k" * 129)},
        "InvalidParameterValue",
    ),
    (
        "ec2",
        "run_instances",
        {**RUN, **tags(value="v" * 256)},
        {**RUN, **tags(value="v" * 257)},
        "InvalidParameterValue",
    ),
    (
        "ec2",
        "run_instances",
        {**RUN, **tags(key="of:aws")},
        {**RUN, **tags(key="aws:mine")},
        "InvalidParameterValue",
    ),
    (
        "ec2",
        "run_instances",
        {**RUN, "UserData": "x" * 16 * KIB},
        {**RUN, "UserData": "x" * (16 * KIB + 1)},
        "InvalidParameterValue",
    ),
    (
        "ec2",
        "run_instances",
        {**RUN, "ClientToken": "x" * 64},
        {**RUN, "ClientToken": "x" * 65},
        "InvalidParameterValue",
    ),
    (
        "ec2",
        "create_image",
        {"InstanceId": "i-1", "Name": "(a [b]).c/d-e'f@g_1"},
        {"InstanceId": "i-1", "Name": "brokers: ours"},
        "InvalidAMIName.Malformed",
    ),
    # of the models alone: a list's length, a required parameter, a value of some, a range, a pattern
    (
        "athena",
        "start_query_execution",
        {"QueryString": "x" * 262_144},
        {"QueryString": "x" * 262_145},
        "InvalidRequestException",
    ),
    (
        "athena",
        "start_query_execution",
        {"QueryString": "x", "ExecutionParameters": ["1"]},
        {"QueryString": "x", "ExecutionParameters": []},
        "InvalidRequestException",
    ),
    (
        "athena",
        "start_query_execution",
        {"QueryString": "x", "WorkGroup": "a.b-c"},
        {"QueryString": "x", "WorkGroup": "a/b"},
        "InvalidRequestException",
    ),
    ("dynamodb", "update_item", UPDATE, {"TableName": "t"}, "ValidationException"),
    (
        "dynamodb",
        "update_item",
        {**UPDATE, "ReturnValues": "ALL_NEW"},
        {**UPDATE, "ReturnValues": "EVERYTHING"},
        "ValidationException",
    ),
    (
        "dynamodb",
        "query",
        {"TableName": "t", "Limit": 1},
        {"TableName": "t", "Limit": 0},
        "ValidationException",
    ),
    ("sns", "publish", {"TopicArn": "t", "Message": "m"}, {"TopicArn": "t"}, "InvalidParameter"),
    ("ec2", "run_instances", RUN, {"MinCount": 1}, "InvalidParameterValue"),
]


def named(limit: tuple[Any, ...]) -> str:
    service, call, taken, not_taken, _ = limit
    different = sorted(set(taken) ^ set(not_taken) or (key for key in taken if taken[key] != not_taken[key]))
    return f"{service}-{call}-{'-'.join(different)}"


@pytest.mark.parametrize(("service", "call", "taken", "not_taken", "code"), LIMITS, ids=map(named, LIMITS))
def test_a_request_at_a_services_limit_is_carried_out_and_one_over_it_is_refused(
    moto, service, call, taken, not_taken, code
):
    assert refused(moto, service, call, **taken) == ""
    assert refused(moto, service, call, **not_taken) == code


def test_looking_at_a_request_takes_much_less_than_carrying_it_out(moto):
    """A local run makes some thousands of them; moto takes two milliseconds for each, or more."""
    client = moto.aws.task_client("dynamodb", REGION, SENT_AS_IT_IS)
    seen: list[float] = []

    def timed(request, pass_on):
        ended: list[float] = []
        start = time.thread_time()
        check_shapes(
            request,
            lambda given: check_limits(given, lambda _: ended.append(time.thread_time()) or Answer(200)),
        )
        seen.append(ended[0] - start)
        return pass_on(request)

    with Swaps() as swaps:
        front.install(swaps, [timed, carried_out])
        for _ in range(50):
            client.update_item(
                **UPDATE, UpdateExpression="SET #a = :a", ExpressionAttributeValues={":a": {"S": "x"}}
            )
    assert sorted(seen)[25] < 0.001
