"""Make what loaders that are tasks need, before any case; and say whether their image is to be built."""

from __future__ import annotations

import os

import boto3

from breakeven.errors import CaseError
from breakeven.steps.tasks.establish_tasks import Place, establish_tasks, image_of, is_built
from handlers.common import Event, entry, logger, services


class TasksEvent(Event):
    """``built``: the image has been built since it was missing."""

    endpoints: list[str]
    built: bool


@entry(TasksEvent)
def handler(event: TasksEvent) -> dict[str, bool]:
    image = image_of(os.environ)
    there = is_built(boto3.client("ecr"), image)
    if event.built and not there:
        raise CaseError(f"the image {image.repository}:{image.tag} was built, and is not there")
    place = Place(
        vpc=os.environ["BREAKEVEN_VPC"],
        subnets=os.environ["BREAKEVEN_SUBNETS"].split(","),
        group=os.environ["BREAKEVEN_ENDPOINT_GROUP"],
        region=os.environ["BREAKEVEN_REGION"],
    )
    establish_tasks(services(), boto3.client("ec2"), place, event.run_id, event.endpoints, image_built=there)
    logger.info("endpoints", endpoints=event.endpoints, image_built=there)
    return {"build": not there}
