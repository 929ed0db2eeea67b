"""What is known of a target before anything runs: who runs it, and on how many nodes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

from breakeven.workload.case import KindName, TargetName, kind_of


@dataclass(frozen=True, slots=True)
class Kind:
    """``brokers``: nodes of our own that a lane launches; otherwise a managed service, with no nodes.

    ``instance_type`` and ``volume_gb`` (gp3) are of each node.
    """

    brokers: bool
    nodes: int = 0
    instance_type: str | None = None
    volume_gb: int = 0


#: of every broker node, until a target can name its own; a deployment may have chosen another
INSTANCE_TYPE = os.environ.get("BREAKEVEN_INSTANCE_TYPE", "m7g.large")

KINDS: dict[KindName, Kind] = {
    "sqs-standard": Kind(brokers=False),
    "rabbitmq-mirrored-pair": Kind(brokers=True, nodes=2, instance_type=INSTANCE_TYPE, volume_gb=20),
    "instrument": Kind(brokers=False),
}
#: where the root of every image of ours is
ROOT_DEVICE = "/dev/xvda"
#: the ruler's own target: measured, never compared, never priced
INSTRUMENT: KindName = "instrument"


def kind(target: TargetName) -> Kind:
    """What is known of the target's kind."""
    return KINDS[kind_of(target)]


def presumed_provenance(target: TargetName, environment: str) -> Literal["measured", "emulated"]:
    """What a target's figures would be, where the target never came to say so itself.

    On one machine a managed service can only be stood in for; the instrument stands for nothing.
    """
    if target == INSTRUMENT:
        return "measured"
    return "emulated" if environment == "local" and not kind(target).brokers else "measured"
