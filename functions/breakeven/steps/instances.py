"""Instances of this installation, as EC2 describes them: found by their tags, or by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from breakeven.installation import OWNER_TAG, RUN_TAG, installation
from breakeven.steps.aws_clients import Ec2

#: an instance in any of these is paid for, or will be again
STANDING = frozenset({"pending", "running", "stopping", "stopped"})


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance, by EC2's own description of it."""

    description: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.description["InstanceId"])

    @property
    def state(self) -> str:
        return str(self.description["State"]["Name"])

    @property
    def stands(self) -> bool:
        return self.state in STANDING

    @property
    def tags(self) -> dict[str, str]:
        return tags_of(self.description.get("Tags", []))

    @property
    def launched_at(self) -> float:
        """Seconds since the epoch."""
        return float(self.description["LaunchTime"].timestamp())

    @property
    def state_reason(self) -> str | None:
        """Why it is in its state, where EC2 says so."""
        reason = self.description.get("StateReason", {}).get("Message")
        return None if reason is None else str(reason)


def our_instances(
    ec2: Ec2, run_id: str | None = None, tags: Mapping[str, str] | None = None
) -> list[Instance]:
    """Every instance of this installation or of one run, in whatever state: EC2 knows ended ones for an hour.

    :param tags: what else it carries
    """
    return describe_instances(ec2, [*ours(run_id), *tag_filters(tags or {})])


def describe_instances(ec2: Ec2, filters: Sequence[Mapping[str, Any]]) -> list[Instance]:
    """Those that match every filter."""
    pages = ec2.get_paginator("describe_instances").paginate(Filters=list(filters))
    reservations = (reservation for page in pages for reservation in page["Reservations"])
    return [Instance(instance) for reservation in reservations for instance in reservation["Instances"]]


def ours(run_id: str | None) -> list[dict[str, Any]]:
    """EC2's filters for what this installation, or one run of it, has made."""
    wanted = {OWNER_TAG: installation().owner, **({RUN_TAG: run_id} if run_id else {})}
    return tag_filters(wanted)


def tag_filters(tags: Mapping[str, str]) -> list[dict[str, Any]]:
    """EC2's filters for what carries all of these."""
    return [{"Name": f"tag:{name}", "Values": [value]} for name, value in tags.items()]


def tagging(kinds: Iterable[str], tags: Mapping[str, str]) -> list[dict[str, Any]]:
    """The argument of a call that makes things of these kinds: all of them are to carry these tags."""
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    return [{"ResourceType": kind, "Tags": listed} for kind in kinds]


def tags_of(listed: Sequence[Mapping[str, str]]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in listed}
