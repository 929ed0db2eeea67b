"""Roles of a template trust the services that they are given to, or nothing is deployed."""

from __future__ import annotations

import copy

import pytest

from local.aws.cloudformation import deploy
from local.aws.resource_types import DeployError
from local.aws.strict.permissions.template_checks import ASSUMED, untrusting
from local.cdk.assembly import StackArtifact


def role(service):
    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": service}}
    return {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": {"Statement": [trust]}}}


ARN, NAMES = {"Fn::GetAtt": ["R", "Arn"]}, [{"Ref": "R"}]


@pytest.mark.parametrize(
    ("kind", "field", "service"),
    [(kind, field, service) for kind, fields in ASSUMED.items() for field, service in fields],
)
def test_a_role_that_trusts_another_service_is_found(kind, field, service):
    value = {"Roles": NAMES, "Target": {"RoleArn": ARN}}.get(field, ARN)
    template = {"Resources": {"X": {"Type": kind, "Properties": {field: value}}, "R": role(service)}}
    assert untrusting(template) == []
    template["Resources"]["R"] = role("other.amazonaws.com")
    assert untrusting(template) == [f"X ({kind}): the role R cannot be assumed by {service}"]


def test_a_statement_that_denies_is_no_trust():
    template = {
        "Resources": {
            "F": {"Type": "AWS::Lambda::Function", "Properties": {"Role": ARN}},
            "R": role(["lambda.amazonaws.com", "ecs-tasks.amazonaws.com"]),
        }
    }
    assert untrusting(template) == []
    denied = copy.deepcopy(template)
    denied["Resources"]["R"]["Properties"]["AssumeRolePolicyDocument"]["Statement"][0]["Effect"] = "Deny"
    assert len(untrusting(denied)) == 1


def test_a_stack_whose_role_does_not_trust_its_service_is_not_deployed(moto):
    """Nothing of it is: the template is wrong before anything is made."""
    template = {
        "Resources": {
            "Fn": {"Type": "AWS::Lambda::Function", "Properties": {"Role": ARN}},
            "R": role("states.amazonaws.com"),
        }
    }
    with pytest.raises(DeployError, match=r"Fn .*R cannot be assumed by lambda\.amazonaws\.com"):
        deploy(moto.aws, "untrusted", StackArtifact(template, ()))
    names = {stack["StackName"] for stack in moto.aws.client("cloudformation").describe_stacks()["Stacks"]}
    assert "untrusted" not in names
