"""Everything that a run leaves or shows, as bytes to be searched: all but the lanes' secrets themselves."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from moto.core import DEFAULT_ACCOUNT_ID
from moto.sns.models import sns_backends

from breakeven.installation import OWNER_TAG
from breakeven.results.items import RUN
from breakeven.results.layout import SECRETS
from tests.support.aws.executions import history
from tests.support.workflow.left_behind import THEIRS
from tests.support.workflow.workflow_runs import Workflow

#: every kind of place
SEARCHED = {
    "history",
    "state",
    "objects",
    "template and assets",
    "instances",
    "functions",
    "tasks",
    "notifications",
    "logs",
}


def places(workflow: Workflow, assembly: Path, logs: Path) -> Iterator[tuple[str, bytes]]:
    """Each with the kind of place that it is."""
    yield from (("history", _text(each)) for each in _histories(workflow))
    yield from (("state", _text(each)) for each in _state(workflow))
    yield from (("objects", body) for body in _objects(workflow))
    yield from (("template and assets", path.read_bytes()) for path in assembly.rglob("*") if path.is_file())
    yield from (("instances", _text(each)) for each in _instances(workflow))
    yield from (("functions", _text(each)) for each in _functions(workflow))
    yield from (("tasks", _text(each)) for each in _tasks(workflow))
    yield from (("notifications", _text(each)) for each in _notifications())
    yield from (("logs", path.read_bytes()) for path in logs.rglob("*") if path.is_file())


def _text(value: Any) -> bytes:
    return json.dumps(value, default=str).encode()


def _histories(workflow: Workflow) -> Iterator[Any]:
    """Of every execution: its events, its input and its output."""
    api = workflow.plane.client("stepfunctions")
    for machine in api.list_state_machines()["stateMachines"]:
        arn = machine["stateMachineArn"]
        yield api.describe_state_machine(stateMachineArn=arn)["definition"]
        for execution in api.list_executions(stateMachineArn=arn)["executions"]:
            yield workflow.plane.describe(execution["executionArn"])
            yield history(workflow.plane, execution["executionArn"])


def _state(workflow: Workflow) -> Iterator[Any]:
    api = workflow.plane.client("dynamodb")
    for page in api.get_paginator("scan").paginate(TableName=workflow.outputs["StateTableName"]):
        yield from page["Items"]


def _objects(workflow: Workflow) -> Iterator[bytes]:
    s3 = workflow.plane.client("s3")
    for bucket in s3.list_buckets()["Buckets"]:
        for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket["Name"]):
            for entry in page.get("Contents", []):
                if not entry["Key"].startswith(SECRETS):
                    yield s3.get_object(Bucket=bucket["Name"], Key=entry["Key"])["Body"].read()


def _instances(workflow: Workflow) -> Iterator[Any]:
    """What is launched from, and of every instance its tags and its user data, which is base64."""
    ec2 = workflow.plane.client("ec2")
    yield ec2.describe_launch_template_versions(Versions=["$Latest"])["LaunchTemplateVersions"]
    for page in ec2.get_paginator("describe_instances").paginate():
        for reservation in page["Reservations"]:
            for instance in reservation["Instances"]:
                yield instance
                yield ec2.describe_instance_attribute(
                    InstanceId=instance["InstanceId"], Attribute="userData"
                )["UserData"]


def _functions(workflow: Workflow) -> Iterator[Any]:
    pages = workflow.plane.client("lambda").get_paginator("list_functions").paginate()
    return (function for page in pages for function in page["Functions"])


def _tasks(workflow: Workflow) -> Iterator[Any]:
    """What tasks are started from, and every task with what it was told."""
    ecs = workflow.plane.client("ecs")
    for arn in ecs.list_task_definitions()["taskDefinitionArns"]:
        yield ecs.describe_task_definition(taskDefinition=arn)["taskDefinition"]
    for cluster in ecs.list_clusters()["clusterArns"]:
        for status in ("RUNNING", "STOPPED"):
            if arns := ecs.list_tasks(cluster=cluster, desiredStatus=status)["taskArns"]:
                yield ecs.describe_tasks(cluster=cluster, tasks=arns)["tasks"]


def _notifications() -> Iterator[Any]:
    topics = sns_backends[DEFAULT_ACCOUNT_ID]["us-east-1"].topics.values()
    return (sent for topic in topics for sent in topic.sent_notifications)


def plant(workflow: Workflow, canary: str, logs: Path) -> set[str]:
    """Put it wherever a run could, in one form or another; the kinds of places where it then is."""
    workflow.store().put_bytes("rows/planted.gz", gzip.compress(canary.encode()))
    workflow.state("planted").update(RUN, reason=quote(canary, safe=""))
    login = base64.b64encode(f"user:{canary}".encode()).decode()
    (logs / "planted.log").write_text(f"Authorization: Basic {login}")
    ec2 = workflow.plane.client("ec2")
    ec2.run_instances(
        ImageId=ec2.describe_images()["Images"][0]["ImageId"],
        MinCount=1,
        MaxCount=1,
        UserData=f"#!/bin/sh\nexport PASSWORD={canary}",
        TagSpecifications=[{"ResourceType": "instance", "Tags": [{"Key": OWNER_TAG, "Value": THEIRS}]}],
    )
    wanted = {"suite": canary}  # refused, in words that quote it
    workflow.end(workflow.plane.start(workflow.outputs["StateMachineArn"], wanted, name="planted"))
    workflow.plane.client("sns").publish(TopicArn=workflow.outputs["TopicArn"], Message=canary)
    ecs = workflow.plane.client("ecs")
    (definition,) = ecs.list_task_definitions()["taskDefinitionArns"]
    subnet, group = ec2.describe_subnets()["Subnets"][0], ec2.describe_security_groups()["SecurityGroups"][0]
    network = {"subnets": [subnet["SubnetId"]], "securityGroups": [group["GroupId"]]}
    reported = {"name": "loader", "command": ["-c", ""], "environment": [{"name": "X", "value": canary}]}
    ecs.run_task(
        cluster=ecs.list_clusters()["clusterArns"][0],
        taskDefinition=definition,
        launchType="FARGATE",
        networkConfiguration={"awsvpcConfiguration": network},
        overrides={"containerOverrides": [reported]},
    )
    return SEARCHED - {"template and assets", "functions"}
