"""Whether the image of loaders that are tasks is there: a run builds it where it is not."""

from __future__ import annotations

from typing import Literal

from breakeven.steps.task_image import Image, is_built
from cli.deployed import Deployed

PROJECT = "AWS::CodeBuild::Project"


def loaders_image(deployed: Deployed) -> tuple[Literal["ok", "note"], str]:
    """A missing one is no fault: the first run that has tasks builds it, which takes it some minutes."""
    account = deployed.account
    pages = account.client("cloudformation").get_paginator("list_stack_resources")
    projects = [
        resource["PhysicalResourceId"]
        for page in pages.paginate(StackName=deployed.stack)
        for resource in page["StackResourceSummaries"]
        if resource["ResourceType"] == PROJECT
    ]
    if not projects:
        return "note", "this stack is of a version without tasks: deploy again to run cases of over 14 min"
    (project,) = account.client("codebuild").batch_get_projects(names=projects)["projects"]
    variables = {each["name"]: each["value"] for each in project["environment"]["environmentVariables"]}
    repository = variables["IMAGE_REPOSITORY"].partition("/")[2]
    if is_built(account.client("ecr"), Image(repository, variables["IMAGE_TAG"])):
        return "ok", f"{variables['IMAGE_TAG']} is built"
    return "note", f"{variables['IMAGE_TAG']} is not built yet: the first run that needs it builds it"
