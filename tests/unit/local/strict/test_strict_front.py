"""The chain of layers in front of the simulated AWS."""

from __future__ import annotations

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, HTTPClientError

from local.aws.boto import PERSON
from local.aws.strict import front
from local.aws.strict.front import Answer, Dropped
from local.aws.swaps import Swaps
from tests.support.aws.moto_server import REGION, moto_server


@pytest.fixture(scope="module")
def moto():
    with moto_server() as server:
        yield server


@pytest.fixture
def layers(moto):
    """Put layers into it, the outermost first; they are gone after the test."""
    with Swaps() as swaps:
        layers = []
        front.install(swaps, layers)
        yield layers


@pytest.fixture
def s3(moto):
    client = moto.aws.task_client("s3", REGION, Config(retries={"total_max_attempts": 1}))
    if "bucket" not in {bucket["Name"] for bucket in client.list_buckets()["Buckets"]}:
        client.create_bucket(Bucket="bucket")
    return client


def test_layers_see_requests_in_order_and_the_server_answers_last(layers, s3):
    seen = []

    def noting(name):
        def layer(request, pass_on):
            seen.append((name, request.operation))
            answer = pass_on(request)
            seen.append((name, answer.status))
            return answer

        return layer

    layers.append(noting("outer"))
    layers.append(noting("inner"))
    s3.put_object(Bucket="bucket", Key="k", Body=b"body")
    operation = "s3:PutObject"
    assert seen == [("outer", operation), ("inner", operation), ("inner", 200), ("outer", 200)]
    assert s3.get_object(Bucket="bucket", Key="k")["Body"].read() == b"body"
    assert s3.head_object(Bucket="bucket", Key="k")["ContentLength"] == 4


def test_a_layer_that_answers_keeps_a_request_from_being_carried_out(layers, s3):
    def refuse(request, pass_on):
        return Answer.of(503, "application/xml", b"<Error><Code>SlowDown</Code></Error>", x_amz_id_2="1")

    layers.append(refuse)
    with pytest.raises(ClientError, match="SlowDown") as refused:
        s3.put_object(Bucket="bucket", Key="refused", Body=b"")
    assert refused.value.response["ResponseMetadata"]["HTTPHeaders"]["x-amz-id-2"] == "1"


def test_a_request_can_be_carried_out_twice(layers, s3, moto):
    sizes = []

    def twice(request, pass_on):
        if request.operation == "dynamodb:UpdateItem":
            sizes.append(len(pass_on(request).body))
        return pass_on(request)

    table = moto.aws.client("dynamodb")
    table.create_table(
        TableName="t",
        KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    layers.append(twice)
    table.update_item(
        TableName="t",
        Key={"k": {"S": "x"}},
        UpdateExpression="ADD n :one",
        ExpressionAttributeValues={":one": {"N": "1"}},
    )
    assert table.get_item(TableName="t", Key={"k": {"S": "x"}})["Item"]["n"] == {"N": "2"}
    assert sizes


@pytest.mark.parametrize("done", [True, False])
def test_a_dropped_connection_is_one_to_the_client_whether_or_not_the_work_was_done(layers, s3, done):
    def drop(request, pass_on):
        if request.operation != "s3:PutObject":
            return pass_on(request)
        if done:
            pass_on(request)
        raise Dropped

    layers.append(drop)
    with pytest.raises(HTTPClientError, match="closed"):
        s3.put_object(Bucket="bucket", Key=f"dropped-{done}", Body=b"x")
    keys = {each["Key"] for each in s3.list_objects_v2(Bucket="bucket").get("Contents", [])}
    assert (f"dropped-{done}" in keys) is done


def test_a_request_says_who_makes_it_and_its_body_is_read_once(layers, moto):
    seen = []

    def note(request, pass_on):
        seen.append((request.caller, request.service, request.body))
        return pass_on(request)

    layers.append(note)
    moto.aws.client("ec2").describe_vpcs()
    ((caller, service, body),) = seen
    assert (caller, service) == (PERSON, "ec2")
    assert b"Action=DescribeVpcs" in body


def test_a_front_is_gone_with_its_control_plane(moto, s3):
    with Swaps() as swaps:
        front.install(swaps, [lambda request, pass_on: Answer.of(500, "text/plain", b"")])
        with pytest.raises(ClientError):
            s3.list_objects_v2(Bucket="bucket")
    assert s3.list_objects_v2(Bucket="bucket")["KeyCount"] >= 0
