"""Check that this machine's memory holds the nodes of each cluster; lanes are up one at a time here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from breakeven.errors import InputError
from breakeven.planning.machine_availability import machines_of
from breakeven.planning.node_sizes import field_of
from breakeven.workload.case import Case
from breakeven.workload.suite import Suite

MIB = 1024 * 1024
#: of a node with the queues of a run, assumed: one that has none takes 82 to 95 MiB (five nodes of RabbitMQ
#: 4.0 in one cluster, 2026-11-23)
NODE_BYTES = 256 * MIB
#: of the machine's memory, what a cluster's nodes may fill together, and what each of them may at most
OF_CLUSTER, MOST_OF_NODE = 0.9, 0.3


def watermark(nodes: int) -> float:
    """The share of the machine's memory at which each of so many nodes takes no more messages."""
    return min(MOST_OF_NODE, OF_CLUSTER / nodes)


def check_memory(suite: Suite, cases: Sequence[Case], available: int | None) -> None:
    """:param available: bytes that programs may still take; None: not known, and nothing is refused
    :raises InputError: a cluster has more nodes than that holds
    """
    if available is None:
        return
    for target, each in machines_of(cases).items():
        if each.nodes * NODE_BYTES > available:
            needed = f"{each.nodes} nodes take about {each.nodes * NODE_BYTES // MIB:,} MiB"
            remedy = (
                f"{needed}, and this machine has {available // MIB:,} MiB free: end other programs, ask for "
                "fewer nodes, or run it on AWS"
            )
            raise InputError(suite.where, field_of(target, "nodes"), each.nodes, remedy)


def available_memory(path: Path = Path("/proc/meminfo")) -> int | None:
    """Bytes, as the kernel estimates them; None where it does not say."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return None
    found = [line.split() for line in lines if line.startswith("MemAvailable:")]
    return int(found[0][1]) * 1024 if found else None
