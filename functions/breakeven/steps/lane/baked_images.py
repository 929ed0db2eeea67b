"""Images of broker nodes: which are there, what a lane is launched from, and how they are removed.

An image is baked by the first run that needs it (``bake_images``) and found by its name from then on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from botocore.exceptions import ClientError

from breakeven.errors import CaseError
from breakeven.installation import FAMILY_TAG, IMAGE_TAG, installation
from breakeven.results.items import RUN
from breakeven.results.state import SuppressCodes
from breakeven.steps.aws_clients import GONE, Ec2, described
from breakeven.steps.instances import ours, tag_filters
from breakeven.steps.lane.recipes import Recipe
from breakeven.steps.services import Services

#: images of one family that are kept: an earlier one is there for a deployment that is rolled back
KEPT = 2
AVAILABLE = "available"
#: of an image that is being made; any other state is an end ("Image", Amazon EC2 API Reference)
BEING_MADE = ("pending", "transient")
#: what EC2 answers while an image is not wholly gone ("Error codes for the Amazon EC2 API")
IN_USE = "InvalidSnapshot.InUse"
#: how long a snapshot is asked for again that its image, deregistered just now, still holds: seconds
IN_USE_LIMIT_S, POLL_S = 60.0, 2.0


def images_there(ec2: Ec2, recipes: Mapping[str, Recipe]) -> dict[str, str]:
    """Name -> id of each image that nodes can be launched from."""
    found = {}
    for name, recipe in recipes.items():
        for image in family_of(ec2, recipe.family):
            if (image["Name"], image["State"]) == (recipe.name, AVAILABLE):
                found[name] = str(image["ImageId"])
    return found


def missing_images(
    services: Services, ec2: Ec2, run_id: str, recipes: Mapping[str, Recipe], wanted: Sequence[str]
) -> list[str]:
    """Put on the run's record which images are there; returns those that are missing."""
    needed = {name: recipes[name] for name in wanted if name in recipes}
    there = images_there(ec2, needed)
    if needed:
        services.state(run_id).update(RUN, images=there)
    return [name for name in needed if name not in there]


def image_for(services: Services, run_id: str, name: str) -> str:
    """The image of that name that the run's nodes are launched from.

    :raises CaseError: it could not be baked, with the reason
    """
    record = services.state(run_id).get(RUN)
    if image := record.get("images", {}).get(name):
        return str(image)
    why = record.get("images_failed", {}).get(name, "the run's state BakeImages did not come to it")
    raise CaseError(f"the brokers' image for {name} could not be baked: {why}")


def of_families() -> list[dict[str, Any]]:
    """EC2's filters for this installation's images and snapshots, of all families."""
    return [*ours(None), {"Name": "tag-key", "Values": [FAMILY_TAG]}]


def family_of(ec2: Ec2, family: str | None = None) -> Iterator[Mapping[str, Any]]:
    """This installation's images, of one family or of all."""
    filters = of_families() + tag_filters({FAMILY_TAG: family} if family else {})
    return described(ec2, "images", Owners=["self"], Filters=filters)


def tags_of_image(recipe: Recipe, own: Mapping[str, str]) -> dict[str, str]:
    """What the image carries, its snapshot and its builder, and their ``own``."""
    return installation().tags({IMAGE_TAG: recipe.name, FAMILY_TAG: recipe.family, **own})


def remove_older(ec2: Ec2, recipe: Recipe) -> list[str]:
    """Remove all images of the family but the newest; what cannot be removed is said, and left."""
    others = [
        image
        for image in family_of(ec2, recipe.family)
        if image["Name"] != recipe.name and image["State"] not in BEING_MADE
    ]
    newest_first = sorted(others, key=lambda image: str(image["CreationDate"]), reverse=True)
    problems = []
    for image in newest_first[KEPT - 1 :]:
        try:
            remove_image(ec2, image)
        except ClientError as error:
            problems.append(f"{image['ImageId']}: {error}")
    return problems


def remove_image(ec2: Ec2, image: Mapping[str, Any]) -> None:
    """Deregister it, and delete its snapshots: they are paid for without it, too."""
    with SuppressCodes(*GONE):
        ec2.deregister_image(ImageId=image["ImageId"])
    for device in image.get("BlockDeviceMappings", []):
        if snapshot := device.get("Ebs", {}).get("SnapshotId"):
            delete_snapshot(ec2, snapshot)


def delete_snapshot(ec2: Ec2, snapshot: str) -> None:
    """It is in use until EC2 has forgotten its image everywhere."""
    deadline = time.monotonic() + IN_USE_LIMIT_S
    while True:
        try:
            with SuppressCodes(*GONE):
                ec2.delete_snapshot(SnapshotId=snapshot)
        except ClientError as error:
            if error.response["Error"]["Code"] != IN_USE or time.monotonic() > deadline:
                raise
            time.sleep(POLL_S)
        else:
            return
