"""Images of brokers, and what they are made of: how each is found and removed, with the installation."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven.installation import FAMILY_TAG
from breakeven.steps.aws_clients import Ec2, described
from breakeven.steps.cleanup.clean_up import Outcome, clean_up_all
from breakeven.steps.cleanup.resources import Resource, ResourceType
from breakeven.steps.instances import our_instances
from breakeven.steps.lane.baked_images import delete_snapshot, family_of, of_families


def remove_all(ec2: Ec2) -> Outcome:
    """Remove every image of this installation, its snapshot and whatever was to become one."""
    return clean_up_all((builders(ec2), images(ec2), snapshots(ec2)))


def builders(ec2: Ec2) -> ResourceType:
    """Instances that an image was to be made of."""

    def listed(run_id: str | None) -> Iterator[Resource]:
        found = our_instances(ec2, run_id)
        return (Resource(one.id, None) for one in found if one.stands and FAMILY_TAG in one.tags)

    return ResourceType("image builders", listed, lambda one: ec2.terminate_instances(InstanceIds=[one]))


def images(ec2: Ec2) -> ResourceType:
    """Images of every family, whichever run has baked them."""

    def listed(run_id: str | None) -> Iterator[Resource]:
        return (Resource(image["ImageId"], None) for image in family_of(ec2))

    return ResourceType("images", listed, lambda one: ec2.deregister_image(ImageId=one))


def snapshots(ec2: Ec2) -> ResourceType:
    """Of images, those that are gone among them."""

    def listed(run_id: str | None) -> Iterator[Resource]:
        found = described(ec2, "snapshots", OwnerIds=["self"], Filters=of_families())
        return (Resource(one["SnapshotId"], None) for one in found)

    return ResourceType("snapshots", listed, lambda one: delete_snapshot(ec2, one))
