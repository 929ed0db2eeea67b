"""Faults of real nodes in mid-case: ordered by the watch, carried out by the agent, settled as rows.

The steps are the workflow's own, with a bucket and a state table in moto; the loader, the watch and the agent
are threads beside one another. ``tests/e2e/test_five_nodes.py`` has a fault in a whole run.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from breakeven.brokers.access import Access
from breakeven.results import layout
from breakeven.results.fault_orders import FaultOrders
from breakeven.results.items import case_item
from breakeven.steps.case.load import load
from breakeven.steps.case.settle_case import settle
from breakeven.steps.case.watch import watch
from breakeven.targets.rabbitmq_cluster import ClusterSettings
from breakeven.targets.rabbitmq_management import Management
from breakeven.targets.target import open_target
from breakeven.workload.case import Case
from breakeven.workload.node_faults import NodeFault
from local.servers.broker_releases import release_of
from local.servers.brokers import BrokerCluster
from local.servers.fault_agent import NOT_RUNNING, FaultAgent
from tests.support.aws.moto_results import installed
from tests.support.loaders.live_case import PATIENCE_S
from tests.support.workflow.processes import eventually

TARGET = "rabbitmq-quorum-trio"
CREDENTIALS = Access(username="breakeven-faults", password="the-seventh-one")
#: after a node is back, its queues have their members again
LATEST_S = 1.0


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


class Lane:
    """A lane with its agent, and cases that are run in it."""

    def __init__(self, services: Any, cluster: BrokerCluster) -> None:
        self.services, self.cluster = services, cluster
        self.target = open_target(TARGET, cluster.access)
        self.failures: list[tuple[str, str]] = []
        services.keep_access("run", TARGET, cluster.access)
        orders = FaultOrders(services.store, "run", TARGET)
        self.agent = FaultAgent(orders, cluster, lambda *told: self.failures.append(told))
        self.agent.start()

    def prepare(self, case: Case) -> tuple[str, ...]:
        queues = self.target.prepare(case, attempt=1).queues
        self.services.store.put_json(layout.case_key("run", case.case_id), case.model_dump(mode="json"))
        self.services.state("run").update(case_item(case.case_id), queues=json.dumps(queues), attempt=1)
        return queues

    def run(self, case: Case) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """The rows of its faults, and its ledger."""
        with ThreadPoolExecutor(2) as pool:
            watching = pool.submit(watch, self.services, "run", case.case_id, 1, PATIENCE_S)
            pool.submit(load, self.services, "run", case.case_id, 1, 0).result(PATIENCE_S)
            watching.result(PATIENCE_S)
        assert settle(self.services, "run", case.case_id, 1)
        (ledger,) = self.services.store.rows("ledgers", "run", case.case_id)
        return self.services.store.rows("faults", "run", case.case_id), ledger


@pytest.fixture
def lane(cluster, monkeypatch) -> Iterator[Lane]:
    with installed(monkeypatch) as services:
        made = Lane(services, cluster)
        yield made
        made.agent.end()
        threads = threading.enumerate
        assert eventually(lambda: not any(each.name.startswith("fault") for each in threads())), (
            "before moto goes"
        )
        assert made.failures == []
        assert eventually(lambda: made.target.lacking() is None, PATIENCE_S), "it is left as it was found"


@pytest.fixture
def faulty_case(queue_case):
    def make(*faults: NodeFault, **fields: Any) -> Case:
        workers = {"producers": 2, "consumers": 2, "group_size": 3, "client": "native", "rate": 100}
        settings = {"warmup_s": 1, "drain_s": 60, "consume": "push", "prefetch": 50, "window": 50}
        case = queue_case(
            TARGET, **workers, **settings, faults=[each.model_dump() for each in faults], **fields
        )
        return case.model_copy(update={"limit_s": PATIENCE_S, "start_deadline_s": PATIENCE_S})

    return make


def leader_of(lane: Lane, queue: str) -> str:
    return str(Management(lane.cluster.access).queue(queue)["leader"])


def assert_none_lost(ledger: dict[str, Any]) -> None:
    assert ledger["sent"] == sum(ledger[kind] for kind in ("confirmed", "returned", "nacked", "unknown"))
    assert ledger["sent"] == ledger["received"] + ledger["missing"] + ledger["left_in_queue"]
    assert (ledger["lost"], ledger["left_in_queue"]) == (0, 0)
    assert ledger["confirmed"] > 0


def assert_carried_out(row: dict[str, Any], measured_s: float) -> None:
    """At its second of the measured stage, and for as long as was asked for."""
    assert row["error"] is None
    assert row["due_at_s"] == pytest.approx(measured_s + row["due_s"], abs=0.01)
    assert 0 <= row["done_at_s"] - row["due_at_s"] < LATEST_S
    assert row["back_at_s"] - row["done_at_s"] >= row["for_s"] - 0.01


def measured_at(lane: Lane, case: Case) -> float:
    key = layout.loader_key("run", case.case_id, 1, 0, "result")
    return float(lane.services.store.get_json(key)["stages"]["measure"])


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
