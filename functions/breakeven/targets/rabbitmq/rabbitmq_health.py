"""Fitness of a RabbitMQ cluster for cases: each answer is None where it is, else the reason in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from breakeven.brokers.access import Access
from breakeven.errors import CaseError
from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from breakeven.targets.rabbitmq.rabbitmq_management import Management, ManagementError


def cluster_problem(access: Access, size: int, stopped: Collection[str] = ()) -> str | None:
    """Every node sees at least ``size`` nodes, all running, none with an alarm, none cut off.

    :param stopped: names of the nodes that are not to run; they are not in ``access``
    """
    for node in access.nodes:
        try:
            seen = Management(access.model_copy(update={"nodes": (node,)})).nodes()
        except ManagementError as error:
            return str(error)
        for one in seen:
            if problem := _stopped_problem(one) if one["name"] in stopped else _node_problem(one):
                return f"{problem} (seen by {node.name})"
        if len(seen) < size:
            return f"{node.name} is in a cluster of {len(seen)} nodes, not {size}"
    return None


def _stopped_problem(node: Mapping[str, Any]) -> str | None:
    return f"{node['name']} runs and should be stopped" if node.get("running") else None


def _node_problem(node: Mapping[str, Any]) -> str | None:
    if not node.get("running"):
        return f"{node['name']} is not running"
    for alarm in ("mem_alarm", "disk_free_alarm"):
        if node.get(alarm):
            return f"{node['name']} has raised {alarm}"
    if node.get("partitions"):
        return f"{node['name']} is partitioned from {', '.join(node['partitions'])}"
    return None


def listener_problem(access: Access) -> str | None:
    """Every node gives a client a channel, over TLS where the nodes have it."""
    for node in access.nodes:
        try:
            with open_channel(access, [node]):
                pass
        except CaseError as error:
            return f"{node.name}: {error}"
    return None


def policy_problem(access: Access, name: str, definition: Mapping[str, str]) -> str | None:
    """The policy is there and says what it should."""
    try:
        found = Management(access).policy(name)["definition"]
    except ManagementError as error:
        if error.status != 404:
            return str(error)
        return f"the policy {name} is missing"
    return None if found == definition else f"the policy {name} says {found}"
