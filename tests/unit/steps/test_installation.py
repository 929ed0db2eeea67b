"""Two installations in one account: what their runs make is told apart, even where runs have one name."""

from __future__ import annotations

import json

import boto3
import pytest
from moto import mock_aws

from breakeven.installation import Installation, installation
from breakeven.results.state import RunState
from breakeven.results.store import Store
from breakeven.steps.lane.launch_brokers import Place, launch
from breakeven.steps.lane.release_lane import release_lane
from breakeven.steps.run.run_input import RunInput
from breakeven.steps.services import Services
from breakeven.targets.sqs.sqs_standard import SqsStandard
from local.cdk import synth
from tests.support.scripted.fakes import make_case

REGION = "us-east-1"
PAIR = "rabbitmq-mirrored-pair"


@pytest.fixture
def aws(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    with mock_aws():
        yield


@pytest.fixture
def be(monkeypatch):
    """Become the installation with that prefix."""

    def become(prefix: str) -> None:
        monkeypatch.setenv("BREAKEVEN_OWNER", f"{prefix}-QueueBreakeven")
        monkeypatch.setenv("BREAKEVEN_QUEUE_PREFIX", f"{prefix}-")
        monkeypatch.setenv("BREAKEVEN_TAGS", json.dumps({"CostCenter": "1234"}))

    return become


@pytest.fixture
def services(aws) -> Services:
    s3 = boto3.client("s3")
    s3.create_bucket(Bucket="results")
    table = boto3.resource("dynamodb").create_table(
        TableName="state",
        KeySchema=[
            {"AttributeName": "run_id", "KeyType": "HASH"},
            {"AttributeName": "item", "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": "run_id", "AttributeType": "S"},
            {"AttributeName": "item", "AttributeType": "S"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    RunState(table, "monthly").update("run", status="running")
    return Services(store=Store(s3, "results"), table=table)


def launched(services: Services) -> tuple[set[str], str]:
    """Launch a pair for the run ``monthly``; the instances and the token of the call."""
    ec2, tokens = boto3.client("ec2"), []
    image = ec2.describe_images()["Images"][0]["ImageId"]
    template = ec2.create_launch_template(
        LaunchTemplateName=f"template-{installation().owner}",
        LaunchTemplateData={"ImageId": image, "InstanceType": "m7g.large"},
    )["LaunchTemplate"]["LaunchTemplateId"]
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    group = ec2.describe_security_groups()["SecurityGroups"][0]["GroupId"]
    ec2.meta.events.register(
        "before-parameter-build.ec2.RunInstances", lambda params, **_: tokens.append(params["ClientToken"])
    )
    launch(services, ec2, Place(template, group, {"us-east-1a": subnet}), "monthly", PAIR)
    lane = services.state("monthly").get(f"lane#{PAIR}")
    return set(lane["instance_ids"]), tokens[0]


def test_a_lane_lets_go_of_its_own_installations_brokers_only(services, be):
    be("team-a")
    first, first_token = launched(services)
    be("team-b")
    second, second_token = launched(services)
    assert first_token != second_token  # EC2 would take the second call for the first one again
    assert set(release_lane(services, boto3.client("ec2"), boto3.client("mq"), "monthly", PAIR)) == second
    be("team-a")
    assert set(release_lane(services, boto3.client("ec2"), boto3.client("mq"), "monthly")) == first


def test_what_a_launch_makes_carries_the_accounts_tags_and_the_owner(services, be):
    be("team-a")
    ids, _ = launched(services)
    found = boto3.client("ec2").describe_instances(InstanceIds=sorted(ids))["Reservations"][0]["Instances"]
    for instance in found:
        tags = {tag["Key"]: tag["Value"] for tag in instance["Tags"]}
        assert tags["CostCenter"] == "1234"
        assert tags["breakeven:owner"] == "team-a-QueueBreakeven"
        assert tags["breakeven:run"] == "monthly"


def test_queues_of_runs_of_one_name_are_others_in_another_installation(aws, be):
    urls = []
    for prefix in ("team-a", "team-b"):
        be(prefix)
        (url,) = SqsStandard().prepare(make_case(), 1).queues
        assert url.rsplit("/", 1)[1].startswith(f"{prefix}-be-")
        tags = boto3.client("sqs").list_queue_tags(QueueUrl=url)["Tags"]
        assert tags["CostCenter"] == "1234"
        assert tags["breakeven:owner"] == f"{prefix}-QueueBreakeven"
        urls.append(url)
    assert len(set(urls)) == 2


def test_without_an_environment_there_is_one_installation(monkeypatch):
    for name in ("OWNER", "QUEUE_PREFIX", "TAGS"):
        monkeypatch.delenv(f"BREAKEVEN_{name}", raising=False)
    assert installation().tags({"a": "b"}) == {"breakeven:owner": Installation().owner, "a": "b"}
    assert installation().queue_prefix == ""


def test_credentials_are_encrypted_with_the_accounts_key_where_it_has_one(services):
    s3, key = boto3.client("s3"), f"arn:aws:kms:{REGION}:123456789012:key/mine"
    Store(s3, "results", kms_key=key).put_secret("secrets/a", "text")
    Store(s3, "results").put_secret("secrets/b", "text")
    head = {name: s3.head_object(Bucket="results", Key=f"secrets/{name}") for name in "ab"}
    assert head["a"]["SSEKMSKeyId"] == key
    assert head["b"]["ServerSideEncryption"] == "aws:kms"
    assert head["b"].get("SSEKMSKeyId") != key


def test_a_run_is_priced_where_the_stack_is_unless_it_says_otherwise(monkeypatch):
    monkeypatch.setenv("BREAKEVEN_REGION", "eu-west-1")
    assert RunInput().region == "eu-west-1"
    assert RunInput(region="us-east-1").region == "us-east-1"


def test_context_of_an_account_is_not_for_this_machine(monkeypatch, tmp_path):
    context = {"breakeven:vpc_id": "vpc-01234567", "cli-telemetry": False}
    (tmp_path / "cdk.json").write_text(json.dumps({"context": context}))
    monkeypatch.setattr(synth, "ROOT", tmp_path)
    given = json.loads(synth.app_environment(tmp_path / "out")["CDK_CONTEXT_JSON"])
    assert given == {"cli-telemetry": False, "aws:cdk:bundling-stacks": []}
