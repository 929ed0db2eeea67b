"""A failure and a time-out at every state in turn: brokers are let go, and the record says where.

The synthesized workflow, real handlers, a real pair. Where a time-out is injected, the states that it is
injected at have a short limit; every other limit is the deployed one, so that a slow machine meets none of
them. What stands for EC2 here hands out the session's pair and notes what was launched and terminated.
"""

from __future__ import annotations

import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest
from moto.sns.exceptions import SNSNotFoundError
from moto.sns.models import SNSBackend

from breakeven.results import layout
from breakeven.results.state import RUN, RunState
from breakeven.results.store import Store
from breakeven.targets.base import Access
from breakeven.workload.read import parse_suite, parse_yaml
from local import athena
from local.children import Children
from local.control_plane import ControlPlane
from local.machines import Launch
from local.sql_engine import SqlError
from tests.infra.definition import STACK, states

AT_ONCE = 8
#: what fails before any broker is launched
NO_BROKERS_YET = ("Plan", "LaunchBrokers")
#: limit of a state that is to time out, seconds
SHORT_S = 4
#: longer than any function may take: it is killed before it does anything
SLEEP_S = 1000

SUITE = """
suite: one-case
title: One short case
targets: [rabbitmq-mirrored-pair]
instrument: false
scenarios:
  parallel: {threads: 1, warmup_s: 0, measure_s: 1, drain_s: 10, message_size: 16B}
"""


#: what is no function of ours -> the resource of its states
SERVICES = {"Queries": "athena:startQueryExecution", "Notify": "sns:publish"}


def functions_of(entry: str) -> str:
    """The pattern of the names that the entry's functions have."""
    return rf"Functions{entry}(InVpc|Outside)?[0-9A-F]{{8}}"


@dataclass
class Fault:
    """``entry``: the function or service that fails; ``kind``: raise or timeout."""

    entry: str
    kind: str

    def hits(self, resource: str) -> bool:
        """Whether a function of that name, or a task of that resource, is what fails."""
        return re.search(SERVICES.get(self.entry) or functions_of(self.entry), resource) is not None


@dataclass
class Machines:
    """Hands out a pair that runs already; remembers each run's instances."""

    access: Access
    plane: ControlPlane | None = None
    bucket: str = ""
    launched: dict[str, set[str]] = field(default_factory=dict)
    terminated: set[str] = field(default_factory=set)

    def launch(self, launch: Launch) -> None:
        run_id, target = launch.tags["breakeven:run"], launch.tags["breakeven:target"]
        self.launched.setdefault(run_id, set()).update(launch.instance_ids)
        threading.Thread(target=self._register, args=(run_id, target, launch.instance_ids)).start()

    def stop(self, instance_ids: tuple[str, ...]) -> None:
        raise AssertionError("no case here wants a node down")

    start = stop

    def terminate(self, instance_ids: tuple[str, ...]) -> None:
        self.terminated.update(instance_ids)

    def _register(self, run_id: str, target: str, ids: tuple[str, ...]) -> None:
        store = Store(self.plane.client("s3"), self.bucket)
        credentials = self.access.model_copy(update={"nodes": ()})
        store.put_secret(layout.access_key(run_id, target), credentials.model_dump_json())
        for instance, node in zip(ids, self.access.nodes, strict=True):
            key = f"{layout.nodes_prefix(run_id, target)}{instance}.json"
            store.put_bytes(key, node.model_dump_json().encode())


@dataclass
class Workflow:
    plane: ControlPlane
    outputs: dict[str, str]
    machines: Machines
    faults: dict[str, list[Fault]]

    def run(self, run_id: str, *faults: Fault) -> str:
        """Run the suite with the faults to its end; the execution's status."""
        self.faults[run_id] = list(faults)
        suite = parse_suite_text(SUITE)
        wanted = {"suite": suite, "surroundings": {"name": "local"}}
        arn = self.plane.start(self._machine(run_id, faults), wanted, name=run_id)
        return str(self.plane.wait(arn)["status"])

    def _machine(self, run_id: str, faults: tuple[Fault, ...]) -> str:
        """The deployed state machine; where a time-out is wanted, one like it with short limits there."""
        arn = self.outputs["StateMachineArn"]
        hanging = [fault for fault in faults if fault.kind == "timeout"]
        if not hanging:
            return arn
        api = self.plane.client("stepfunctions")
        deployed = api.describe_state_machine(stateMachineArn=arn)
        definition = shortened(deployed["definition"], hanging)
        made = api.create_state_machine(name=run_id, definition=definition, roleArn=deployed["roleArn"])
        return str(made["stateMachineArn"])

    def state(self, run_id: str) -> RunState:
        return RunState(self.plane.resource("dynamodb").Table(self.outputs["StateTableName"]), run_id)

    def store(self) -> Store:
        return Store(self.plane.client("s3"), self.outputs["BucketName"])


def parse_suite_text(text: str) -> dict[str, Any]:
    return parse_suite(parse_yaml(text.encode(), "test"), "test").document()


def shortened(definition: str, hanging: list[Fault]) -> str:
    """The definition with a short limit at each state that is to time out."""
    tree = json.loads(definition)
    for fault in hanging:
        hit = [state for state in states(tree).values() if fault.hits(state.get("Resource", ""))]
        assert hit, fault.entry
        for state in hit:
            state["TimeoutSeconds"] = SHORT_S
    return json.dumps(tree)


@pytest.fixture(scope="module")
def workflow(assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory):
    folder = tmp_path_factory.mktemp("failures")
    faults: dict[str, list[Fault]] = {}

    def on_invoke(function: str, event: Any) -> dict[str, Any] | None:
        run_id = event.get("run_id") or event["state"]["run_id"]
        for fault in faults.get(run_id, []):
            if fault.hits(function):
                return {"raise": "Injected"} if fault.kind == "raise" else {"sleep": SLEEP_S}
        return None

    machines = Machines(rabbitmq_pair)
    with (
        Children() as children,
        ControlPlane(
            children=children,
            cloud_assembly=assembly,
            machines=machines,
            env={"AWS_ENDPOINT_URL_SQS": sqs_endpoint},
            log_dir=folder / "logs",
            on_invoke=on_invoke,
        ) as plane,
    ):
        outputs = plane.deploy(STACK)
        machines.plane, machines.bucket = plane, outputs["BucketName"]
        yield Workflow(plane, outputs, machines, faults)


def run_name(*parts: str) -> str:
    return "-".join(parts)


#: what fails -> where the record must say that it did: an attribute of the run's item, and its value
OF_THE_RUN = {
    "Plan": ("failed_at", "Plan"),
    "LaunchBrokers": ("leg_failed_at", "BrokerLaunchBrokers"),
    "EstablishLane": ("leg_failed_at", "BrokerEstablishLane"),
    "ReleaseLane": ("release_failed_at", "ReleaseLane"),
    "ReleaseRun": ("failed_at", "ReleaseRun"),
    "BuildReport": ("failed_at", "BuildReport"),
    "FinishRun": ("failed_at", "FinishRun"),
}
#: what fails -> the state that the case's reason names
OF_THE_CASE = {
    "PrepareCase": "BrokerPrepareCase",
    "Load": "BrokerDrive",
    "Watch": "BrokerDrive",
    "SettleCase": "BrokerSettleCase",
}
KINDS = ("raise", "timeout")


@pytest.fixture(scope="module")
def outcomes(workflow):
    """Every single fault, a few at once; run id -> the execution's status."""
    names = {
        run_name(entry, kind): [Fault(entry, kind)] for entry in (*OF_THE_RUN, *OF_THE_CASE) for kind in KINDS
    }
    names |= {
        run_name("FailCase", kind): [Fault("PrepareCase", "raise"), Fault("FailCase", kind)] for kind in KINDS
    }
    names |= {
        run_name("FailLeg", kind): [Fault("EstablishLane", "raise"), Fault("FailLeg", kind)] for kind in KINDS
    }
    statuses = {"healthy": workflow.run("healthy")}  # alone: after it the functions are warm
    waits_first = sorted(names.items(), key=lambda item: "timeout" not in item[0])
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = {name: pool.submit(workflow.run, name, *faults) for name, faults in waits_first}
        return statuses | {name: future.result() for name, future in running.items()}


def assert_all_let_go(workflow: Workflow, run_id: str) -> None:
    launched = workflow.machines.launched.get(run_id, set())
    assert len(launched) == (0 if run_id.startswith(NO_BROKERS_YET) else 2), run_id
    assert launched <= workflow.machines.terminated, run_id
    assert workflow.store().keys(layout.secrets_prefix(run_id)) == []


def test_without_a_fault_all_is_well(workflow, outcomes):
    assert outcomes["healthy"] == "SUCCEEDED"
    assert workflow.state("healthy").get(RUN)["status"] == "ok"
    assert_all_let_go(workflow, "healthy")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry", OF_THE_RUN)
def test_a_fault_of_the_run_is_on_record(workflow, outcomes, entry, kind):
    run_id = run_name(entry, kind)
    attribute, where = OF_THE_RUN[entry]
    assert workflow.state(run_id).get(RUN).get(attribute) == where
    assert_all_let_go(workflow, run_id)
    ends_well = entry in {"LaunchBrokers", "EstablishLane", "ReleaseLane"}
    assert outcomes[run_id] == ("SUCCEEDED" if ends_well else "FAILED")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry", OF_THE_CASE)
def test_a_fault_of_a_case_is_its_reason_and_the_run_goes_on(workflow, outcomes, entry, kind):
    run_id = run_name(entry, kind)
    (case,) = workflow.state(run_id).items("case#").values()
    error = "Injected" if kind == "raise" else "States.Timeout"
    assert case["status"] == "failed"
    assert case["reason"].startswith(f"{OF_THE_CASE[entry]}: {error}")
    assert workflow.state(run_id).get(RUN)["status"] == "partial"
    assert outcomes[run_id] == "SUCCEEDED"
    assert workflow.store().get_bytes(layout.report_key(run_id, "report.json"))
    assert_all_let_go(workflow, run_id)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry", ["FailCase", "FailLeg"])
def test_a_failure_that_cannot_even_be_recorded_still_lets_brokers_go(workflow, outcomes, entry, kind):
    run_id = run_name(entry, kind)
    assert outcomes[run_id] == "SUCCEEDED"
    assert workflow.state(run_id).get(RUN)["status"] == "partial"
    assert_all_let_go(workflow, run_id)


@pytest.mark.parametrize("kind", KINDS)
def test_a_query_that_fails_or_hangs_is_on_record(workflow, monkeypatch, kind):
    def broken(*_: Any, **__: Any) -> None:
        if kind == "timeout":
            time.sleep(2 * SHORT_S)
        raise SqlError("injected")

    monkeypatch.setattr(athena, "run", broken)
    run_id = run_name("Queries", kind)
    assert workflow.run(run_id, Fault("Queries", kind)) == "FAILED"
    assert workflow.state(run_id).get(RUN)["failed_at"] == "Queries"
    assert_all_let_go(workflow, run_id)


@pytest.mark.parametrize("kind", KINDS)
def test_a_notification_that_fails_or_hangs_is_on_record_and_the_report_is_there(workflow, monkeypatch, kind):
    def broken(*_: Any, **__: Any) -> None:
        if kind == "timeout":
            time.sleep(2 * SHORT_S)
        raise SNSNotFoundError("injected")

    monkeypatch.setattr(SNSBackend, "publish", broken)
    run_id = run_name("Notify", kind)
    assert workflow.run(run_id, Fault("Notify", kind)) == "FAILED"
    assert workflow.state(run_id).get(RUN)["failed_at"] == "Notify"
    assert workflow.store().get_bytes(layout.report_key(run_id, "report.json"))
    assert_all_let_go(workflow, run_id)
