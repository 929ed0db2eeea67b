"""What ``service_patches.py`` mends of stacks: right with it, and the symptom without it."""

from __future__ import annotations

import json

import pytest
from moto.moto_api._internal import mock_random

from local.aws.cloudformation import _drawn_as_ever, deploy
from local.aws.patches import machine_patches, service_patches
from local.aws.resource_types import DeployError
from local.cdk.assembly import StackArtifact
from tests.support.aws.moto_server import BASE, both, machine


@both
def test_definitions_are_substituted(moto, patched):
    base = [*BASE, machine_patches.stacks_make_running_machines]
    with moto.patched_with(service_patches.definitions_are_substituted, patched, base):
        arn = moto.machine_stack(
            DefinitionString=json.dumps(machine(A={"Type": "Pass", "Result": "${what}", "End": True})),
            DefinitionSubstitutions={"what": "substituted"},
        )
        definition = json.loads(moto.sfn.describe_state_machine(stateMachineArn=arn)["definition"])
    assert definition["States"]["A"]["Result"] == ("substituted" if patched else "${what}")


@both
@pytest.mark.parametrize("kind", ["AWS::GameLift::Fleet", "AWS::CloudFormation::WaitConditionHandle"])
@pytest.mark.filterwarnings("ignore:Tried to parse")
def test_resource_types_are_known(moto, kind, patched):
    template = {"Resources": {"Thing": {"Type": kind}, "Topic": {"Type": "AWS::SNS::Topic"}}}
    with moto.patched_with(service_patches.resource_types_are_known, patched, base=[]):
        if patched:
            with pytest.raises(DeployError, match=f"resource Thing.*{kind} is not known here"):
                deploy(moto.aws, moto.name(), StackArtifact(template, ()))
        else:
            assert deploy(moto.aws, moto.name(), StackArtifact(template, ())) == {}


@both
def test_functions_are_updated_without_layers(moto, patched):
    moto.aws.client("s3").create_bucket(Bucket="code")
    moto.aws.client("s3").put_object(Bucket="code", Key="code.zip", Body=b"")
    name = moto.name()
    with moto.patched_with(service_patches.functions_are_updated_without_layers, patched, base=[]):
        before = deploy(moto.aws, name, StackArtifact(with_a_layer("old.handler"), ()))
        if patched:
            assert deploy(moto.aws, name, StackArtifact(with_a_layer("new.handler"), ())) == before
            function = moto.aws.client("lambda").get_function_configuration(FunctionName=before["Name"])
            assert function["Handler"] == "new.handler"
        else:
            with pytest.raises(DeployError, match="LayerVersion"):
                deploy(moto.aws, name, StackArtifact(with_a_layer("new.handler"), ()))


def with_a_layer(handler):
    code = {"S3Bucket": "code", "S3Key": "code.zip"}
    trust = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
    function = {"Code": code, "Handler": handler, "Runtime": "python3.13", "Layers": [{"Ref": "Layer"}]}
    function["Role"] = {"Fn::GetAtt": ["Role", "Arn"]}
    policy = {"Version": "2012-10-17", "Statement": [trust]}
    return {
        "Resources": {
            "Role": {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": policy}},
            "Layer": {"Type": "AWS::Lambda::LayerVersion", "Properties": {"Content": code}},
            "Function": {"Type": "AWS::Lambda::Function", "Properties": function},
        },
        "Outputs": {"Name": {"Value": {"Ref": "Function"}}},
    }


@both
def test_networks_resolve_names(moto, patched):
    network = {"CidrBlock": "10.9.0.0/24", "EnableDnsHostnames": True, "EnableDnsSupport": False}
    template = {
        "Resources": {"Vpc": {"Type": "AWS::EC2::VPC", "Properties": network}},
        "Outputs": {"Vpc": {"Value": {"Ref": "Vpc"}}},
    }
    ec2 = moto.aws.client("ec2")
    with moto.patched_with(service_patches.networks_resolve_names, patched, base=[]):
        vpc = deploy(moto.aws, moto.name(), StackArtifact(template, ()))["Vpc"]
    found = [
        ec2.describe_vpc_attribute(VpcId=vpc, Attribute=name)[f"{name[0].upper()}{name[1:]}"]["Value"]
        for name in ("enableDnsHostnames", "enableDnsSupport")
    ]
    assert found == ([True, False] if patched else [False, True])


@both
def test_stacks_update_managed_policies(moto, patched):
    def allowing(action):
        statement = {"Effect": "Allow", "Action": action, "Resource": "*"}
        document = {"Version": "2012-10-17", "Statement": [statement]}
        policy = {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": document}}
        return StackArtifact({"Resources": {"Policy": policy}}, ())

    with moto.patched_with(service_patches.stacks_update_managed_policies, patched):
        deploy(moto.aws, name := moto.name(), allowing("s3:GetObject"))
        if not patched:
            with pytest.raises(DeployError, match="Policy cannot be updated"):
                deploy(moto.aws, name, allowing("s3:PutObject"))
            return
        deploy(moto.aws, name, allowing("s3:PutObject"))
        iam = moto.aws.client("iam")
        (policy,) = [one for one in iam.list_policies(Scope="Local")["Policies"] if name in one["PolicyName"]]
        version = iam.get_policy_version(PolicyArn=policy["Arn"], VersionId=policy["DefaultVersionId"])
        assert version["PolicyVersion"]["Document"]["Statement"][0]["Action"] == "s3:PutObject"


def test_a_stack_that_is_made_again_has_other_ids_than_before(moto):
    template = {
        "Resources": {"Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}}},
        "Outputs": {"Id": {"Value": {"Ref": "Vpc"}}},
    }
    with moto.patched_with(service_patches.networks_resolve_names, True):
        name = moto.name()
        first = deploy(moto.aws, name, StackArtifact(template, ()))["Id"]
        moto.aws.client("cloudformation").delete_stack(StackName=name)
        again = deploy(moto.aws, name, StackArtifact(template, ()))["Id"]
        other = deploy(moto.aws, moto.name(), StackArtifact(template, ()))["Id"]
        drawn = {moto.aws.client("ec2").create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"] for _ in range(2)}
    assert len({first, again, other, *drawn}) == 5


def test_a_stacks_ids_are_drawn_alike_in_every_run_and_others_are_not():
    drawn = []
    for _ in range(2):
        with _drawn_as_ever("a stack"):
            drawn.append(mock_random.get_random_hex(17))
        drawn.append(mock_random.get_random_hex(17))
    assert drawn[0] == drawn[2]
    assert len(set(drawn)) == 3
