"""Images of brokers, and what they are made of: how each is found and removed, with the installation."""

from __future__ import annotations

from breakeven.installation import FAMILY_TAG
from breakeven.steps.aws_clients import Ec2, well_if_gone
from breakeven.steps.cleanup.clean_up import Outcome
from breakeven.steps.cleanup.resources import Leftover
from breakeven.steps.instances import our_instances, ours
from breakeven.steps.lane.baked_images import delete_snapshot, family_of


class Builders:
    """Instances that an image was to be made of."""

    name = "image builders"

    def __init__(self, ec2: Ec2) -> None:
        self._ec2 = ec2

    def find(self, run_id: str | None = None) -> list[Leftover]:
        found = our_instances(self._ec2, run_id)
        return [Leftover(one.id, None) for one in found if one.stands and FAMILY_TAG in one.tags]

    def let_go(self, leftover: str) -> None:
        with well_if_gone():
            self._ec2.terminate_instances(InstanceIds=[leftover])


class Images:
    """Images of every family, whichever run has baked them."""

    name = "images"

    def __init__(self, ec2: Ec2) -> None:
        self._ec2 = ec2

    def find(self, run_id: str | None = None) -> list[Leftover]:
        return [Leftover(image["ImageId"], None) for image in family_of(self._ec2)]

    def let_go(self, leftover: str) -> None:
        with well_if_gone():
            self._ec2.deregister_image(ImageId=leftover)


class Snapshots:
    """Of images, those that are gone among them."""

    name = "snapshots"

    def __init__(self, ec2: Ec2) -> None:
        self._ec2 = ec2

    def find(self, run_id: str | None = None) -> list[Leftover]:
        filters = [*ours(None), {"Name": "tag-key", "Values": [FAMILY_TAG]}]
        pages = self._ec2.get_paginator("describe_snapshots").paginate(OwnerIds=["self"], Filters=filters)
        return [Leftover(one["SnapshotId"], None) for page in pages for one in page["Snapshots"]]

    def let_go(self, leftover: str) -> None:
        delete_snapshot(self._ec2, leftover)


def remove_all(ec2: Ec2) -> Outcome:
    """Remove every image of this installation, its snapshot and whatever was to become one."""
    outcome = Outcome()
    for kind in (Builders(ec2), Images(ec2), Snapshots(ec2)):
        outcome.let_go(kind, outcome.trying(kind.name, kind.find) or [])
    return outcome
