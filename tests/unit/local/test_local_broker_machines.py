"""Which node an instance stands for, and who is told when it cannot start again. The real ones: tests/e2e."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, ClassVar

import pytest

from breakeven.agent import order_agent
from breakeven.agent.node_survey import Link, NodeSurvey, Times
from breakeven.brokers.access import Access, Node
from breakeven.errors import BreakevenError
from breakeven.installation import RUN_TAG, TARGET_TAG
from breakeven.results.fault_orders import FaultOrder, FaultOrders
from local.aws.ec2 import Launch
from local.children import Children
from local.servers import broker_machines
from local.servers.broker_machines import BrokerMachines
from tests.support.aws.moto_results import installed
from tests.support.workflow.processes import eventually

LAUNCH = Launch(("i-9", "i-1"), {RUN_TAG: "run", TARGET_TAG: "target"})


class Cluster:
    """Two nodes that are only names; ``restart`` fails when told to."""

    hold = threading.Event()
    done: ClassVar[list[tuple[str, str]]] = []
    refuses = False

    def __init__(
        self, children: Children, workdir: Any, credentials: Access, settings: Any, logs: Path, release: Any
    ) -> None:
        self.access, self._logs = credentials, logs

    def start(self) -> Access:
        self.hold.wait(10)
        nodes = [Node(name=name, host="h", amqp_port=1, management_port=1) for name in ("first", "second")]
        self.access = self.access.model_copy(update={"nodes": tuple(nodes)})
        return self.access

    def shut_down(self, node: str) -> bool:
        self.done.append(("down", node))
        return True

    def restart(self, node: str, away: Callable[[], Collection[str]] = tuple) -> None:
        self.done.append(("up", node))
        if self.refuses:
            raise BreakevenError("no disk")

    def evaluate(self, node: str, expression: str, within_s: float) -> str:
        return "{{3,1000000,2000000},[{second,{2,1000,2000},5000}]}"

    def runs(self, node: str) -> bool:
        return True

    def signal(self, node: str, number: signal.Signals) -> None:
        self.done.append((number.name, node))

    def stop(self) -> None:
        self.done.append(("stop", ""))

    def keep_logs(self) -> None:
        self._logs.mkdir(parents=True, exist_ok=True)
        (self._logs / "first.log").write_text("so far")


class Lane:
    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, children: Children, folder: Any, orders: Any = None
    ) -> None:
        for name, value in (("hold", threading.Event()), ("done", []), ("refuses", False)):
            monkeypatch.setattr(Cluster, name, value)
        monkeypatch.setattr(broker_machines, "BrokerCluster", Cluster)
        self.folder, self.registered, self.surveys = folder, {}, {}
        self.failures: list[tuple[str, ...]] = []
        self.machines = BrokerMachines(
            children,
            folder,
            register=self._register,
            access_for=lambda run, target: Access(username="u", password="p"),
            failed=lambda *reported: self.failures.append(reported),
            logs=folder,
            orders_for=lambda run, target: orders if (run, target) == ("run", "target") else None,
        )
        self.machines.launch(LAUNCH)

    def _register(self, run: str, target: str, instance: str, node: Node) -> None:
        self.surveys[node.name] = node.survey
        self.registered[instance] = node.name


@pytest.fixture
def lane(monkeypatch, children, tmp_path):
    return Lane(monkeypatch, children, tmp_path)


def up(lane: Lane) -> Lane:
    Cluster.hold.set()
    assert eventually(lambda: len(lane.registered) == 2)
    return lane


def test_the_node_that_goes_down_and_up_is_the_one_that_registered_for_the_instance(lane):
    up(lane)
    assert lane.registered == {"i-9": "first", "i-1": "second"}
    lane.machines.stop(("i-1",))
    assert Cluster.done == [("down", "second")], "once the call returns"
    lane.machines.start(("i-1",))
    assert eventually(lambda: Cluster.done == [("down", "second"), ("up", "second")])
    assert lane.failures == []


def test_the_first_node_registers_with_what_it_found_for_all(lane):
    up(lane)
    links = (Link("second", Times(2, 0.001, 0.002), 5000.0),)
    assert lane.surveys == {"first": NodeSurvey(Times(3, 1.0, 2.0), links), "second": None}


def test_a_node_that_cannot_start_again_is_reported_to_the_lane(lane):
    up(lane)
    Cluster.refuses = True
    lane.machines.start(("i-9",))
    assert eventually(lambda: lane.failures == [("run", "target", "i-9", "no disk")])


def test_what_fails_because_the_lane_ends_is_nobodys_failure(lane):
    up(lane)
    Cluster.refuses = True
    restarting = lane.machines._lanes["i-1"]
    lane.machines.terminate(LAUNCH.instance_ids)
    lane.machines._lanes["i-1"] = restarting  # as a start that was under way still knows it
    lane.machines._restart("i-1")
    assert ("up", "second") in Cluster.done
    assert lane.failures == []


def test_what_is_not_up_yet_cannot_be_stopped(lane):
    with pytest.raises(BreakevenError, match="i-1 has not started yet"):
        lane.machines.stop(("i-1",))
    Cluster.hold.set()


def test_logs_of_nodes_that_still_run_are_brought_when_they_are_asked_for(lane):
    up(lane)
    lane.machines.keep_logs()
    assert (lane.folder / "target" / "first.log").read_text() == "so far"


def test_a_lane_carries_out_the_faults_that_its_cases_order_and_ends_with_its_nodes(
    monkeypatch, children, tmp_path
):
    monkeypatch.setattr(order_agent, "LOOK_EVERY_S", 0.02)
    monkeypatch.setattr(order_agent, "LATE_S", 20.0)  # a busy machine may find an order seconds late
    with installed(monkeypatch) as services:
        orders = FaultOrders(services.store, "run", "target")
        lane = up(Lane(monkeypatch, children, tmp_path, orders))
        Cluster.refuses = True
        order = FaultOrder(
            case_id="case",
            attempt=1,
            number=1,
            kind="kill",
            aimed_at="2",
            node="second",
            due_at_s=time.time() + 0.2,
            for_s=0.1,
            in_sync=True,
        )
        orders.give(order)
        assert eventually(lambda: lane.failures == [("run", "target", "i-1", "no disk")], 20)
        assert Cluster.done == [("SIGKILL", "second"), ("up", "second")]
        lane.machines.terminate(LAUNCH.instance_ids)
        threads = threading.enumerate
        assert eventually(lambda: not any(each.name.startswith("fault") for each in threads()), 20)
