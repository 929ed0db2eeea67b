"""A template, and what it makes, over a limit of AWS's: the deployment is refused, with what is too much."""

from __future__ import annotations

import base64
import itertools
import json
from typing import Any

import pytest

from local.aws.cloudformation import deploy
from local.aws.resource_types import DeployError
from local.aws.strict.permissions.template_checks import of_template
from local.cdk.assembly import StackArtifact
from tests.support.aws.moto_server import moto_server

ANYONE = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}
    ],
}
TOPIC = {"Type": "AWS::SNS::Topic", "Properties": {}}
numbers = itertools.count()


@pytest.fixture
def made():
    """Deploys resources into an account of their own; returns what is said against it, or nothing."""
    with moto_server() as moto:

        def deployed(**template: Any) -> str:
            try:
                deploy(moto.aws, f"stack-{next(numbers)}", StackArtifact(template, ()))
            except DeployError as error:
                return str(error)
            return ""

        yield deployed


def policy(characters: int) -> dict[str, Any]:
    """A document of so many characters that are no white space."""
    statement = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::"}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    statement["Resource"] += "x" * (characters - len(json.dumps(document, separators=(",", ":"))))
    return document


def role(*sizes: int, **more: Any) -> dict[str, Any]:
    inline = [{"PolicyName": f"p{n}", "PolicyDocument": policy(size)} for n, size in enumerate(sizes)]
    properties = {"AssumeRolePolicyDocument": ANYONE, "Policies": inline, **more}
    return {"Type": "AWS::IAM::Role", "Properties": properties}


def function(characters: int) -> dict[str, Any]:
    variables = {"NAME": "x" * (characters - len("NAME"))}
    properties = {
        "Runtime": "python3.13",
        "Handler": "code.handler",
        "Role": {"Fn::GetAtt": ["Role", "Arn"]},
        "Code": {"ZipFile": "def handler(event, context): pass"},
        "Environment": {"Variables": variables},
    }
    return {"Type": "AWS::Lambda::Function", "Properties": properties}


def launch(size: int) -> dict[str, Any]:
    data = {"InstanceType": "m7g.large", "UserData": base64.b64encode(b"x" * size).decode()}
    return {"Type": "AWS::EC2::LaunchTemplate", "Properties": {"LaunchTemplateData": data}}


def test_a_function_has_4_kib_of_environment_variables(made):
    assert made(Resources={"Role": role(), "F": function(4096)}) == ""
    assert "4,097 bytes of environment variables, at most 4,096" in made(
        Resources={"Role": role(), "F": function(4097)}
    )


def test_a_role_has_10240_characters_of_inline_policies_in_all(made):
    assert made(Resources={"Role": role(10_000, 240)}) == ""
    assert "10,241 characters of inline policies, at most 10,240" in made(
        Resources={"Role": role(10_000, 241)}
    )


def test_policies_of_their_own_count_to_their_roles(made):
    apart = {
        "Type": "AWS::IAM::Policy",
        "Properties": {"PolicyName": "apart", "PolicyDocument": policy(241), "Roles": [{"Ref": "Role"}]},
    }
    assert "10,241 characters of inline policies" in made(Resources={"Role": role(10_000), "Apart": apart})


def test_a_managed_policy_has_6144_characters(made):
    def resources(size: int) -> dict[str, Any]:
        managed = {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": policy(size)}}
        return {"Managed": managed, "Role": role(ManagedPolicyArns=[{"Ref": "Managed"}])}

    assert made(Resources=resources(6144)) == ""
    assert "6,145 characters, at most 6,144" in made(Resources=resources(6145))


def test_user_data_of_a_launch_template_is_16_kib(made):
    assert made(Resources={"T": launch(16_384)}) == ""
    assert "16,385 bytes of user data, at most 16,384" in made(Resources={"T": launch(16_385)})


def test_a_template_has_500_resources_and_200_outputs(made):
    topics = {f"T{n}": {"Type": "AWS::SNS::Topic", "Properties": {}} for n in range(501)}
    assert "501 resources, at most 500" in made(Resources=topics)
    outputs = {f"O{n}": {"Value": "x"} for n in range(201)}
    assert "201 outputs, at most 200" in made(Resources={"T": TOPIC}, Outputs=outputs)
    assert made(Resources={"T": TOPIC}, Outputs={"O": {"Value": "x"}}) == ""


def test_a_template_has_a_mebibyte_and_its_description_a_kibibyte(made):
    large = {"T": {**TOPIC, "Metadata": {"x": "x" * 1_048_576}}}
    assert "bytes, at most 1,048,576" in made(Resources=large)
    assert made(Resources={"T": TOPIC}, Description="x" * 1024) == ""
    assert "1,025 bytes of description" in made(Resources={"T": TOPIC}, Description="x" * 1025)


def test_a_logical_id_is_of_letters_and_digits(made):
    assert "a-b: a logical id is of letters and digits" in made(Resources={"a-b": TOPIC})


@pytest.mark.parametrize(
    ("group", "rule", "what"),
    [
        ("builds images; no way in", "packages, and AWS's services", "packages, and AWS's services"),
        ("the builders' own", "packages", "the builders' own"),
        ("x" * 256, "packages", "x" * 256),
        ("x" * 255, "a-z 0-9 ._-:/()#,@[]+=&;{}!$*", None),
    ],
)
def test_a_security_group_and_its_rules_are_described_as_ec2_takes_it(group, rule, what):
    out = {"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80, "CidrIp": "0.0.0.0/0", "Description": rule}
    properties = {"GroupDescription": group, "SecurityGroupEgress": [out], "VpcId": "vpc-1"}
    into = {"Type": "AWS::EC2::SecurityGroupIngress", "Properties": {"GroupId": "sg-1", "Description": rule}}
    inside = {"Type": "AWS::EC2::SecurityGroup", "Properties": properties}
    for resources in ({"G": inside}, {"G": inside, "I": into}):
        said = list(of_template({"Resources": resources}, "{}"))
        assert bool(said) == bool(what)
        assert all(repr(what) in each for each in said)
    assert bool(list(of_template({"Resources": {"I": into}}, "{}"))) == (rule == what)
