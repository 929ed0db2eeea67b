"""Real nodes for the targets of quorum queues."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from breakeven.brokers.access import Access
from breakeven.targets.catalog import TRIO
from breakeven.targets.rabbitmq_cluster import ClusterSettings
from local.children import Children
from local.servers.broker_releases import release_of
from local.servers.brokers import BrokerCluster


@contextmanager
def three_nodes(children: Children, folder: Path, credentials: Access) -> Iterator[BrokerCluster]:
    """A cluster of the trio's release: 4.x where this machine has it, also in a private root."""
    nodes = BrokerCluster(children, folder, credentials, ClusterSettings(nodes=3), release=release_of(TRIO))
    nodes.start()
    try:
        yield nodes
    finally:
        nodes.stop()
