"""Resources that runs make and pay for, by type: how each is found by its tags, and cleaned up.

Whatever is found carries this installation's owner tag, or is in its own bucket or cluster; nobody else's is
touched. A type that runs come to make is one more function, and one in ``handlers.cleanup.run_resources``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from botocore.exceptions import ClientError

from breakeven.installation import FAMILY_TAG, LEASE_TAG, OWNER_TAG, QUEUES, RUN_GROUP, RUN_TAG, installation
from breakeven.results import layout
from breakeven.results.state import SuppressCodes
from breakeven.results.store import Store
from breakeven.steps.aws_clients import GOING, GONE, Ec2, Ecs, Mq, Sqs, described
from breakeven.steps.instances import our_instances, ours, tags_of
from breakeven.steps.lane.baked_images import delete_snapshot, family_of, of_families
from breakeven.steps.managed_brokers import (
    delete_broker,
    delete_configuration,
    left_configurations,
    our_brokers,
)

#: how long a node runs that no tag gives a lease: as in nodes/surroundings/aws.sh
DEFAULT_LEASE_S = 28_800.0
#: how many tasks ECS describes in one call
DESCRIBED = 100
#: what the brokers of Amazon MQ are called among the types
BROKERS = "Amazon MQ brokers"
#: how long a configuration whose broker is not to be seen may be one's that is being created
CONFIGURATION_LEASE_S = 3600.0


@dataclass(frozen=True, slots=True)
class Resource:
    """``run_id`` is None for what belongs to no run; ``lease_until`` is then its end, in epoch seconds.

    What belongs to no run and has no lease is not for the watchdog to judge.
    """

    id: str
    run_id: str | None
    lease_until: float | None = None


@dataclass(frozen=True, slots=True)
class ResourceType:
    """A type of what runs make.

    :param listed: what is there of this installation's, or of one run's and maybe others'
    :param delete: raises the client's error
    :param outlives_runs: is it there after its run as a rule, so that finding it is no sign of a fault?
    """

    name: str
    listed: Callable[[str | None], Iterable[Resource]]
    delete: Callable[[str], object]
    outlives_runs: bool = False

    def find(self, run_id: str | None = None) -> list[Resource]:
        """What is there of this installation's, or of one run's."""
        return [each for each in self.listed(run_id) if run_id in (None, each.run_id)]

    def clean_up(self, resource_id: str) -> None:
        """Raises the client's error; what is gone already is well."""
        with SuppressCodes(*GONE):
            self.delete(resource_id)


def instances(ec2: Ec2) -> ResourceType:
    def listed(run_id: str | None) -> Iterator[Resource]:
        for each in our_instances(ec2, run_id):
            if each.stands:
                given = each.tags.get(LEASE_TAG, "")
                lease_s = float(given) if given.isdecimal() else DEFAULT_LEASE_S
                yield Resource(each.id, each.tags.get(RUN_TAG), each.launched_at + lease_s)

    return ResourceType("instances", listed, lambda one: ec2.terminate_instances(InstanceIds=[one]))


def brokers(mq: Mq) -> ResourceType:
    """Of Amazon MQ. One that is being created is left for the next time."""

    def listed(run_id: str | None) -> Iterator[Resource]:
        found = our_brokers(mq, run_id)
        return (Resource(each.id, each.tags.get(RUN_TAG)) for each in found if each.stands)

    return ResourceType(BROKERS, listed, partial(delete_broker, mq))


def configurations(mq: Mq) -> ResourceType:
    """Of brokers of Amazon MQ that are gone: a run's, or of whichever run after their lease."""

    def listed(run_id: str | None) -> Iterator[Resource]:
        for each in left_configurations(mq, run_id):
            yield Resource(each["Id"], run_id, each["Created"].timestamp() + CONFIGURATION_LEASE_S)

    delete = partial(delete_configuration, mq)
    return ResourceType("Amazon MQ configurations", listed, delete, outlives_runs=True)


def interfaces(ec2: Ec2) -> ResourceType:
    """Network interfaces of a launch that no instance uses: those that one uses go with it."""

    def listed(run_id: str | None) -> Iterator[Resource]:
        for each in described(ec2, "network_interfaces", Filters=ours(run_id)):
            if each["Status"] == "available":
                yield Resource(each["NetworkInterfaceId"], tags_of(each.get("TagSet", [])).get(RUN_TAG))

    return ResourceType(
        "network interfaces", listed, lambda one: ec2.delete_network_interface(NetworkInterfaceId=one)
    )


def volumes(ec2: Ec2) -> ResourceType:
    """Volumes of a launch that no instance uses: those that one uses go with it."""

    def listed(run_id: str | None) -> Iterator[Resource]:
        for each in described(ec2, "volumes", Filters=ours(run_id)):
            if each["State"] == "available":
                yield Resource(each["VolumeId"], tags_of(each.get("Tags", [])).get(RUN_TAG))

    return ResourceType("volumes", listed, lambda one: ec2.delete_volume(VolumeId=one))


def endpoints(ec2: Ec2) -> ResourceType:
    """Interface endpoints that a run has made for its tasks."""

    def listed(run_id: str | None) -> Iterator[Resource]:
        for each in described(ec2, "vpc_endpoints", Filters=ours(run_id)):
            run = tags_of(each.get("Tags", [])).get(RUN_TAG)
            # the stack's own gateways carry no run's tag
            if run and str(each["State"]).lower() not in GOING:
                yield Resource(each["VpcEndpointId"], run)

    def delete(endpoint: str) -> None:
        """What cannot be deleted stands in the answer, and is no error of the call."""
        for each in ec2.delete_vpc_endpoints(VpcEndpointIds=[endpoint]).get("Unsuccessful", []):
            error = {name: each["Error"].get(name, "") for name in ("Code", "Message")}
            raise ClientError({"Error": error}, "DeleteVpcEndpoints")

    return ResourceType("endpoints", listed, delete)


def tasks(ecs: Ecs, cluster: str) -> ResourceType:
    """Loaders' tasks, in a cluster that is this installation's alone."""

    def listed(run_id: str | None) -> Iterator[Resource]:
        """Those that are up, or are to come up; those that were asked to stop are not."""
        pages = ecs.get_paginator("list_tasks").paginate(
            cluster=cluster, desiredStatus="RUNNING", PaginationConfig={"PageSize": DESCRIBED}
        )
        for page in pages:
            if arns := page["taskArns"]:
                for task in ecs.describe_tasks(cluster=cluster, tasks=arns)["tasks"]:
                    yield Resource(task["taskArn"], _run_of(task))

    return ResourceType(
        "tasks", listed, lambda one: ecs.stop_task(cluster=cluster, task=one, reason="its run is over")
    )


def _run_of(task: Mapping[str, Any]) -> str | None:
    group = str(task.get("group", ""))
    return group.removeprefix(RUN_GROUP) if group.startswith(RUN_GROUP) else None


def queues(sqs: Sqs) -> ResourceType:
    """Queues of the managed service: ours by their names' beginning, and by their tags."""

    def listed(run_id: str | None) -> Iterator[Resource]:
        pages = sqs.get_paginator("list_queues").paginate(
            QueueNamePrefix=f"{installation().queue_prefix}{QUEUES}", PaginationConfig={"PageSize": 1000}
        )
        for url in [url for page in pages for url in page.get("QueueUrls", [])]:
            tags: dict[str, str] = {}
            with SuppressCodes(*GONE):
                tags = sqs.list_queue_tags(QueueUrl=url).get("Tags", {})
            if tags.get(OWNER_TAG) == installation().owner:
                yield Resource(url, tags.get(RUN_TAG))

    return ResourceType("queues", listed, lambda one: sqs.delete_queue(QueueUrl=one))


def secrets(store: Store) -> ResourceType:
    """Lanes' credentials, in a bucket that is this installation's alone."""

    def listed(run_id: str | None) -> Iterator[Resource]:
        for key in store.keys(layout.secrets_prefix(run_id) if run_id else layout.SECRETS):
            yield Resource(key, layout.run_of_secret(key))

    return ResourceType("secrets", listed, store.delete)


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
