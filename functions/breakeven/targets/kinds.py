"""What is known of a target before anything runs: who runs it, and on how many nodes."""

from __future__ import annotations

from dataclasses import dataclass

from breakeven.workload.case import TargetName


@dataclass(frozen=True, slots=True)
class Kind:
    """``brokers``: nodes of our own that a lane launches; otherwise a managed service, with no nodes."""

    brokers: bool
    nodes: int


KINDS: dict[TargetName, Kind] = {
    "sqs-standard": Kind(brokers=False, nodes=0),
    "rabbitmq-mirrored-pair": Kind(brokers=True, nodes=2),
}
