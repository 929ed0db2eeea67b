"""Each question of ``breakeven doctor``, answered well, badly and not at all."""

from __future__ import annotations

import base64
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from botocore.parsers import ResponseParserError

from breakeven.agent import VERSION
from cli.doctor import doctor_command
from cli.doctor.doctor_images import brokers_image, loaders_image
from cli.running.deployed import Account, Deployed
from infra.brokers.image_builders import bake_user_data

ROLE = "arn:aws:iam::123456789012:role/path/team"
OUTPUTS = {
    "StateMachineArn": "arn:aws:states:eu-west-1:123456789012:stateMachine:m",
    "BucketName": "results",
    "StateTableName": "state",
    "TopicArn": "arn:aws:sns:eu-west-1:123456789012:t",
}


class Session:
    """Stands for boto3's: of each service the calls that are given, as functions of their arguments."""

    region_name = "eu-west-1"

    def __init__(self, **services: dict[str, Any]) -> None:
        self._services = services

    def client(self, service: str, **_: Any) -> Any:
        return SimpleNamespace(**self._services[service.replace("-", "_")])


def account(caller: str = "arn:aws:iam::123456789012:user/me", **services: Any) -> Account:
    return Account(Session(**services), "123456789012", caller)


def deployed(caller: str = "arn:aws:iam::123456789012:user/me", **services: Any) -> Deployed:
    return Deployed(account(caller, **services), "QueueBreakeven", OUTPUTS)


def refusing(code: str) -> Any:
    def call(**_: Any) -> Any:
        raise ClientError({"Error": {"Code": code, "Message": "no"}}, "Any")

    return call


@pytest.mark.parametrize(("vcpus", "level"), [(2.0, "stop"), (3.0, "note"), (5.0, "note"), (6.0, "ok")])
def test_a_lanes_brokers_fit_into_the_quota_or_not(vcpus, level):
    quotas = {"get_service_quota": lambda **_: {"Quota": {"Value": vcpus}}}
    found = doctor_command._vcpus(account(service_quotas=quotas))
    assert found[0] == level
    assert ("L-1216C47A" in found[1]) == (level != "ok")
    assert ("rabbitmq-quorum-trio" in found[1]) == (level != "ok")
    assert ("rabbitmq-mirrored-pair" in found[1]) == (vcpus < 4), "its two nodes have 4"
    smaller = "suites that name no machines run all clusters on m7g.medium"
    assert (smaller in found[1]) == (level == "note")
    assert ("rabbitmq-quorum-trio not even on m7g.medium" in found[1]) == (level == "stop")


@pytest.mark.parametrize(
    ("limit", "level"), [(5, "stop"), (10, "note"), (104, "note"), (105, "ok"), (1000, "ok")]
)
def test_a_new_accounts_functions_are_too_few_for_many_loaders(limit, level):
    settings = {"get_account_settings": lambda: {"AccountLimit": {"UnreservedConcurrentExecutions": limit}}}
    found = doctor_command._functions(account(**{"lambda": settings}))
    assert found[0] == level
    if level == "note":
        assert f"more than {limit - 5} loaders" in found[1]


@pytest.mark.parametrize(
    ("value", "needed", "level"), [("21", True, "ok"), ("5", True, "stop"), ("5", False, "note")]
)
def test_an_old_bootstrap_stops_what_is_not_deployed_yet(value, needed, level):
    ssm = {"get_parameter": lambda **_: {"Parameter": {"Value": value}}}
    assert doctor_command._bootstrap(account(ssm=ssm), "any", needed=needed)[0] == level


def test_a_region_without_bootstrap_says_how():
    ssm = {"get_parameter": refusing("ParameterNotFound")}
    level, said = doctor_command._bootstrap(account(ssm=ssm), "any", needed=True)
    assert level == "stop"
    assert "npm run cdk -- bootstrap" in said


def simulating(*denied: str) -> dict[str, Any]:
    def simulate(*, PolicySourceArn: str, ActionNames: list[str], ResourceArns: list[str]) -> Any:
        assert PolicySourceArn in {ROLE, "arn:aws:iam::123456789012:user/me"}
        (action,) = ActionNames
        decision = "implicitDeny" if action in denied else "allowed"
        return {"EvaluationResults": [{"EvalDecision": decision}]}

    return {
        "simulate_principal_policy": simulate,
        "get_role": lambda RoleName: {"Role": {"Arn": ROLE if RoleName == "team" else "another"}},
    }


@pytest.mark.parametrize(
    "caller", ["arn:aws:iam::123456789012:user/me", "arn:aws:sts::123456789012:assumed-role/team/session"]
)
def test_a_permission_that_is_lacking_is_named_with_its_resource(caller):
    assert doctor_command._permissions(deployed(caller, iam=simulating()))[0] == "ok"
    level, said = doctor_command._permissions(deployed(caller, iam=simulating("s3:GetObject")))
    assert level == "stop"
    assert "lacks s3:GetObject on arn:aws:s3:::results/runs/any" in said
    assert "states:" not in said


def test_the_root_user_is_not_simulated():
    assert doctor_command._permissions(deployed("arn:aws:iam::123456789012:root"))[0] == "ok"


@pytest.mark.parametrize(
    ("subscriptions", "level", "words"),
    [
        ([], "note", "breakeven:mail=ADDRESS"),
        (
            [{"Endpoint": "a@b.c", "SubscriptionArn": "PendingConfirmation"}],
            "note",
            "a@b.c has not confirmed",
        ),
        ([{"Endpoint": "a@b.c", "SubscriptionArn": "arn:aws:sns:x"}], "ok", "a@b.c"),
    ],
)
def test_a_mail_that_nobody_gets_is_noted(subscriptions, level, words):
    sns = {"list_subscriptions_by_topic": lambda TopicArn: {"Subscriptions": subscriptions}}
    found = doctor_command._mail(deployed(sns=sns))
    assert found[0] == level
    assert words in found[1]


def resource(kind: str, name: str) -> dict[str, str]:
    return {"ResourceType": kind, "LogicalResourceId": "Any", "PhysicalResourceId": name}


def templates(*data: dict[str, Any], images: Any) -> Any:
    """A stack with launch templates of these data."""
    versions = {f"lt-{n}": each for n, each in enumerate(data)}
    listed = [resource("AWS::EC2::LaunchTemplate", name) for name in versions]
    pages = [{"StackResourceSummaries": [*listed, resource("AWS::SNS::Topic", "t")]}]

    def latest(LaunchTemplateId: str, Versions: list[str]) -> Any:
        return {"LaunchTemplateVersions": [{"LaunchTemplateData": versions[LaunchTemplateId]}]}

    return deployed(
        ec2={"describe_launch_template_versions": latest, "describe_images": images},
        cloudformation={"get_paginator": lambda _: SimpleNamespace(paginate=lambda **_: pages)},
        ssm={"get_parameter": lambda Name: {"Parameter": {"Value": "ami-1"}}},
    )


@pytest.mark.parametrize(
    ("images", "level"),
    [
        ([{"State": "available", "Tags": [{"Key": "breakeven:agent", "Value": str(VERSION)}]}], "ok"),
        ([{"State": "available", "Tags": [{"Key": "breakeven:agent", "Value": str(VERSION - 1)}]}], "note"),
        ([{"State": "available", "Tags": [{"Key": "breakeven:agent", "Value": "new"}]}], "note"),
        ([{"State": "available"}], "note"),
        ([{"State": "deregistered"}], "stop"),
        ([], "stop"),
    ],
)
@pytest.mark.parametrize("named", ["ami-1", "resolve:ssm:/images/debian"])
def test_an_image_that_is_gone_stops_a_run(images, level, named):
    def described(ImageIds: list[str]) -> Any:
        assert ImageIds == ["ami-1"]
        return {"Images": images}

    found = brokers_image(templates({"ImageId": named}, images=described))
    assert found[0] == level
    assert "ami-1" in found[1]
    assert ("has no tag breakeven:agent of 2 or more" in found[1]) == (level == "note")


@pytest.mark.parametrize(("baked", "level"), [(True, "ok"), (False, "note")])
def test_an_image_of_brokers_that_is_not_baked_yet_stops_nothing(baked, level):
    script = bake_user_data(
        files="s3://assets/1.zip", report="s3://results/images/ours-12-arm64/", release="12"
    )
    builder = {"ImageId": "resolve:ssm:/debian", "UserData": base64.b64encode(script.encode()).decode()}
    nodes = {"InstanceType": "m7g.large"}

    def described(**asked: Any) -> Any:
        if asked.get("ImageIds") == ["ami-1"]:
            return {"Images": [{"State": "available"}]}
        assert asked["Owners"] == ["self"]
        assert {"Name": "name", "Values": ["ours-12-arm64"]} in asked["Filters"]
        return {"Images": [{"ImageId": "ami-2"}] if baked else []}

    found = brokers_image(templates(nodes, builder, images=described))
    assert found[0] == level
    assert ("ami-2 (ours-12-arm64) can be launched" if baked else "the first run that needs it") in found[1]


@pytest.mark.parametrize(("vcpus", "level"), [(6.0, "note"), (99.0, "note"), (100.0, "ok")])
def test_a_new_accounts_vcpus_of_fargate_are_few_for_long_cases_and_stop_nothing(vcpus, level):
    quotas = {"get_service_quota": lambda **_: {"Quota": {"Value": vcpus}}}
    found = doctor_command._task_vcpus(account(service_quotas=quotas))
    assert found[0] == level
    assert ("L-3032A538" in found[1]) == (level == "note")


def listing(*kinds: str) -> Any:
    pages = [{"StackResourceSummaries": [resource(kind, "p") for kind in kinds]}]
    return {"get_paginator": lambda _: SimpleNamespace(paginate=lambda **_: pages)}


@pytest.mark.parametrize(("built", "level"), [(True, "ok"), (False, "note")])
def test_an_image_of_loaders_that_is_not_built_yet_stops_nothing(built, level):
    variables = {"IMAGE_REPOSITORY": "123456789012.dkr.ecr.eu-west-1.amazonaws.com/team/loaders"}
    reported = [{"name": name, "value": value} for name, value in {**variables, "IMAGE_TAG": "abc"}.items()]

    def described(repositoryName: str, imageIds: list[dict[str, str]]) -> Any:
        assert (repositoryName, imageIds) == ("team/loaders", [{"imageTag": "abc"}])
        return {"imageDetails": [{}]} if built else refusing("ImageNotFoundException")()

    project = {"environment": {"environmentVariables": reported}}
    found = loaders_image(
        deployed(
            cloudformation=listing("AWS::SNS::Topic", "AWS::CodeBuild::Project"),
            codebuild={"batch_get_projects": lambda names: {"projects": [project]}},
            ecr={"describe_images": described},
        )
    )
    assert found[0] == level
    assert "abc is" in found[1]


def test_a_stack_of_an_older_version_has_no_such_image():
    assert loaders_image(deployed(cloudformation=listing("AWS::SNS::Topic")))[0] == "note"


@pytest.mark.parametrize(
    "error", [ClientError({"Error": {"Code": "AccessDenied"}}, "Any"), ResponseParserError()]
)
def test_what_may_not_be_asked_is_open_and_stops_nothing(error):
    def ask() -> Any:
        raise error

    finding = doctor_command._asked("anything", ask)
    assert finding.level == "open"
    assert "could not be asked" in finding.said
