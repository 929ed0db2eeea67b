"""Real nodes for tests that do more to them than to connect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from breakeven.brokers.access import Access
from breakeven.targets.rabbitmq.rabbitmq_cluster import ClusterSettings
from breakeven.terms import TargetName
from local.children import Children
from local.servers.broker_releases import OWN, release_of
from local.servers.brokers import BrokerCluster
from tests.support.workflow.processes import eventually, processes_of


@contextmanager
def some_nodes(
    children: Children, folder: Path, credentials: Access, nodes: int, target: TargetName | None = None
) -> Iterator[BrokerCluster]:
    """A cluster of the target's release, also in a private root, or of this machine's own."""
    release = release_of(target) if target else OWN
    cluster = BrokerCluster(children, folder, credentials, ClusterSettings(nodes=nodes), release=release)
    cluster.start()
    try:
        yield cluster
    finally:
        cluster.stop()
    assert eventually(lambda: not processes_of(folder))
    assert list(folder.iterdir()) == []


def made_whole(cluster: BrokerCluster) -> BrokerCluster:
    """With every node that an earlier test has left down, as where it failed, started again."""
    for node in cluster.access.nodes:
        if not cluster.runs(node.name):
            cluster.restart(node.name)
    return cluster


def process_ids(cluster: BrokerCluster) -> dict[str, int]:
    """Of each node, and of ``epmd``, their port mapper: the process that leads its group."""
    return {name: process.pid for name, process in cluster._processes.items()}
