"""Faults of real nodes in mid-case: ordered by the watch, carried out by the agent, settled as rows.

``tests/e2e/test_five_nodes.py`` has a fault in a whole run.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import ceil, floor

import pytest

from breakeven.agent import node_alarms
from breakeven.agent.node_orders import FaultAnswer
from breakeven.agent.node_peers import cut_off_at
from breakeven.agent.order_agent import NOT_RUNNING
from breakeven.errors import BreakevenError
from breakeven.results.fault_orders import FaultOrder
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from breakeven.targets.target import open_target
from breakeven.workload.node_faults import ALARMS, NodeFault
from local.servers import brokers
from local.servers.brokers import BrokerCluster
from local.servers.relay.client_relay import ClientRelay
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
    operations_in,
    order_of,
    running_as_seen_by,
)
from tests.support.loaders.live_case import PATIENCE_S
from tests.support.loaders.real_nodes import made_whole, process_ids
from tests.support.workflow.processes import eventually

TARGET = "rabbitmq-quorum-trio"


@pytest.fixture
def cluster(rabbitmq_trio) -> BrokerCluster:
    open_target(TARGET, made_whole(rabbitmq_trio).access).establish()
    return rabbitmq_trio


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
    leader, before = leader_of(lane, queue), process_ids(lane.cluster)
    (row,), ledger = lane.run(case)
    assert (row["number"], row["kind"], row["aimed_at"], row["node"]) == (1, "kill", "leader", leader)
    assert row["in_sync"] is True
    assert_carried_out(row, measured_at(lane, case))
    assert_none_lost(ledger)
    now = process_ids(lane.cluster)
    assert {node for node in now if now[node] != before[node]} == {leader}, "another process, of it alone"


@pytest.mark.thorough
def test_nodes_are_paused_and_stopped_one_after_the_other(lane, faulty_case):
    case = faulty_case(
        NodeFault(at_s=1, kind="pause", node="leader", for_s=2),
        NodeFault(at_s=7, kind="stop", node=3, for_s=1),
        measure_s=9,
    )
    (queue,) = lane.prepare(case)
    leader, before = leader_of(lane, queue), process_ids(lane.cluster)
    third = lane.cluster.access.nodes[2].name
    rows, ledger = lane.run(case)
    assert [(row["number"], row["node"]) for row in rows] == [(1, leader), (2, third)]
    for row in rows:
        assert_carried_out(row, measured_at(lane, case))
    assert_none_lost(ledger)
    now = process_ids(lane.cluster)
    assert {node for node in now if now[node] != before[node]} == {third}, "a paused one is the same process"


def test_alarms_block_publishers_alone_and_lose_nothing(lane, faulty_case):
    case = faulty_case(
        NodeFault(at_s=1, kind="memory-alarm", node="leader", for_s=4),
        NodeFault(at_s=6, kind="disk-alarm", node="other", for_s=4),
        measure_s=11,
        **BACKLOG,
    )
    lane.prepare(case)
    before = process_ids(lane.cluster)
    rows, ledger = lane.run(case)
    for row in rows:
        assert_carried_out(row, measured_at(lane, case), COMMAND_LATEST_S)
    assert_none_lost(ledger)
    assert process_ids(lane.cluster) == before
    assert_only_consumed(lane, case, rows)


@pytest.mark.installed
def test_a_node_that_is_cut_off_from_its_peers_confirms_nothing_and_joins_them_again(lane, faulty_case):
    case = faulty_case(NodeFault(at_s=2, kind="partition", node="leader", for_s=4), measure_s=12)
    (queue,) = lane.prepare(case)
    leader, before = leader_of(lane, queue), process_ids(lane.cluster)
    (row,), ledger = lane.run(case)
    assert row["node"] == leader
    assert_carried_out(row, measured_at(lane, case), COMMAND_LATEST_S)
    assert_none_lost(ledger)
    now = process_ids(lane.cluster)
    assert {node for node in now if now[node] != before[node]} == {leader}


@pytest.fixture
def relayed_lane(cluster, children, monkeypatch, tmp_path) -> Iterator[Lane]:
    """One whose clients reach the nodes by a relay."""
    relay = ClientRelay(children, tmp_path)
    with fault_lane(monkeypatch, TARGET, cluster, relay) as made:
        yield made
    relay.stop()


def test_clients_that_are_cut_off_from_the_leader_wait_and_lose_nothing(relayed_lane, faulty_case):
    fault = NodeFault(at_s=2, kind="cut-clients", node="leader", for_s=3)
    case = faulty_case(fault, measure_s=9, connect_to="leader")
    (queue,) = relayed_lane.prepare(case)
    leader, before = leader_of(relayed_lane, queue), process_ids(relayed_lane.cluster)
    (row,), ledger = relayed_lane.run(case)
    assert (row["node"], row["in_sync"], row["extent"]) == (leader, True, None)
    measured_s = measured_at(relayed_lane, case)
    assert_carried_out(row, measured_s)
    assert_none_lost(ledger)
    # in a whole second of it: what came before it may be recorded a little later
    whole = range(ceil(row["done_at_s"] - measured_s), floor(row["back_at_s"] - measured_s))
    assert {"produce": 0, "consume": 0, "errors": 0} in [
        operations_in(relayed_lane, case, second) for second in whole
    ]
    assert process_ids(relayed_lane.cluster) == before


def test_clients_of_a_slow_network_wait_that_long_for_each_answer(relayed_lane, faulty_case):
    delay_s, producers = 0.25, 2
    fault = NodeFault(at_s=2, kind="slow-clients", node="leader", for_s=4, delay_ms=delay_s * 1e3)
    closed = {"rate": None, "window": 1, "connect_to": "leader", "producers": producers}
    case = faulty_case(fault, measure_s=9, **closed)
    relayed_lane.prepare(case)
    (row,), ledger = relayed_lane.run(case)
    assert row["extent"] == "250 ms later"
    measured_s = measured_at(relayed_lane, case)
    assert_carried_out(row, measured_s)
    assert_none_lost(ledger)
    slow_s = ceil(row["done_at_s"] - measured_s) + 1
    each_second = [operations_in(relayed_lane, case, second)["produce"] for second in range(9)]
    slow = operations_in(relayed_lane, case, slow_s)
    at_most = producers / delay_s + producers
    assert 0 < slow["produce"] <= at_most
    assert max(each_second) > at_most, "it answers soon before or afterwards"
    assert slow["errors"] == 0


LIMITS = "{vm_memory_monitor:get_vm_memory_high_watermark(), rabbit_disk_monitor:get_disk_free_limit()}."


@pytest.fixture
def lost_answer(lane, monkeypatch) -> Callable[[FaultOrder], FaultAnswer]:
    """Has the first command of an order carried out, and its answer lost."""
    evaluate, lost = lane.cluster.evaluate, threading.Event()

    def evaluated(node: str, expression: str, within_s: float) -> str:
        said = str(evaluate(node, expression, within_s))
        if not lost.is_set():
            lost.set()
            raise BreakevenError(f"an answer is lost: {said}")
        return said

    def carried_out(order: FaultOrder) -> FaultAnswer:
        monkeypatch.setattr(lane.cluster, "evaluate", evaluated)
        return lane.carry_out(order)

    return carried_out


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ALARMS)
def test_an_alarm_whose_answer_is_lost_is_in_effect_no_longer(lane, lost_answer, kind):
    node = lane.cluster.access.nodes[0].name
    before = lane.cluster.evaluate(node, LIMITS, PATIENCE_S)
    answer = lost_answer(order_of(kind, node))
    assert re.fullmatch(
        r"its alarm could not be raised: .*,true,.*; its limit was put back", str(answer.error)
    )
    assert answer.done_at_s is None
    assert lane.cluster.evaluate(node, LIMITS, PATIENCE_S) == before
    assert lane.cluster.evaluate(node, "rabbit_alarm:get_alarms().", PATIENCE_S) == "[]"


@pytest.mark.thorough
def test_a_node_that_was_cut_off_without_an_answer_is_restarted(lane, lost_answer):
    node = lane.cluster.access.nodes[2].name
    before = process_ids(lane.cluster)
    answer = lost_answer(order_of("partition", node))
    assert re.fullmatch(r"it could not be cut off: .*,2,0\}; the node was restarted", str(answer.error))
    now = process_ids(lane.cluster)
    assert {each for each in now if now[each] != before[each]} == {node}
    assert len(Management(lane.cluster.access).nodes()) == 3


@pytest.mark.thorough
def test_nothing_is_cut_off_that_nobody_waits_for_any_more(lane, monkeypatch):
    monkeypatch.setattr(node_alarms, "BEGUN_S", -1.0)
    node = lane.cluster.access.nodes[0].name
    with pytest.raises(BreakevenError, match="badmatch"):
        cut_off_at(lane.cluster.evaluate, node, time.time())
    assert lane.cluster.evaluate(node, "length(nodes()).", PATIENCE_S) == "2"


@pytest.mark.thorough
def test_a_node_is_back_while_another_is_away_and_one_that_is_slow_to_end_is_killed(lane, monkeypatch):
    first, second, third = (node.name for node in lane.cluster.access.nodes)
    assert lane.cluster.shut_down(third)
    monkeypatch.setattr(brokers, "SHUTDOWN_GRACE_S", 0.0)
    assert not lane.cluster.shut_down(second)
    try:
        lane.cluster.restart(second, lambda: {second, third})
        assert running_as_seen_by(lane, second) == {first, second}
    finally:
        lane.cluster.restart(third)
    assert running_as_seen_by(lane, second) == {first, second, third}


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
