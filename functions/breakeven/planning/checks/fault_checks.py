"""Faults that cannot be carried out, or not at these times: each is refused by its field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from breakeven.errors import InputError
from breakeven.planning.checks.fault_nodes import aimed
from breakeven.planning.checks.placement_checks import Cluster
from breakeven.planning.checks.service_fault_checks import service_fault_faults, time_faults
from breakeven.planning.refusal import Fault
from breakeven.targets.rabbitmq.rabbitmq_cluster import ClusterSettings
from breakeven.targets.rabbitmq.rabbitmq_upgrades import SERIES_OF, known_series, stopover, way
from breakeven.targets.record import TargetRecord
from breakeven.words import plural
from breakeven.workload.node_faults import REBOOT, ROLLING_RESTART, UPGRADE, NodeFault
from breakeven.workload.service_faults import SERVICE_FAULTS

#: targets that a fault of a node can be of
OWN = "with nodes of your own"
#: faults between a node and its peers, and what a single node may have in their place
WITH_PEERS = {"partition": "pause", "cut-peers": "cut-clients", "slow-peers": "slow-clients"}


def fault_faults(settings: Mapping[str, Any], cluster: Cluster, fault: Fault) -> Iterator[InputError]:
    """Why the cell's faults cannot be on this cluster, one each.

    :param fault: makes one of a field, its value and a remedy
    """
    given, record = settings.get("faults") or (), cluster.record
    asked = [each for each in given if each["kind"] not in SERVICE_FAULTS]
    if len(asked) < len(given):
        yield from service_fault_faults(given, settings, record, fault)
    if not asked or (len(asked) < len(given) and record.own_nodes):
        return
    if record.broker:
        yield from _service_faults(asked, settings, record, fault)
        return
    if not record.own_nodes:
        rebooted = any(each["kind"] == REBOOT for each in asked)
        remedy = f"remove it, or give this scenario targets {'of Amazon MQ' if rebooted else OWN}"
        yield fault("faults", ", ".join(map(_words, asked)), f"{record.service} has no nodes; {remedy}")
        return
    if any(each["kind"] == UPGRADE for each in asked):
        yield from _upgrade_faults(asked, cluster, fault)
        return
    faults = [NodeFault(**each) for each in asked]
    if down := settings["nodes_down"]:
        yield fault("nodes_down", down, "a case with faults begins with all nodes up; remove one of them")
    for index, each in enumerate(faults):
        yield from _node_faults(f"faults.{index}", each, cluster, fault)
        yield from _rolling_faults(f"faults.{index}", each, len(faults), cluster, fault)
        yield from time_faults(f"faults.{index}", each, settings, fault)
    yield from _together(faults, settings, cluster, fault)


def _service_faults(
    asked: Sequence[Mapping[str, Any]], settings: Mapping[str, Any], record: TargetRecord, fault: Fault
) -> Iterator[InputError]:
    """Of a broker that a service runs: it reboots it, and no call of it reaches a node."""
    for index, each in enumerate(asked):
        path = f"faults.{index}"
        if each["kind"] != REBOOT:
            remedy = f"no call reaches a single node of {record.name}; use reboot, or remove it, or give this"
            yield fault(f"{path}.kind", each["kind"], f"{remedy} scenario targets {OWN}")
        elif len(asked) > 1:
            remedy = "it lasts until the service has done it, and nobody knows when; give it its own scenario"
            yield fault(f"{path}.kind", each["kind"], remedy)
        else:
            yield from time_faults(path, NodeFault(**each), settings, fault)


def _words(asked: Mapping[str, Any]) -> str:
    return f"upgrade to {asked['to']}" if asked["kind"] == UPGRADE else NodeFault(**asked).words


def _upgrade_faults(
    asked: Sequence[Mapping[str, Any]], cluster: Cluster, fault: Fault
) -> Iterator[InputError]:
    """None can be carried out: those that upstream forbids say so, and the way that it leaves open."""
    assert cluster.record.nodes is not None
    old = SERIES_OF[cluster.record.nodes.debian]
    for index, each in enumerate(asked):
        if each["kind"] == UPGRADE:
            yield fault(f"faults.{index}.to", each["to"], _no_upgrade(cluster.target, old, each["to"]))


def _no_upgrade(target: str, old: str, new: str) -> str:
    if new not in known_series():
        known = ", ".join(known_series())
        return f"is no series of RabbitMQ that upstream's table of upgrades has; it has {known}"
    steps = way(old, new)
    if steps is None:
        return f"{target} runs RabbitMQ {old}, and {new} is not newer; remove it"
    if len(steps) > 1:
        return (
            f"{target} runs RabbitMQ {old}, which upstream forbids to upgrade to {new} at once: it has to go "
            f"by {', '.join(map(stopover, steps[:-1]))}, with all stable feature flags enabled before each "
            "step; remove it"
        )
    return (
        f"upstream allows RabbitMQ {old} to be upgraded to {new}, and there is nothing here to do it with: a "
        "lane's nodes have one release, that of their Debian; remove it, or use rolling-restart"
    )


def _node_faults(path: str, each: NodeFault, cluster: Cluster, fault: Fault) -> Iterator[InputError]:
    has = f"{cluster.target} has {plural(cluster.nodes, 'node')}"
    if each.is_reboot:
        remedy = f"is a call of Amazon MQ, and nodes of {cluster.target} are your own; use {ROLLING_RESTART}"
        yield fault(f"{path}.kind", each.kind, f"{remedy} or stop")
        return
    silence_s = ClusterSettings().silence_s
    if each.kind in ("pause", "cut-peers") and cluster.nodes > 1 and each.for_s >= silence_s:
        remedy = (
            f"peers may give up a node that is silent for {silence_s:g} s, and then it goes on partitioned"
        )
        it = f"{each.kind} it" if each.kind == "pause" else "cut its peers off"
        end = f"{it} for less than {silence_s:g} s, or use partition, which heals it"
        yield fault(f"{path}.for_s", f"{each.for_s:g}", f"{remedy} from them; {end}")
    if each.kind in WITH_PEERS and cluster.nodes < 2:
        yield fault(f"{path}.kind", each.kind, f"{has}, and no peers; use {WITH_PEERS[each.kind]}")
    if each.node == "other" and cluster.nodes < 2:
        yield fault(f"{path}.node", each.node, f"{has}, so that there is no other; use leader")
    elif isinstance(each.node, int) and each.node > cluster.nodes:
        yield fault(f"{path}.node", each.node, f"{has}; at most {cluster.nodes}, or leader or other")


def _rolling_faults(
    path: str, each: NodeFault, faults: int, cluster: Cluster, fault: Fault
) -> Iterator[InputError]:
    """A restart of all nodes where there is one, and beside another fault."""
    if each.is_rolling and cluster.nodes < 2:
        remedy = f"{cluster.target} has {plural(cluster.nodes, 'node')}, and none that would go on; use stop"
        yield fault(f"{path}.kind", each.kind, remedy)
    elif each.is_rolling and faults > 1:
        remedy = "it lasts until the last node is back, and nobody knows when; give it a scenario of its own"
        yield fault(f"{path}.kind", each.kind, remedy)


def _together(
    faults: Sequence[NodeFault], settings: Mapping[str, Any], cluster: Cluster, fault: Fault
) -> Iterator[InputError]:
    """Two on one node at once, one while an alarm blocks all publishers, and more nodes at once than queues
    bear to lose.
    """
    most = most_at_once(settings, cluster)
    if any(each.is_rolling for each in faults):
        return  # which has no fault beside it
    nodes = aimed(faults, cluster.nodes)
    for index, each in enumerate(faults):
        path, at = f"faults.{index}.at_s", f"{each.at_s:g}"
        earlier = [
            (number, other)
            for number, other in enumerate(faults)
            if (other.at_s, number) < (each.at_s, index)
        ]
        under_way = [one for one in earlier if each.at_s < one[1].end_s]
        away = [other for _, other in under_way if other.takes_away]
        taken = (one for one in earlier if each.at_s < one[1].free_s)
        on_it = next((one for one in taken if nodes[index].shares_node(nodes[one[0]])), None)
        if beside := next((one for one in under_way if one[1].is_alarm or each.is_alarm), None):
            yield fault(path, at, _beside_an_alarm(each, *beside))
        elif on_it:
            which = nodes[index].named_as(nodes[on_it[0]])
            remedy = f"faults.{on_it[0]} has {which} until {on_it[1].free_s:g} s; begin it after that"
            yield fault(path, at, remedy)
        elif each.takes_away and len(away) + 1 > most:
            free_s = min(other.end_s for other in away)
            remedy = (
                f"{len(away) + 1} of the {plural(cluster.nodes, 'node')} of {cluster.target} would be "
                f"away at once, and its queues bear {most}; begin it at {free_s:g} s or later"
            )
            yield fault(path, at, remedy)


def _beside_an_alarm(each: NodeFault, number: int, other: NodeFault) -> str:
    """Of what falls while publishers are blocked, nobody could tell what it did to publishing."""
    until = f"begin it at {other.end_s:g} s or later"
    if other.is_alarm:
        return f"faults.{number} blocks all who publish until then; {until}"
    return f"faults.{number} has a node until then, and {each.kind} would block all who publish; {until}"


def most_at_once(settings: Mapping[str, Any], cluster: Cluster) -> int:
    """Nodes that may be away at once: as many as leave each queue most of its members, or a copy.

    One always may: where nothing else is left, the queues wait for it. For mirrors that are lost, others
    are made where nodes are left, but nobody knows before when those will be in sync.
    """
    copies = settings.get("group_size") or cluster.nodes
    return max(1, (copies - 1) // 2 if cluster.record.group_size else copies - 1)
