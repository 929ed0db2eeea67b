"""Images of brokers, and what they are made of: how each is found and removed, with the installation."""

from __future__ import annotations

from breakeven.installation import FAMILY_TAG
from breakeven.steps.aws_clients import Ec2, well_if_gone
from breakeven.steps.cleanup.clean_up import Outcome
from breakeven.steps.cleanup.resources import Resource
from breakeven.steps.instances import our_instances, ours
from breakeven.steps.lane.baked_images import delete_snapshot, family_of


class Builders:
    """Instances that an image was to be made of."""

    name = "image builders"

    def __init__(self, ec2: Ec2) -> None:
        self._ec2 = ec2

    def find(self, run_id: str | None = None) -> list[Resource]:
        found = our_instances(self._ec2, run_id)
        return [Resource(one.id, None) for one in found if one.stands and FAMILY_TAG in one.tags]

    def clean_up(self, resource_id: str) -> None:
        with well_if_gone():
            self._ec2.terminate_instances(InstanceIds=[resource_id])


class Images:
    """Images of every family, whichever run has baked them."""

    name = "images"

    def __init__(self, ec2: Ec2) -> None:
        self._ec2 = ec2

    def find(self, run_id: str | None = None) -> list[Resource]:
        return [Resource(image["ImageId"], None) for image in family_of(self._ec2)]

    def clean_up(self, resource_id: str) -> None:
        with well_if_gone():
            self._ec2.deregister_image(ImageId=resource_id)


class Snapshots:
    """Of images, those that are gone among them."""

    name = "snapshots"

    def __init__(self, ec2: Ec2) -> None:
        self._ec2 = ec2

    def find(self, run_id: str | None = None) -> list[Resource]:
        filters = [*ours(None), {"Name": "tag-key", "Values": [FAMILY_TAG]}]
        pages = self._ec2.get_paginator("describe_snapshots").paginate(OwnerIds=["self"], Filters=filters)
        return [Resource(one["SnapshotId"], None) for page in pages for one in page["Snapshots"]]

    def clean_up(self, resource_id: str) -> None:
        delete_snapshot(self._ec2, resource_id)


def remove_all(ec2: Ec2) -> Outcome:
    """Remove every image of this installation, its snapshot and whatever was to become one."""
    outcome = Outcome()
    for images in (Builders(ec2), Images(ec2), Snapshots(ec2)):
        outcome.clean_up(images, outcome.trying(images.name, images.find) or [])
    return outcome
