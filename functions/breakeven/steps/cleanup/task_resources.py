"""Tasks and endpoints that runs make: how each is found, and cleaned up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from botocore.exceptions import ClientError

from breakeven.installation import RUN_GROUP, RUN_TAG
from breakeven.steps.aws_clients import Ec2, Ecs, well_if_gone
from breakeven.steps.cleanup.resources import Resource
from breakeven.steps.instances import ours, tags_of

#: how many tasks ECS describes in one call
DESCRIBED = 100
#: of an endpoint that is deleted
GOING = {"deleting", "deleted"}


class Tasks:
    """Loaders' tasks, in a cluster that is this installation's alone."""

    name = "tasks"

    def __init__(self, ecs: Ecs, cluster: str) -> None:
        self._ecs, self._cluster = ecs, cluster

    def find(self, run_id: str | None = None) -> list[Resource]:
        found = [Resource(task["taskArn"], _run_of(task)) for task in self._standing()]
        return [each for each in found if run_id in (None, each.run_id)]

    def clean_up(self, resource_id: str) -> None:
        with well_if_gone():
            self._ecs.stop_task(cluster=self._cluster, task=resource_id, reason="its run is over")

    def _standing(self) -> Iterator[Mapping[str, Any]]:
        """Those that are up, or are to come up; those that were asked to stop are not."""
        pages = self._ecs.get_paginator("list_tasks").paginate(
            cluster=self._cluster, desiredStatus="RUNNING", PaginationConfig={"PageSize": DESCRIBED}
        )
        for page in pages:
            if arns := page["taskArns"]:
                yield from self._ecs.describe_tasks(cluster=self._cluster, tasks=arns)["tasks"]


def _run_of(task: Mapping[str, Any]) -> str | None:
    group = str(task.get("group", ""))
    return group.removeprefix(RUN_GROUP) if group.startswith(RUN_GROUP) else None


class Endpoints:
    """Interface endpoints that a run has made for its tasks."""

    name = "endpoints"

    def __init__(self, ec2: Ec2) -> None:
        self._ec2 = ec2

    def find(self, run_id: str | None = None) -> list[Resource]:
        pages = self._ec2.get_paginator("describe_vpc_endpoints").paginate(Filters=ours(run_id))
        return [
            Resource(found["VpcEndpointId"], run)
            for page in pages
            for found in page["VpcEndpoints"]
            # the stack's own gateways carry no run's tag
            if str(found["State"]).lower() not in GOING
            and (run := tags_of(found.get("Tags", [])).get(RUN_TAG))
        ]

    def clean_up(self, resource_id: str) -> None:
        """What cannot be deleted stands in the answer, and is no error of the call."""
        with well_if_gone():
            answer = self._ec2.delete_vpc_endpoints(VpcEndpointIds=[resource_id])
            raise_unsuccessful(answer)


def raise_unsuccessful(answer: Mapping[str, Any]) -> None:
    """:raises ClientError: for the first that EC2 could not delete"""
    for each in answer.get("Unsuccessful", []):
        error = each["Error"]
        answer = {"Error": {"Code": error.get("Code", ""), "Message": error.get("Message", "")}}
        raise ClientError(answer, "DeleteVpcEndpoints")
