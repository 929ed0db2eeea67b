"""Check of the images of brokers, and of loaders that are tasks: a run makes those that are missing."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any

from breakeven.agent import VERSION
from breakeven.installation import AGENT_TAG
from breakeven.results.layout import IMAGES
from breakeven.steps.tasks.establish_tasks import Image, is_built
from cli.running.deployed import Account, Deployed, Said

PROJECT, TEMPLATE = "AWS::CodeBuild::Project", "AWS::EC2::LaunchTemplate"
#: in a builder's user data: where it reports, by which the image's name is known
REPORT = re.compile(rf"^export BREAKEVEN_REPORT=s3://[^/]+/{IMAGES}([^/]+)/$", re.MULTILINE)


def brokers_image(deployed: Deployed) -> Said:
    """Of each launch template: its image is there, and what its builder bakes is.

    A baked image that is missing is no fault: the first run that needs it bakes it.
    """
    ec2 = deployed.account.client("ec2")
    missing, found, unknowing = [], [], []
    for template in deployed.resources(TEMPLATE):
        answer = ec2.describe_launch_template_versions(LaunchTemplateId=template, Versions=["$Latest"])
        (latest,) = answer["LaunchTemplateVersions"]
        data = latest["LaunchTemplateData"]
        if "ImageId" not in data:
            continue  # nodes', which are launched from what is baked
        parent = _resolved(deployed.account, data["ImageId"])
        known = ec2.describe_images(ImageIds=[parent])["Images"]
        if not known or known[0].get("State") != "available":
            return "stop", f"{parent} of launch template {template} cannot be launched: deploy again"
        baked = _baked(data)
        named = [{"Name": "name", "Values": [baked]}, {"Name": "state", "Values": ["available"]}]
        if baked is None:
            found.append(parent)
            unknowing += [] if _agents_of(known[0]) >= VERSION else [parent]
        elif there := ec2.describe_images(Owners=["self"], Filters=named)["Images"]:
            found.append(f"{there[0]['ImageId']} ({baked})")
        else:
            missing.append(baked)
    if missing:
        words = (
            f"{', '.join(missing)} is not baked yet: the first run that needs it does so, in some 10 minutes"
        )
        return "note", words
    if unknowing:
        words = (
            f"{', '.join(dict.fromkeys(unknowing))} can be launched, and has no tag {AGENT_TAG} of {VERSION} "
            "or more: faults of its nodes would find no agent, or one that knows fewer; make it anew and tag "
            "it (docs/nodes.md)"
        )
        return "note", words
    return "ok", f"{', '.join(dict.fromkeys(found))} can be launched"


def _agents_of(image: Mapping[str, Any]) -> int:
    """Which faults the agents of an image made elsewhere know, as its tag says; 0: it has none."""
    tags = {tag["Key"]: tag["Value"] for tag in image.get("Tags", ())}
    said = tags.get(AGENT_TAG, "")
    return int(said) if said.isdecimal() else 0


def _baked(data: Mapping[str, Any]) -> str | None:
    """The name of the image that is made of instances of a template; None where none is."""
    report = REPORT.search(base64.b64decode(data.get("UserData", "")).decode())
    return report[1] if report else None


def _resolved(account: Account, image: str) -> str:
    """The id of an image that a template may name by an SSM parameter."""
    if not image.startswith("resolve:ssm:"):
        return image
    name = image.removeprefix("resolve:ssm:")
    value: str = account.client("ssm").get_parameter(Name=name)["Parameter"]["Value"]
    return value


def loaders_image(deployed: Deployed) -> Said:
    """A missing one is no fault: the first run that has tasks builds it, which takes it some minutes."""
    account = deployed.account
    projects = deployed.resources(PROJECT)
    if not projects:
        return "note", "this stack is of a version without tasks: deploy again to run cases of over 14 min"
    (project,) = account.client("codebuild").batch_get_projects(names=projects)["projects"]
    variables = {each["name"]: each["value"] for each in project["environment"]["environmentVariables"]}
    repository = variables["IMAGE_REPOSITORY"].partition("/")[2]
    if is_built(account.client("ecr"), Image(repository, variables["IMAGE_TAG"])):
        return "ok", f"{variables['IMAGE_TAG']} is built"
    return "note", f"{variables['IMAGE_TAG']} is not built yet: the first run that needs it builds it"
