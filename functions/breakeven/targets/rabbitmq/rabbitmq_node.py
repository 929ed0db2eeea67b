"""One node of RabbitMQ as its management API describes it (``GET /api/nodes``)."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

from breakeven.targets.target import NodeProcess, NodeSample

#: the program of Erlang's virtual machine, which a node is: beam.smp
PROGRAM = "beam"
ON_OTHER_HOSTS = "the node's processes are on another host"
#: alarm -> the API's field
ALARMS = {"memory": "mem_alarm", "disk": "disk_free_alarm"}


def node_sample(node: Mapping[str, Any], no_process: str = "") -> NodeSample:
    """:param no_process: why the node is no process of this host; empty where it is"""
    process = None if no_process else _process(node)
    return NodeSample(
        node=str(node["name"]),
        memory_bytes=node.get("mem_used"),
        memory_limit_bytes=node.get("mem_limit"),
        disk_free_bytes=node.get("disk_free"),
        file_descriptors=node.get("fd_used"),
        alarms=", ".join(alarm for alarm, field in ALARMS.items() if node.get(field)),
        peer_received_bytes_per_s=_peers(node, "recv_bytes"),
        peer_sent_bytes_per_s=_peers(node, "send_bytes"),
        process=process,
        no_process=no_process or ("" if process else "the broker has not told its process yet"),
    )


def is_this_host(host: str) -> bool:
    """Is it this host's own address, by which no other is reached?"""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _process(node: Mapping[str, Any]) -> NodeProcess | None:
    """The number that the node itself knows is of its own container, where it runs in one."""
    number = str(node.get("os_pid", ""))
    return NodeProcess(int(number), PROGRAM) if number.isdecimal() else None


def _peers(node: Mapping[str, Any], counted: str) -> float | None:
    """Bytes a second of its links to the cluster's other nodes; None where it tells of none."""
    rates = [
        link.get("stats", link).get(f"{counted}_details", {}).get("rate")
        for link in node.get("cluster_links", ())
    ]
    known = [float(rate) for rate in rates if rate is not None]
    return sum(known) if known else None
