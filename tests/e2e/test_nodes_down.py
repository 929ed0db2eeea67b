"""A case with a node of the pair down: it runs on the one that is left, and the pair is whole after it.

The synthesized workflow, real handlers, and a lane of its own whose nodes are stopped and started for real.
One of the cases with a node down fails: what comes after it finds both nodes up all the same.
"""

from __future__ import annotations

import json
import re
import threading
from typing import Any

import pytest

from breakeven.brokers.access import Access, Node
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.results import layout
from breakeven.results.items import RUN
from breakeven.results.state import RunState
from breakeven.results.store import Store
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from breakeven.targets.rabbitmq.rabbitmq_mirrored_pair import RabbitMQMirroredPair
from breakeven.workload.read import parse_suite, parse_yaml
from local.aws.control_plane import ControlPlane
from local.children import Children
from local.servers.broker_machines import BrokerMachines
from tests.support.aws.definition import STACK
from tests.support.aws.executions import wait_for

pytestmark = pytest.mark.installed

RUN_ID, TARGET = "nodes-down", "rabbitmq-mirrored-pair"
#: the seed puts a case that needs both nodes last; a second of a probe tells nothing of a backlog's growth
SUITE = """
suite: nodes-down
title: Cases with one node down
targets: [rabbitmq-mirrored-pair]
instrument: false
warm_up: false
seed: 0
defaults: {threads: 1, warmup_s: 0, measure_s: 1, drain_s: 10, message_size: 16B}
scenarios:
  breaks: {nodes_down: 1}
  capacity: {mode: capacity, rate: 4000, measure_s: 4, nodes_down: 1}
  parallel: {}
"""
BREAKS = f"breaks.nodes-down-1.{TARGET}.r1"
CAPACITY = f"capacity.rate-4000-nodes-down-1.{TARGET}.r1"
WHOLE = f"parallel.threads-1.{TARGET}.r1"


class Lane:
    """What stands for EC2, and what the functions see of the pair when they are called."""

    def __init__(self, children: Children, folder: Any) -> None:
        self.machines = BrokerMachines(children, folder, self._register, self._access, self._failed)
        self.outputs: dict[str, str] = {}
        self.plane: ControlPlane | None = None
        self.seen: list[tuple[str, str | None, list[bool], str | None]] = []
        self._lock = threading.Lock()

    def on_invoke(self, function: str, event: Any) -> dict[str, Any] | None:
        (entry,) = re.findall(r"Functions([A-Za-z]+?)(?:InVpc|Outside)?[0-9A-F]{8}", function)
        case_id = event.get("case_id")
        if entry in ("PrepareCase", "SettleCase", "FailCase", "ReleaseLane"):
            self._look(entry, case_id)
        return {"raise": "Injected"} if (entry, case_id) == ("Load", BREAKS) else None

    @property
    def store(self) -> Store:
        assert self.plane
        return Store(self.plane.client("s3"), self.outputs["BucketName"])

    def _look(self, entry: str, case_id: str | None) -> None:
        access = self._access(RUN_ID, TARGET)
        reported = {str(node["name"]): bool(node.get("running")) for node in Management(access).nodes()}
        running = [reported[node.name] for node in access.nodes]
        with self._lock:
            self.seen.append((entry, case_id, running, RabbitMQMirroredPair(access).lacking()))

    def _register(self, run_id: str, target: str, instance: str, node: Node) -> None:
        key = f"{layout.nodes_prefix(run_id, target)}{instance}.json"
        self.store.put_bytes(key, node.model_dump_json().encode())

    def _access(self, run_id: str, target: str) -> Access:
        return Access.model_validate(self.store.get_json(layout.access_key(run_id, target)))

    def _failed(self, run_id: str, target: str, instance: str, reason: str) -> None:
        key = f"{layout.nodes_prefix(run_id, target)}{instance}.failed"
        self.store.put_bytes(key, reason.encode())


@pytest.fixture(scope="module")
def run(assembly, tmp_path_factory):
    """The run's end: how it was seen on its way, its report and its state."""
    folder = tmp_path_factory.mktemp("nodes-down")
    with Children() as children:
        lane = Lane(children, folder / "brokers")
        with ControlPlane(
            children=children,
            cloud_assembly=assembly,
            machines=lane.machines,
            env={},
            log_dir=folder / "logs",
            on_invoke=lane.on_invoke,
        ) as plane:
            lane.plane, lane.outputs = plane, plane.deploy(STACK)
            suite = parse_suite(parse_yaml(SUITE.encode(), "test"), "test").document()
            wanted = {"suite": suite, "surroundings": {"name": "local"}}
            arn = plane.start(lane.outputs["StateMachineArn"], wanted, name=RUN_ID)
            status = str(wait_for(plane, arn)["status"])
            state = RunState(plane.resource("dynamodb").Table(lane.outputs["StateTableName"]), RUN_ID)
            document = json.loads(lane.store.get_bytes(layout.report_key(RUN_ID, "report.json")))
            yield status, state.items(), lane, Report.model_validate(document)
            assert children.running() == [] or all("RabbitMQ" not in name for name in children.running())


@pytest.fixture
def cases(run) -> dict[str, CaseReport]:
    return {case.case_id: case for case in run[3].cases}


def test_the_run_goes_on_after_a_case_that_failed_with_a_node_down(run, cases):
    status, state, _, _ = run
    assert (status, state[RUN]["status"]) == ("SUCCEEDED", "partial")
    reported = {case_id: case.status for case_id, case in cases.items()}
    assert reported == {BREAKS: "failed", CAPACITY: "ok", WHOLE: "ok"}, [
        case.reason for case in cases.values()
    ]
    assert "Injected" in str(cases[BREAKS].reason)


def test_one_node_is_down_for_the_whole_of_the_cases_that_want_it(run):
    looks = {(entry, case_id): running for entry, case_id, running, _ in run[2].seen}
    for case_id, end in ((BREAKS, "FailCase"), (CAPACITY, "SettleCase")):
        assert looks["PrepareCase", case_id] == looks[end, case_id] == [True, False]


def test_the_pair_is_whole_and_in_sync_for_what_comes_after(run):
    looks = {(entry, case_id): (running, lacking) for entry, case_id, running, lacking in run[2].seen}
    order = [case_id for entry, case_id, _, _ in run[2].seen if entry == "PrepareCase"]
    assert order[-1] == WHOLE, "it comes after those with a node down"
    for key in (("PrepareCase", WHOLE), ("SettleCase", WHOLE), ("ReleaseLane", None)):
        assert looks[key] == ([True, True], None)


def test_the_search_found_a_rate_and_the_report_says_that_a_node_was_down(cases):
    case = cases[CAPACITY]
    assert any(probe.held for probe in case.probes)
    assert case.ledger
    assert case.ledger.lost == 0
    assert case.ledger.received > 0
    assert case.parameters["nodes_down"] == 1
    assert "nodes_down" in case.flags
    assert "mirrors_out_of_sync" not in case.flags
    assert case.mirrors
    assert set(case.mirrors["before"].values()) == set(case.mirrors["after"].values()) == {0}


def test_with_both_nodes_there_is_a_mirror_and_no_such_flag(cases):
    case = cases[WHOLE]
    assert case.mirrors
    assert set(case.mirrors["before"].values()) == set(case.mirrors["after"].values()) == {1}
    assert not {"nodes_down", "mirrors_out_of_sync"} & set(case.flags)
    assert "nodes_down" not in case.parameters
