"""Resources of tasks that a stack makes: as the CDK writes them, without their code."""

from __future__ import annotations

import pytest

from local.aws.cloudformation import deploy
from local.aws.patches.moto_patches import applied
from local.cdk.assembly import FileAsset, StackArtifact
from tests.support.aws.moto_server import moto_server
from tests.support.aws.moto_tasks import ROLE

LOCATION = {"Fn::Join": ["", [{"Fn::Sub": "assets-${AWS::AccountId}"}, "/", "source.zip"]]}
ENVIRONMENT = {
    "Type": "ARM_CONTAINER",
    "Image": "aws/codebuild/amazonlinux-aarch64-standard:3.0",
    "ComputeType": "BUILD_GENERAL1_SMALL",
    "PrivilegedMode": True,
    "EnvironmentVariables": [
        {
            "Name": "IMAGE_REPOSITORY",
            "Type": "PLAINTEXT",
            "Value": {"Fn::GetAtt": ["Images", "RepositoryUri"]},
        },
        {"Name": "IMAGE_TAG", "Type": "PLAINTEXT", "Value": "t1"},
    ],
}
RESOURCES = {
    "Cluster": {"Type": "AWS::ECS::Cluster", "Properties": {"ClusterName": "ours-loaders"}},
    "Images": {"Type": "AWS::ECR::Repository", "Properties": {"ImageTagMutability": "IMMUTABLE"}},
    "Project": {
        "Type": "AWS::CodeBuild::Project",
        "Properties": {
            "Artifacts": {"Type": "NO_ARTIFACTS"},
            "Environment": ENVIRONMENT,
            "ServiceRole": ROLE,
            "Source": {"Type": "S3", "Location": LOCATION},
            "TimeoutInMinutes": 20,
        },
    },
}
OUTPUTS = {
    "Cluster": {"Value": {"Fn::GetAtt": ["Cluster", "Arn"]}},
    "Images": {"Value": {"Ref": "Images"}},
    "Uri": {"Value": {"Fn::GetAtt": ["Images", "RepositoryUri"]}},
    "Project": {"Value": {"Ref": "Project"}},
    "ProjectArn": {"Value": {"Fn::GetAtt": ["Project", "Arn"]}},
}


@pytest.fixture
def moto():
    with moto_server() as server, applied(server.aws):
        yield server


def test_they_are_made_with_all_that_they_say(moto, tmp_path):
    (tmp_path / "Dockerfile").write_text("FROM scratch")
    source = FileAsset(tmp_path, True, "assets-${AWS::AccountId}", "source.zip")
    template = {"Resources": RESOURCES, "Outputs": OUTPUTS}
    outputs = deploy(moto.aws, "ours", StackArtifact(template, (source,)))
    (project,) = moto.aws.client("codebuild").batch_get_projects(names=[outputs["Project"]])["projects"]
    assert project["arn"] == outputs["ProjectArn"]
    assert project["source"] == {"type": "S3", "location": "assets-123456789012/source.zip"}
    variables = {one["name"]: one["value"] for one in project["environment"]["environmentVariables"]}
    assert variables == {"IMAGE_REPOSITORY": outputs["Uri"], "IMAGE_TAG": "t1"}
    assert outputs["Uri"].endswith(f"/{outputs['Images']}")
    assert outputs["Cluster"].endswith(":cluster/ours-loaders")
    held = moto.aws.client("s3").get_object(Bucket="assets-123456789012", Key="source.zip")
    assert held["Body"].read() == b""  # builds and tasks work on the folder itself
