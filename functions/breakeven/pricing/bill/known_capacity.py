"""Capacities that somebody printed, by instance type: what a question uses where none is given.

Those that a run searched for are in ``run_capacities``, and are used only where the run is named.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.cluster_form import Deployment
from breakeven.published.rows import load_shipped
from breakeven.targets.catalog import clusters

#: the source of pairs by instance type, and its scenario in which the clients speak to the queue's master
SOURCE, SCENARIO = "source-c", "cores"
#: targets that are clusters, and what pricing calls them
TARGETS: dict[str, Deployment] = {name: nodes.deployment for name, nodes in clusters().items()}


@dataclass(frozen=True, slots=True)
class KnownCapacity:
    """:param message_bytes: with which it was read; it says nothing of larger messages"""

    instance: str
    deployment: Deployment
    msg_per_s: float
    message_bytes: int
    label: str

    def describe(self) -> str:
        """Where it comes from and what it is not."""
        return (
            f"{self.msg_per_s:,.0f} msg/s of a {self.deployment} of {self.instance} with messages of "
            f"{self.message_bytes} B, published {self.label}: a fastest rate, all nodes up, on the machines "
            "and releases of then"
        )


@cache
def known_capacities() -> tuple[KnownCapacity, ...]:
    """Every printed capacity of a cluster by its instance type."""
    published = load_shipped(SOURCE)
    return tuple(
        KnownCapacity(
            row.machine,
            TARGETS[row.target],
            float(row.produce.msg_per_s),
            int(row.match["message_bytes"]),
            published.label,
        )
        for row in published.rows
        if row.scenario == SCENARIO and row.machine and row.produce and row.target in TARGETS
    )


def capacities(inputs: Inputs) -> dict[str, KnownCapacity]:
    """Instance type -> its printed capacity, where it holds for such a cluster and messages no larger.

    None is known of a cluster with more nodes than its form has.
    """
    return {
        known.instance: known
        for known in known_capacities()
        if inputs.is_usual
        and known.deployment == inputs.deployment
        and inputs.message_bytes <= known.message_bytes
    }
