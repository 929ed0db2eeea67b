"""Broker types of Amazon MQ for RabbitMQ, whatever their region: disks, network, releases, limits.

They stand in ``amazon_mq.json``, with their source and date; prices are in the books.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from breakeven.pricing.prices.price import Finite, IsoDate, Text
from breakeven.targets.records.amazon_mq_records import AMAZON_MQ_TYPE

PATH = Path(__file__).parent / "amazon_mq.json"
USUAL = AMAZON_MQ_TYPE
#: GB by which a cluster's disks can be chosen
STEP_GB = 5
#: brokers of each form
BROKERS = {"single": 1, "cluster": 3}

Form = Literal["single", "cluster"]


def form_of_nodes(nodes: int) -> Form:
    """What the books call a broker of so many nodes."""
    return "single" if nodes == BROKERS["single"] else "cluster"


class BrokerLimits(Finite):
    """What a broker takes unless it is configured otherwise. Connections and channels are of each node."""

    connections: int = Field(gt=0)
    channels: int = Field(gt=0)
    queues: int = Field(gt=0, description="of the broker")
    max_length: int | None = Field(gt=0, description="messages of a queue, which rejects more; null: any")


class BrokerType(Finite):
    """One broker type that can still be created."""

    broker_type: Text
    vcpu: int = Field(gt=0)
    memory_gib: float = Field(gt=0)
    network_baseline_mbps: float = Field(gt=0, description="10^6 bits a second, sustained")
    single_gb: int = Field(gt=0, description="disk of a single broker")
    cluster_gb: int = Field(gt=0, description="disk of each of a cluster's brokers, unless another is chosen")
    most_cluster_gb: int = Field(gt=0, description="that can be chosen; cluster_gb where none can")
    releases: tuple[Text, ...] = Field(description="of RabbitMQ that can be created on it, oldest first")
    limits: dict[Form, BrokerLimits] | None = Field(
        default=None, description="of the releases from 4.2 on; null: the type runs none of them"
    )
    chosen_disk_from: Text = Field(description="the first release of a cluster whose disks can be chosen")
    source: Text
    as_of: IsoDate

    def releases_of(self, *, chosen_disk: bool) -> tuple[str, ...]:
        """Those that can be created, with disks of a chosen size or with the type's own."""
        first = _numbers(self.chosen_disk_from) if chosen_disk else (0,)
        return tuple(release for release in self.releases if _numbers(release) >= first)

    def disk_gb(self, form: Form) -> int:
        """What each broker has where nobody chooses."""
        return self.single_gb if form == "single" else self.cluster_gb


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


@cache
def broker_types() -> dict[str, BrokerType]:
    """Every type by its name, in the file's order."""
    document = json.loads(PATH.read_text(encoding="utf-8"))
    shared = {name: document[name] for name in ("chosen_disk_from", "source", "as_of")}
    entries = [BrokerType.model_validate({**shared, **entry}) for entry in document["types"]]
    return {entry.broker_type: entry for entry in entries}
