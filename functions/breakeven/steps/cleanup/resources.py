"""What runs make and pay for, by type: how each is found by its tags, and cleaned up.

Whatever is found carries this installation's owner tag, or is in its own bucket or cluster; nobody else's is
touched. A type that runs come to make is one more class, and one more in ``handlers.cleanup.run_resources``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from breakeven.installation import LEASE_TAG, OWNER_TAG, RUN_TAG, installation
from breakeven.results import layout
from breakeven.results.store import Store
from breakeven.steps.aws_clients import Ec2, Sqs, well_if_gone
from breakeven.steps.instances import Instance, our_instances, ours, tags_of
from breakeven.targets.naming import PREFIX

#: how long a node runs that no tag gives a lease: as in nodes/surroundings/aws.sh
DEFAULT_LEASE_S = 28_800.0


@dataclass(frozen=True, slots=True)
class Resource:
    """``run_id`` is None for what belongs to no run; ``lease_until`` is then its end, in epoch seconds.

    What belongs to no run and has no lease is not for the watchdog to judge.
    """

    id: str
    run_id: str | None
    lease_until: float | None = None


class ResourceType(Protocol):
    name: str

    def find(self, run_id: str | None = None) -> list[Resource]:
        """What is there of this installation's, or of one run's."""

    def clean_up(self, resource_id: str) -> None:
        """Raises the client's error; what is gone already is well."""


class Instances:
    name = "instances"

    def __init__(self, ec2: Ec2) -> None:
        self._ec2 = ec2

    def find(self, run_id: str | None = None) -> list[Resource]:
        return [self._resource(each) for each in our_instances(self._ec2, run_id) if each.stands]

    def clean_up(self, resource_id: str) -> None:
        with well_if_gone():
            self._ec2.terminate_instances(InstanceIds=[resource_id])

    def _resource(self, instance: Instance) -> Resource:
        given = instance.tags.get(LEASE_TAG, "")
        lease_s = float(given) if given.isdecimal() else DEFAULT_LEASE_S
        return Resource(instance.id, instance.tags.get(RUN_TAG), instance.launched_at + lease_s)


class Interfaces:
    """Network interfaces of a launch that no instance uses: those that one uses go with it."""

    name = "network interfaces"

    def __init__(self, ec2: Ec2) -> None:
        self._ec2 = ec2

    def find(self, run_id: str | None = None) -> list[Resource]:
        pages = self._ec2.get_paginator("describe_network_interfaces").paginate(Filters=ours(run_id))
        return [
            Resource(found["NetworkInterfaceId"], tags_of(found.get("TagSet", [])).get(RUN_TAG))
            for page in pages
            for found in page["NetworkInterfaces"]
            if found["Status"] == "available"
        ]

    def clean_up(self, resource_id: str) -> None:
        with well_if_gone():
            self._ec2.delete_network_interface(NetworkInterfaceId=resource_id)


class Volumes:
    """Volumes of a launch that no instance uses: those that one uses go with it."""

    name = "volumes"

    def __init__(self, ec2: Ec2) -> None:
        self._ec2 = ec2

    def find(self, run_id: str | None = None) -> list[Resource]:
        pages = self._ec2.get_paginator("describe_volumes").paginate(Filters=ours(run_id))
        return [
            Resource(found["VolumeId"], tags_of(found.get("Tags", [])).get(RUN_TAG))
            for page in pages
            for found in page["Volumes"]
            if found["State"] == "available"
        ]

    def clean_up(self, resource_id: str) -> None:
        with well_if_gone():
            self._ec2.delete_volume(VolumeId=resource_id)


class Queues:
    """Queues of the managed service: ours by their names' beginning, and by their tags."""

    name = "queues"

    def __init__(self, sqs: Sqs) -> None:
        self._sqs = sqs

    def find(self, run_id: str | None = None) -> list[Resource]:
        found = [Resource(url, tags.get(RUN_TAG)) for url, tags in self._tagged() if _is_ours(tags)]
        return [each for each in found if run_id in (None, each.run_id)]

    def clean_up(self, resource_id: str) -> None:
        with well_if_gone():
            self._sqs.delete_queue(QueueUrl=resource_id)

    def _tagged(self) -> Iterator[tuple[str, dict[str, str]]]:
        pages = self._sqs.get_paginator("list_queues").paginate(
            QueueNamePrefix=f"{installation().queue_prefix}{PREFIX}", PaginationConfig={"PageSize": 1000}
        )
        for url in [url for page in pages for url in page.get("QueueUrls", [])]:
            tags: dict[str, str] = {}
            with well_if_gone():
                tags = self._sqs.list_queue_tags(QueueUrl=url).get("Tags", {})
            yield url, tags


class Secrets:
    """Lanes' credentials, in a bucket that is this installation's alone."""

    name = "secrets"

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, run_id: str | None = None) -> list[Resource]:
        prefix = layout.secrets_prefix(run_id) if run_id else layout.SECRETS
        return [Resource(key, layout.run_of_secret(key)) for key in self._store.keys(prefix)]

    def clean_up(self, resource_id: str) -> None:
        self._store.delete(resource_id)


def _is_ours(tags: Mapping[str, str]) -> bool:
    return tags.get(OWNER_TAG) == installation().owner
