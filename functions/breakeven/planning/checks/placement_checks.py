"""Refusals of places where a cell's queues, copies and clients cannot be, and of nodes that must not stop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from breakeven.errors import InputError
from breakeven.planning.refusal import Fault
from breakeven.targets.record import TargetRecord
from breakeven.terms import TargetName
from breakeven.words import plural


@dataclass(frozen=True, slots=True)
class Cluster:
    """A target on its machines: its record, and how many broker nodes it has; 0 of a managed service."""

    target: TargetName
    record: TargetRecord
    nodes: int


def placement_faults(settings: Mapping[str, Any], cluster: Cluster, fault: Fault) -> Iterator[InputError]:
    """Why the cell cannot be on these nodes, one fault each.

    :param fault: makes one of a field, its value and a remedy
    """
    yield from _nodes_faults(settings, cluster, fault)
    yield from _queue_faults(settings, cluster, fault)


def _nodes_faults(settings: Mapping[str, Any], cluster: Cluster, fault: Fault) -> Iterator[InputError]:
    """Nodes that cannot be taken down: there are none of our own, none would be left, or no majority.

    Quorum queues need most of their members. Those are chosen among the nodes that run when a queue is
    declared, as far as there are enough. To declare it, most of all nodes are needed where RabbitMQ keeps
    what it knows of queues in Khepri: new clusters from 4.2 on, all from 4.3 on. Debian 13's 4.0 does not,
    and is held to the same, so that a suite does not depend on the release (RabbitMQ documentation, "How to
    Enable Khepri").
    """
    down, nodes, record = settings["nodes_down"], cluster.nodes, cluster.record
    has = f"{cluster.target} has {plural(nodes, 'node')}"
    needs = nodes // 2 + 1 if record.group_size else 1
    if down and record.broker:
        remedy = f"no call stops a node of {record.name}, whose service replaces them; remove it, or give"
        yield fault("nodes_down", down, f"{remedy} this scenario targets without it")
    elif down and not nodes:
        remedy = f"{record.service} has no self-hosted nodes to stop; remove it, or drop {record.name}"
        yield fault("nodes_down", down, remedy)
    elif down >= nodes > 0:
        yield fault("nodes_down", down, f"{has}, and one must be left; at most {nodes - 1}")
    elif nodes and nodes - down < needs <= nodes:
        most = f"most of them, {needs}, must be up for quorum queues, and from 4.2 on for metadata"
        remedy = f"{has}, and {most}; at most {nodes - needs}"
        yield fault("nodes_down", down, remedy)


def _queue_faults(settings: Mapping[str, Any], cluster: Cluster, fault: Fault) -> Iterator[InputError]:
    """Where queues cannot be: their leaders on a node, their copies on more nodes than there are."""
    record = cluster.record
    if settings["leaders"] == "one" and not record.own_nodes:
        has = "lets nobody put a queue on a node" if record.broker else "has no nodes to put queues on"
        yield fault("leaders", "one", f"{record.service} {has}; remove it, or drop {record.name}")
    yield from _connection_faults(settings, cluster, fault)
    if (mode := settings["queue_mode"]) != "default" and not record.has_classic_queues:
        remedy = f"queues of {record.name} are no classic queues, which alone can be lazy"
        yield fault("queue_mode", mode, f"{remedy}; remove it, or drop {record.name}")
    yield from _copies_faults(settings.get("group_size"), cluster, fault)


def _copies_faults(copies: int | None, cluster: Cluster, fault: Fault) -> Iterator[InputError]:
    """A number of members of a group, or of copies of a mirrored queue, that cannot be; None: none is given.

    With nodes down there may be fewer than asked for: RabbitMQ makes mirrors on nodes that run, as far as
    there are any (its module ``rabbit_mirror_queue_mode_exactly``), as it does with members.
    """
    record = cluster.record
    if copies is None:
        return
    if record.group_size is None and not record.has_mirrors:
        remedy = f"queues of {record.name} have no group of members and no mirrors"
        yield fault("group_size", copies, f"{remedy}; remove it, or drop {record.name}")
    elif record.broker and copies != record.group_size:
        remedy = f"{record.service} makes queues of {record.group_size} members whatever is asked"
        yield fault("group_size", copies, f"{remedy}; remove it, or drop {record.name}")
    elif copies > cluster.nodes:
        one = "copy" if record.has_mirrors else "member"
        remedy = f"{cluster.target} has {cluster.nodes} nodes, and each {one} needs its own"
        yield fault("group_size", copies, f"{remedy}; at most {cluster.nodes}")


def _connection_faults(settings: Mapping[str, Any], cluster: Cluster, fault: Fault) -> Iterator[InputError]:
    """Connections to a node that nobody can choose, or where there is no choice."""
    wanted, record = settings["connect_to"], cluster.record
    if wanted == "any":
        return
    left = cluster.nodes - settings["nodes_down"]
    if not record.own_nodes:
        has = "has one endpoint for all of them" if record.broker else "has no nodes to choose among"
        yield fault("connect_to", wanted, f"{record.service} {has}; remove it, or drop {record.name}")
    elif left < 2 and wanted == "other":  # a single node is every leader's
        runs = f"of {cluster.target} {plural(max(left, 0), 'node')} would run"
        yield fault(
            "connect_to", wanted, f"{runs}, so that there is no other; remove it, or drop {record.name}"
        )
