"""Faults of real nodes in mid-case: ordered by the watch, carried out by the agent, settled as rows.

``tests/e2e/test_five_nodes.py`` has a fault in a whole run.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from breakeven.brokers.access import Access
from breakeven.targets.rabbitmq_cluster import ClusterSettings
from breakeven.targets.target import open_target
from breakeven.workload.node_faults import NodeFault
from local.servers.broker_releases import release_of
from local.servers.brokers import BrokerCluster
from local.servers.fault_agent import NOT_RUNNING
from tests.support.loaders.fault_lane import (
    BACKLOG,
    COMMAND_LATEST_S,
    Lane,
    assert_carried_out,
    assert_none_lost,
    assert_only_consumed,
    assert_rolled,
    case_with_faults,
    fault_lane,
    leader_of,
    measured_at,
)
from tests.support.loaders.live_case import PATIENCE_S
from tests.support.workflow.processes import eventually

TARGET = "rabbitmq-quorum-trio"
CREDENTIALS = Access(username="breakeven-faults", password="the-seventh-one")


@pytest.fixture(scope="module")
def cluster(children, tmp_path_factory) -> Iterator[BrokerCluster]:
    nodes = BrokerCluster(
        children,
        tmp_path_factory.mktemp("faults"),
        CREDENTIALS,
        ClusterSettings(nodes=3),
        release=release_of(TARGET),
    )
    nodes.start()
    open_target(TARGET, nodes.access).establish()
    yield nodes
    nodes.stop()


@pytest.fixture
def lane(cluster, monkeypatch) -> Iterator[Lane]:
    with fault_lane(monkeypatch, TARGET, cluster) as made:
        yield made


@pytest.fixture
def faulty_case(queue_case):
    return partial(case_with_faults, queue_case, TARGET, group_size=3)


def test_a_leader_that_is_killed_loses_nothing_confirmed_and_is_back(lane, faulty_case):
    case = faulty_case(NodeFault(at_s=2, kind="kill", node="leader", for_s=1), measure_s=8)
    (queue,) = lane.prepare(case)
    leader, before = leader_of(lane, queue), lane.cluster.process_ids()
    (row,), ledger = lane.run(case)
    assert (row["number"], row["kind"], row["aimed_at"], row["node"]) == (1, "kill", "leader", leader)
    assert row["in_sync"] is True
    assert_carried_out(row, measured_at(lane, case))
    assert_none_lost(ledger)
    now = lane.cluster.process_ids()
    assert {node for node in now if now[node] != before[node]} == {leader}, "another process, of it alone"


def test_nodes_are_paused_and_stopped_one_after_the_other(lane, faulty_case):
    case = faulty_case(
        NodeFault(at_s=1, kind="pause", node="leader", for_s=2),
        NodeFault(at_s=7, kind="stop", node=3, for_s=1),
        measure_s=9,
    )
    (queue,) = lane.prepare(case)
    leader, before = leader_of(lane, queue), lane.cluster.process_ids()
    third = lane.cluster.access.nodes[2].name
    rows, ledger = lane.run(case)
    assert [(row["number"], row["node"]) for row in rows] == [(1, leader), (2, third)]
    for row in rows:
        assert_carried_out(row, measured_at(lane, case))
    assert_none_lost(ledger)
    now = lane.cluster.process_ids()
    assert {node for node in now if now[node] != before[node]} == {third}, "a paused one is the same process"


def test_alarms_block_publishers_alone_and_lose_nothing(lane, faulty_case):
    case = faulty_case(
        NodeFault(at_s=2, kind="memory-alarm", node="leader", for_s=2),
        NodeFault(at_s=5, kind="disk-alarm", node="other", for_s=2),
        measure_s=8,
        **BACKLOG,
    )
    lane.prepare(case)
    before = lane.cluster.process_ids()
    rows, ledger = lane.run(case)
    for row in rows:
        assert_carried_out(row, measured_at(lane, case), COMMAND_LATEST_S)
    assert_none_lost(ledger)
    assert lane.cluster.process_ids() == before
    assert_only_consumed(lane, case, rows)


@pytest.mark.installed
def test_a_node_that_is_cut_off_from_its_peers_confirms_nothing_and_joins_them_again(lane, faulty_case):
    case = faulty_case(NodeFault(at_s=2, kind="partition", node="leader", for_s=4), measure_s=12)
    (queue,) = lane.prepare(case)
    leader, before = leader_of(lane, queue), lane.cluster.process_ids()
    (row,), ledger = lane.run(case)
    assert row["node"] == leader
    assert_carried_out(row, measured_at(lane, case), COMMAND_LATEST_S)
    assert_none_lost(ledger)
    now = lane.cluster.process_ids()
    assert {node for node in now if now[node] != before[node]} == {leader}


@pytest.mark.installed
def test_a_rolling_restart_takes_one_node_after_the_other_and_loses_nothing(lane, faulty_case):
    case = faulty_case(NodeFault(at_s=2, kind="rolling-restart", for_s=1), measure_s=60)
    lane.prepare(case)
    assert_rolled(lane, case, *lane.run(case))


def test_a_node_that_is_gone_already_is_a_row_and_the_case_goes_on(lane, faulty_case):
    case = faulty_case(NodeFault(at_s=2, kind="kill", node=3, for_s=1), measure_s=4)
    lane.prepare(case)
    third = lane.cluster.access.nodes[2].name
    lane.cluster.shut_down(third)
    began_s = time.monotonic()
    try:
        (row,), ledger = lane.run(case)
        assert time.monotonic() - began_s < PATIENCE_S / 2, "nobody waits for it"
        with ThreadPoolExecutor(1) as pool:
            starting = pool.submit(lane.cluster.restart, third)
            assert eventually(lambda: lane.cluster.runs(third), PATIENCE_S)
            lane.cluster.shut_down(third)
            assert starting.result(PATIENCE_S) is None, "a start that is cut off is no failure"
    finally:
        lane.cluster.restart(third)
    assert (row["node"], row["error"], row["in_sync"]) == (third, NOT_RUNNING, False)
    assert (row["done_at_s"], row["back_at_s"]) == (None, None)
    assert_none_lost(ledger)
