"""Weather of the control planes, each kind: what boto3, Step Functions and EC2's callers see of it."""

from __future__ import annotations

import json
from types import SimpleNamespace

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, HTTPClientError

from local.aws.boto import AS_STATES
from local.aws.strict import front
from local.aws.strict.front import Answer
from local.aws.swaps import Swaps
from tests.support.aws.moto_server import REGION, moto_server
from tests.support.weather import weather as kinds
from tests.support.weather.pages import EMPTY, SHORT
from tests.support.weather.service_errors import OF_WEATHER
from tests.support.weather.weather import Weather

FUNCTION = {"aws_access_key_id": "AFunction", "aws_secret_access_key": "x", "aws_session_token": "x"}
ALL = {kinds.LATE, kinds.REFUSED, kinds.FAULTY, kinds.LOST, kinds.REPEATED}


@pytest.fixture(scope="module")
def moto():
    with moto_server() as server:
        server.aws.client("s3").create_bucket(Bucket="weather")
        server.function("weather")
        yield server


class Sky:
    """Weather of one kind in front of the server: each service meets it once."""

    def __init__(self, moto, weather):
        self._moto, self.weather = moto, weather

    def client(self, service, attempts=1, **whose):
        config = Config(retries={"mode": "standard", "total_max_attempts": attempts}, proxies={})
        asked = {"region_name": REGION, "endpoint_url": self._moto.aws.endpoint, "config": config}
        return boto3.client(service, **asked, **(whose or FUNCTION))


@pytest.fixture
def sky(moto, monkeypatch):
    monkeypatch.setattr(kinds, "LATE_S", 0.01)
    layers = []

    def under(*wanted):
        weather = Weather(1, share=0.0, kinds=wanted)
        layers.append(weather)
        return Sky(moto, weather)

    with Swaps() as swaps:
        front.install(swaps, layers)
        yield under


#: a call of each service that makes and changes nothing
CALLS = {
    "athena": lambda api: api.list_work_groups(),
    "dynamodb": lambda api: api.list_tables(),
    "ec2": lambda api: api.describe_vpcs(),
    "ecs": lambda api: api.list_clusters(),
    "s3": lambda api: api.list_objects_v2(Bucket="weather"),
    "sns": lambda api: api.list_topics(),
    "stepfunctions": lambda api: api.list_state_machines(),
    "lambda": lambda api: api.get_function_configuration(FunctionName="weather"),
}


@pytest.mark.parametrize("service", CALLS)
@pytest.mark.parametrize("kind", [kinds.REFUSED, kinds.FAULTY])
def test_a_service_refuses_in_its_own_words_and_boto3_makes_the_call_again(moto, sky, kind, service):
    over = sky(kind)
    name = {"stepfunctions": "states"}.get(service, service)
    refusal = OF_WEATHER[name][0 if kind == kinds.REFUSED else 1]
    with pytest.raises(ClientError) as refused:
        CALLS[service](over.client(service))
    said = refused.value.response
    assert (said["Error"]["Code"], said["ResponseMetadata"]["HTTPStatusCode"]) == (
        refusal.code,
        refusal.status,
    )
    assert over.weather.counts == {name: {kind: 1}}
    over.weather.counts.clear()
    CALLS[service](over.client(service, attempts=2))
    assert over.weather.counts == {name: {kind: 1}}


def test_an_answer_is_lost_after_the_work_was_done(moto, sky):
    moto.aws.client("s3").create_bucket(Bucket="lost")
    over = sky(kinds.LOST)
    with pytest.raises(HTTPClientError):
        over.client("s3").put_object(Bucket="lost", Key="k", Body=b"x")
    assert over.client("s3").get_object(Bucket="lost", Key="k")["Body"].read() == b"x"
    assert over.weather.counts == {"s3": {kinds.LOST: 1}}


def test_an_answer_comes_late(sky):
    over = sky(kinds.LATE)
    over.client("dynamodb").list_tables()
    assert over.weather.counts == {"dynamodb": {kinds.LATE: 1}}


def test_whoever_sits_at_the_keyboard_has_fair_weather(moto, sky):
    over = sky(*ALL)
    moto.aws.client("dynamodb").list_tables()
    assert not over.weather.counts


def test_a_call_is_struck_three_times_in_a_row_at_most(moto, sky):
    over = sky(kinds.REFUSED)
    over.weather._share = 1.0
    over.client("dynamodb", attempts=4).list_tables()
    assert over.weather.counts == {"dynamodb": {kinds.REFUSED: 3}}


def test_step_functions_calls_are_refused_where_they_start_something_and_no_function_is_broken(sky):
    over = sky(kinds.REFUSED, kinds.FAULTY, kinds.LOST)
    over.client("athena", **AS_STATES).list_work_groups()
    api = over.client("lambda", **AS_STATES)
    with pytest.raises(ClientError, match="TooManyRequests"):
        api.invoke(FunctionName="none")
    for _ in range(2):
        with pytest.raises(ClientError, match="ResourceNotFound"):
            api.invoke(FunctionName="none")
    assert over.weather.counts == {"lambda": {kinds.REFUSED: 1}}


@pytest.fixture
def template(moto):
    ec2 = moto.aws.client("ec2")
    image = ec2.describe_images()["Images"][0]["ImageId"]
    return {"ImageId": image, "MinCount": 2, "MaxCount": 2}


def test_a_page_of_ec2_may_be_asked_for_again(sky, template):
    """Whoever has lost the answer asks with the same token, and gets the same page."""
    over = sky(SHORT)
    ec2 = over.client("ec2")
    for _ in range(3):
        ec2.run_instances(**template)
    token, ids = "", []
    while token is not None:
        asked = {"NextToken": token} if token else {}
        first, again = (ec2.describe_instances(**asked) for _ in range(2))
        if token:
            assert (again["Reservations"], "NextToken" in again) == (
                first["Reservations"],
                "NextToken" in first,
            )
        ids += [one["InstanceId"] for found in first["Reservations"] for one in found["Instances"]]
        token = first.get("NextToken")
    assert len(ids) == len(set(ids)) == 6


def test_ec2_does_not_know_for_a_second_what_it_has_launched(sky, template, monkeypatch):
    monkeypatch.setattr(kinds, "UNKNOWN_S", 1000.0)  # however slow the machine is
    over = sky(kinds.FORGOTTEN)
    ec2 = over.client("ec2")
    ids = [each["InstanceId"] for each in ec2.run_instances(**template)["Instances"]]
    with pytest.raises(ClientError, match=r"InvalidInstanceID\.NotFound"):
        ec2.terminate_instances(InstanceIds=ids)

    def listed():
        pages = ec2.get_paginator("describe_instances").paginate()
        return {
            each["InstanceId"] for page in pages for one in page["Reservations"] for each in one["Instances"]
        }

    assert not listed() & set(ids)
    clock = kinds.time.monotonic() + kinds.UNKNOWN_S
    monkeypatch.setattr(kinds, "time", SimpleNamespace(monotonic=lambda: clock))
    assert set(ids) <= listed()
    ec2.terminate_instances(InstanceIds=ids)
    assert over.weather.counts["ec2"][kinds.FORGOTTEN] == 1
    assert over.weather.counts["ec2"][kinds.NOT_LISTED] == 2


def test_lists_come_a_few_items_a_page_and_of_ec2_an_empty_one_first(moto, sky):
    s3, dynamodb, ec2 = (moto.aws.client(name) for name in ("s3", "dynamodb", "ec2"))
    s3.create_bucket(Bucket="pages")
    keys = [f"k{number}" for number in range(7)]
    for key in keys:
        s3.put_object(Bucket="pages", Key=key, Body=b"")
    names = {"a": "HASH", "b": "RANGE"}
    dynamodb.create_table(
        TableName="pages",
        KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in names.items()],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in names],
        BillingMode="PAY_PER_REQUEST",
    )
    for key in keys:
        dynamodb.put_item(TableName="pages", Item={"a": {"S": "x"}, "b": {"S": key}})
    vpcs = {ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"] for _ in range(3)}
    over = sky(SHORT)
    pages = list(over.client("s3").get_paginator("list_objects_v2").paginate(Bucket="pages"))
    assert [each["Key"] for page in pages for each in page["Contents"]] == keys
    asked = {"KeyConditionExpression": "a = :x", "ExpressionAttributeValues": {":x": {"S": "x"}}}
    found = list(over.client("dynamodb").get_paginator("query").paginate(TableName="pages", **asked))
    assert [each["b"]["S"] for page in found for each in page["Items"]] == keys
    listed = list(over.client("ec2").get_paginator("describe_vpcs").paginate())
    assert listed[0]["Vpcs"] == []
    assert {each["VpcId"] for page in listed for each in page["Vpcs"]} >= vpcs
    assert {len(page["Vpcs"]) for page in listed[1:]} == {1}
    assert over.weather.counts["s3"][SHORT] == 2
    assert over.weather.counts["dynamodb"][SHORT] >= 2
    assert over.weather.counts["ec2"][SHORT] == len(listed) - 1
    assert over.weather.counts["ec2"][EMPTY] == 1


def test_what_is_named_by_its_id_is_answered_whole(moto, sky):
    ids = [moto.aws.client("ec2").create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"] for _ in range(2)]
    over = sky(SHORT)
    assert len(over.client("ec2").describe_vpcs(VpcIds=ids)["Vpcs"]) == 2


def test_an_asynchronous_invocation_runs_twice_whoever_makes_it():
    runs = []
    weather = Weather(1, share=0.0)
    request = SimpleNamespace(
        environ={"HTTP_X_AMZ_INVOCATION_TYPE": "Event"},
        caller="local",
        operation="lambda:Invoke",
        service="lambda",
        body=b"",
    )

    def run(_):
        runs.append(1)
        return Answer(202)

    weather.counts["lambda"].update(ALL - {kinds.REPEATED})
    assert weather(request, run).status == 202
    assert len(runs) == 2
    assert weather.counts["lambda"][kinds.REPEATED] == 1


def test_the_same_seed_makes_the_same_weather():
    def made(seed):
        weather = Weather(seed, share=0.3)
        return json.dumps([weather.befalls(kinds.LATE, "s3") for _ in range(50)])

    assert made(1) == made(1) != made(2)
