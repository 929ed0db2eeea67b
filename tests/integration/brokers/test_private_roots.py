"""Nodes of another Debian's RabbitMQ, in a private root: they cluster, are killed, and lead nowhere."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from breakeven.brokers.access import Access
from breakeven.targets.rabbitmq.rabbitmq_cluster import ClusterSettings
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from local.children import Children
from local.servers.broker_releases import ROOTS, PrivateRoot, can_have_roots
from local.servers.brokers import BrokerCluster
from tests.support.workflow.processes import eventually, processes_of

SET_UP = Path(__file__).parents[3] / "setup" / "broker_roots.sh"
CREDENTIALS = Access(username="breakeven", password="secret-of-the-root")
#: where a bind mount into a root would lead
OUTSIDE = (Path("/dev"), Path("/proc/self"))

pytestmark = pytest.mark.skipif(
    not can_have_roots(),
    reason="needs root or user namespaces, and Debian's keys; without them a run has no private roots either",
)


def root_of(debian: str) -> Path:
    subprocess.run([SET_UP, debian], check=True, timeout=300)
    return ROOTS / f"debian-{debian}"


def versions(access: Access) -> list[str]:
    """Of the nodes that each node sees running."""
    seen = [
        Management(access.model_copy(update={"nodes": (node,)})).overview()["rabbitmq_version"]
        for node in access.nodes
    ]
    return [str(version) for version in seen]


@pytest.mark.installed  # of Debian 13 the trio of the other tests is such a cluster, too
@pytest.mark.parametrize(("debian", "series"), [("13", (4, 0)), ("testing", (4, 3))])
def test_three_nodes_of_a_root_make_a_cluster_that_a_killed_node_comes_back_to(
    children: Children, tmp_path: Path, debian: str, series: tuple[int, int]
) -> None:
    release = PrivateRoot(root_of(debian))
    cluster = BrokerCluster(children, tmp_path, CREDENTIALS, ClusterSettings(nodes=3), release=release)
    access = cluster.start()
    assert set(versions(access)) == {release.version}
    assert tuple(int(part) for part in versions(access)[0].split(".")[:2]) >= series
    last = access.nodes[2]
    if debian == "13":
        assert cluster.evaluate(last.name, "rabbit_khepri:is_enabled().", 60) == "false", "metadata in Mnesia"
    cluster.signal(last.name, signal.SIGKILL)
    assert eventually(lambda: not [line for line in processes_of(tmp_path) if last.name in line])
    cluster.restart(last.name)
    nodes = Management(access.model_copy(update={"nodes": (last,)})).nodes()
    assert [one["running"] for one in nodes] == [True] * 3
    cluster.stop()
    assert not processes_of(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_root_that_is_deleted_under_its_node_takes_nothing_else_with_it(
    children: Children, tmp_path: Path
) -> None:
    checkout, work = tmp_path / "checkout", tmp_path / "work"
    cached = checkout / ".cache" / "brokers" / "debian-13"
    shutil.copytree(root_of("13"), cached, symlinks=True)
    cluster = BrokerCluster(
        children, work, CREDENTIALS, ClusterSettings(nodes=1), release=PrivateRoot(cached)
    )
    access = cluster.start()
    before = {path: sorted(os.listdir(path)) for path in OUTSIDE}
    data = {path for path in work.rglob("*") if path.is_dir()}
    assert not [line for line in Path("/proc/mounts").read_text().splitlines() if str(tmp_path) in line]
    subprocess.run(["rm", "-rf", checkout / ".cache"], check=True)
    assert not (checkout / ".cache").exists()
    assert {path: sorted(os.listdir(path)) for path in OUTSIDE} == before
    assert data <= set(work.rglob("*"))
    assert Management(access).nodes()[0]["running"], "the node goes on with what it has loaded"
    cluster.stop()
    assert list(work.iterdir()) == []
