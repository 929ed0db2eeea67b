"""Machines that the nodes of a target's brokers run on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from breakeven.targets.catalog import record_of
from breakeven.terms import MOST_BROKER_ZONES, Debian, Frozen, TargetName, VolumeType


def image_name(debian: Debian, architecture: str) -> str:
    """Of Debian 12 the architecture alone: runs that are resumed know its images by that."""
    return architecture if debian == "12" else f"{architecture}-debian-{debian}"


def architecture_of(image: str) -> str:
    """The nodes' that are launched from it."""
    return image.partition("-")[0]


class Machines(Frozen):
    """What each node of a target's brokers runs on; ``volume_gb`` of the type, or of what Amazon MQ has."""

    instance_type: str
    service: Literal["ec2", "amazonmq"] = Field(
        default="ec2", description="whose instance type it is, as price books name it"
    )
    architecture: str = Field(description="arm64 or x86_64")
    vcpu: int | None = Field(description="of one node; null where it is not known")
    volume_gb: int
    volume_type: VolumeType = Field(default="gp3", description="of EC2's nodes")
    volume_iops: int | None = Field(
        default=None, description="that are provisioned; null: as the type has them"
    )
    nodes: int
    zones: tuple[str, ...] = Field(
        default=(),
        description="where nodes are launched, dealt over them in turn; empty: the deployment's",
    )
    zone_count: int | None = Field(
        default=None, description="of zones that the suite asks for; null: one a node, as far as there are"
    )
    debian: Debian = Field(default="12", description="the release of Debian whose RabbitMQ they run")

    @property
    def image(self) -> str:
        """What the stack and its runs call the image that they are launched from."""
        return image_name(self.debian, self.architecture)

    @property
    def known_zones(self) -> int | None:
        """Over how many zones the nodes are dealt; None where that is not known yet."""
        return len(self.zones) or self.zone_count

    def among(self, zones: Sequence[str]) -> tuple[str, ...]:
        """Those of a deployment's zones that the nodes are dealt over, no more than there are nodes."""
        return tuple(zones[: min(self.nodes, self.zone_count or MOST_BROKER_ZONES)])


def nodes_of(target: TargetName, machines: Machines | None) -> int:
    """Broker nodes of the target's lane, the record's where no machines are known; 0 of a managed service."""
    return machines.nodes if machines else record_of(target).node_count
