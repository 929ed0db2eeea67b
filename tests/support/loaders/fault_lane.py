"""A lane on real nodes with the agent of its faults: cases are ordered, carried out and settled in it.

The steps are the workflow's own, with a bucket and a state table in moto; the loader, the watch and the agent
are threads beside one another.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from math import ceil, floor
from typing import Any

import pytest

from breakeven.agent.node_orders import FaultAnswer
from breakeven.agent.order_agent import FaultAgent
from breakeven.results import layout
from breakeven.results.fault_orders import FaultOrder, FaultOrders
from breakeven.results.items import case_item
from breakeven.steps.case.load import load
from breakeven.steps.case.settle_case import settle
from breakeven.steps.case.watch import watch
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from breakeven.targets.target import open_target
from breakeven.terms import TargetName
from breakeven.workload.case import Case
from breakeven.workload.node_faults import FaultKind, NodeFault
from local.servers.brokers import BrokerCluster
from local.servers.relay.client_relay import ClientRelay
from tests.support.aws.moto_results import installed
from tests.support.loaders.live_case import PATIENCE_S
from tests.support.workflow.processes import eventually

#: after a node is back, its queues have their members again
LATEST_S = 1.0
#: of one that a command begins, which a busy machine may take longer to start than the time ahead of it
COMMAND_LATEST_S = 20.0
#: so that there is something to consume while nothing is published: 200 a second of it
BACKLOG = {"prefill": 1200, "processing_ms": 10}


class Lane:
    """A lane of that target with its agent, and cases that are run in it.

    :param relay: before the cluster's nodes, for clients of cases with faults of that network
    """

    def __init__(
        self, services: Any, target: TargetName, cluster: BrokerCluster, relay: ClientRelay | None = None
    ) -> None:
        self.services, self.cluster = services, cluster
        nodes = relay.start(cluster.access.nodes) if relay else cluster.access.nodes
        access = cluster.access.model_copy(update={"nodes": nodes})
        self.target = open_target(target, cluster.access)
        self.failures: list[tuple[str, str]] = []
        services.keep_access("run", target, access)
        self.orders = FaultOrders(services.store, "run", target)
        self.agent = FaultAgent(
            self.orders, cluster, lambda *noted: self.failures.append(noted), network=relay
        )
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

    def carry_out(self, order: FaultOrder) -> FaultAnswer:
        """One order without a case; its answer, once it is over."""
        self.orders.give(order)

        def over() -> list[FaultAnswer]:
            answers = self.orders.answered(order.case_id, order.attempt).values()
            return [answer for answer in answers if answer.over]

        assert eventually(over, PATIENCE_S)
        return over()[0]


@contextmanager
def fault_lane(
    monkeypatch: pytest.MonkeyPatch,
    target: TargetName,
    cluster: BrokerCluster,
    relay: ClientRelay | None = None,
) -> Iterator[Lane]:
    with installed(monkeypatch) as services:
        made = Lane(services, target, cluster, relay)
        yield made
        made.agent.end()
        threads = threading.enumerate
        assert eventually(lambda: not any(each.name.startswith("fault") for each in threads())), (
            "before moto goes"
        )
        assert made.failures == []
        assert eventually(lambda: made.target.lacking() is None, PATIENCE_S), "it is left as it was found"


def case_with_faults(
    queue_case: Callable[..., Case], target: TargetName, *faults: NodeFault, **fields: Any
) -> Case:
    workers = {"producers": 2, "consumers": 2, "client": "native", "rate": 100}
    settings = {"warmup_s": 1, "drain_s": 60, "consume": "push", "prefetch": 50, "window": 50}
    given = {**workers, **settings, "faults": [each.model_dump() for each in faults], **fields}
    case = queue_case(target, **given)
    return case.model_copy(update={"limit_s": PATIENCE_S, "start_deadline_s": PATIENCE_S})


def order_of(kind: FaultKind, node: str) -> FaultOrder:
    times = {"due_at_s": time.time() + 3.0, "for_s": 1.0}
    return FaultOrder(
        case_id="none", attempt=1, number=1, kind=kind, aimed_at="1", node=node, in_sync=True, **times
    )


def running_as_seen_by(lane: Lane, name: str) -> set[str]:
    (node,) = (each for each in lane.cluster.access.nodes if each.name == name)
    seen = Management(lane.cluster.access.model_copy(update={"nodes": (node,)})).nodes()
    return {str(each["name"]) for each in seen if each["running"]}


def leader_of(lane: Lane, queue: str) -> str:
    return str(Management(lane.cluster.access).queue(queue)["leader"])


def assert_none_lost(ledger: dict[str, Any]) -> None:
    assert ledger["sent"] == sum(ledger[kind] for kind in ("confirmed", "returned", "nacked", "unknown"))
    assert ledger["sent"] == ledger["received"] + ledger["missing"] + ledger["left_in_queue"]
    assert (ledger["lost"], ledger["left_in_queue"]) == (0, 0)
    assert ledger["confirmed"] > 0


def assert_carried_out(row: dict[str, Any], measured_s: float, latest_s: float = LATEST_S) -> None:
    """At its second of the measured stage, and for as long as was asked for."""
    assert row["error"] is None
    assert row["due_at_s"] == pytest.approx(measured_s + row["due_s"], abs=0.01)
    assert 0 <= row["done_at_s"] - row["due_at_s"] < latest_s
    assert row["back_at_s"] - row["done_at_s"] >= row["for_s"] - 0.01


def measured_at(lane: Lane, case: Case) -> float:
    key = layout.loader_key("run", case.case_id, 1, 0, "result")
    return float(lane.services.store.get_json(key)["stages"]["measure"])


def operations_in(lane: Lane, case: Case, second: int) -> dict[str, int]:
    """Messages of one second of the measured stage, by metric, and all calls that failed in the stage."""
    windows = [
        row for row in lane.services.store.rows("windows", "run", case.case_id) if row["stage"] == "measure"
    ]
    done = {
        metric: sum(
            row["operations"] for row in windows if (row["metric"], row["second"]) == (metric, second)
        )
        for metric in ("produce", "consume")
    }
    return {**done, "errors": sum(row["errors"] for row in windows)}


def assert_only_consumed(lane: Lane, case: Case, rows: list[dict[str, Any]]) -> None:
    """In a whole second of each alarm, the first or, where what was sent before it is answered in that, a
    later one; no call fails meanwhile, however long its answer takes.
    """
    measured_s, consumed = measured_at(lane, case), 0
    for row in rows:
        whole = range(ceil(row["done_at_s"] - measured_s), floor(row["back_at_s"] - measured_s))
        done = [operations_in(lane, case, second) for second in whole]
        assert not any(each["errors"] for each in done)
        quiet = [each for each in done if each["produce"] == 0]
        assert quiet, done
        consumed += sum(each["consume"] for each in quiet)
    assert consumed > 0


def assert_rolled(lane: Lane, case: Case, rows: list[dict[str, Any]], ledger: dict[str, Any]) -> None:
    """Every node was taken once, each after the one before was back."""
    names = [node.name for node in lane.cluster.access.nodes]
    assert [(row["number"], row["aimed_at"], row["node"]) for row in rows] == [
        (number, str(number), name) for number, name in enumerate(names, 1)
    ]
    assert_carried_out(rows[0], measured_at(lane, case))
    for before, row in pairwise(rows):
        assert (row["error"], row["in_sync"]) == (None, True)
        assert row["done_at_s"] > before["back_at_s"]
    assert_none_lost(ledger)
