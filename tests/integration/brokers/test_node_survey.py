"""Surveys of real nodes of RabbitMQ 4.x; of 3.10: ``test_brokers``."""

from __future__ import annotations

from breakeven.agent.node_survey import MOST_SYNCS, MOST_TRIPS, NodeSurvey, surveyed
from local.servers.brokers import BrokerCluster
from tests.support.loaders.real_nodes import made_whole


def survey_of(cluster: BrokerCluster, *, peers: bool = True) -> NodeSurvey:
    """Of the first node. Nothing is left in the folder that it writes to."""
    made_whole(cluster)
    first = cluster.access.nodes[0].name
    before = files(cluster, first)
    found = surveyed(cluster.evaluate, first, peers=peers)
    assert files(cluster, first) == before
    assert found.error is None
    assert found.sync is not None
    assert 1 <= found.sync.count <= MOST_SYNCS
    assert 0 < found.sync.p50_ms <= found.sync.p99_ms
    return found


def files(cluster: BrokerCluster, node: str) -> str:
    """In the folder, but for what a queue's log makes and drops there."""
    named = '[Name || Name <- Names, lists:prefix("breakeven", Name)]'
    listed = "{ok, Folder} = application:get_env(ra, data_dir), {ok, Names} = file:list_dir(Folder), "
    return cluster.evaluate(node, f"{listed}{named}.", 60.0)


def test_the_first_node_surveys_its_volume_and_the_connection_to_each_peer(rabbitmq_trio):
    found = survey_of(rabbitmq_trio)
    assert [link.peer for link in found.links] == sorted(node.name for node in rabbitmq_trio.access.nodes[1:])
    for link in found.links:
        assert 1 <= link.round_trip.count <= MOST_TRIPS
        assert 0 < link.round_trip.p50_ms <= link.round_trip.p99_ms
        assert link.bytes_per_s > 0
    assert survey_of(rabbitmq_trio, peers=False).links == ()
