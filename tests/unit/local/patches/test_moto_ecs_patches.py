"""What ``service_patches.py`` mends of ECS: right with it, and the symptom without it."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from local.aws.cloudformation import deploy
from local.aws.patches import service_patches
from local.aws.resource_types import DeployError
from local.cdk.assembly import StackArtifact
from tests.support.aws.moto_server import both
from tests.support.aws.moto_tasks import Tasks

#: as the CDK writes one for Fargate
DEFINITION = {
    "Family": "loaders",
    "Cpu": "1024",
    "Memory": "2048",
    "NetworkMode": "awsvpc",
    "RequiresCompatibilities": ["FARGATE"],
    "RuntimePlatform": {"CpuArchitecture": "ARM64", "OperatingSystemFamily": "LINUX"},
    "TaskRoleArn": "arn:aws:iam::123456789012:role/loaders",
    "ContainerDefinitions": [
        {
            "Essential": True,
            "Name": "loader",
            "Image": "r:t",
            "Environment": [{"Name": "BREAKEVEN_TABLE", "Value": "t"}],
        }
    ],
    "Tags": [{"Key": "breakeven:owner", "Value": "us"}],
}


@pytest.fixture(scope="module")
def tasks(moto):
    return Tasks(moto)


@both
def test_stacks_make_whole_tasks(moto, tasks, patched):
    template = {
        "Resources": {"Loaders": {"Type": "AWS::ECS::TaskDefinition", "Properties": DEFINITION}},
        "Outputs": {"Arn": {"Value": {"Ref": "Loaders"}}},
    }
    with moto.patched_with(service_patches.stacks_make_whole_tasks, patched, base=[]):
        arn = deploy(moto.aws, moto.name(), StackArtifact(template, ()))["Arn"]
    answer = tasks.ecs.describe_task_definition(taskDefinition=arn, include=["TAGS"])
    found = answer["taskDefinition"]
    (container,) = found["containerDefinitions"]
    assert container["environment"] == [{"name": "BREAKEVEN_TABLE", "value": "t"}]
    reported = found["networkMode"], found.get("cpu"), found.get("taskRoleArn", "").rpartition("/")[2]
    assert reported == (("awsvpc", "1024", "loaders") if patched else ("bridge", None, ""))
    assert answer["tags"] == ([{"key": "breakeven:owner", "value": "us"}] if patched else [])


@both
def test_repositories_have_lawful_names(moto, tasks, patched):
    repository = {"Type": "AWS::ECR::Repository", "Properties": {"ImageTagMutability": "IMMUTABLE"}}
    stack = StackArtifact({"Resources": {"Images": repository}}, ())
    with moto.patched_with(service_patches.repositories_have_lawful_names, patched, base=[]):
        if patched:
            deploy(moto.aws, name := moto.name(), stack)
            names = [one["repositoryName"] for one in tasks.ecr.describe_repositories()["repositories"]]
            assert any(one.startswith(f"{name}-images-") for one in names)
        else:
            with pytest.raises(DeployError, match="repositoryName"):
                deploy(moto.aws, moto.name(), stack)


@both
def test_containers_share_a_tasks_memory(moto, tasks, patched):
    definition = tasks.definition("true")
    with moto.patched_with(service_patches.containers_share_a_tasks_memory, patched, base=[]):
        if patched:
            assert tasks.run(definition)
        else:
            with pytest.raises(ClientError, match="500"):
                tasks.run(definition)


@both
def test_task_lists_are_short(moto, patched):
    tasks = Tasks(moto)
    definition = tasks.definition("true", memory=64)
    arns = {tasks.run(definition, startedBy="a-run") for _ in range(3)}
    tasks.ecs.stop_task(cluster=tasks.name, task=(stopped := min(arns)))
    with moto.patched_with(service_patches.task_lists_are_short, patched, base=[]):
        listed = tasks.ecs.list_tasks(cluster=tasks.name, maxResults=1)
        assert len(listed["taskArns"]) == (1 if patched else 3)
        pages = tasks.ecs.get_paginator("list_tasks")
        every = [
            arn
            for page in pages.paginate(cluster=tasks.name, PaginationConfig={"PageSize": 1})
            for arn in page["taskArns"]
        ]
        assert sorted(every) == sorted(arns - {stopped} if patched else arns)
        if patched:
            asked = tasks.ecs.list_tasks(cluster=tasks.name, desiredStatus="STOPPED")
            assert asked["taskArns"] == [stopped]
            mine = tasks.ecs.list_tasks(cluster=tasks.name, startedBy="a-run")
            assert sorted(mine["taskArns"]) == sorted(arns - {stopped})
            assert not tasks.ecs.list_tasks(cluster=tasks.name, startedBy="another")["taskArns"]
            with pytest.raises(ClientError, match="only filter"):
                tasks.ecs.list_tasks(cluster=tasks.name, startedBy="a-run", desiredStatus="RUNNING")
            with pytest.raises(ClientError, match="100"):
                tasks.ecs.describe_tasks(cluster=tasks.name, tasks=["a"] * 101)
