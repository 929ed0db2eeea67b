"""A failure and a time-out at every state in turn: brokers are let go, and the record says where.

The synthesized workflow, real handlers, a real pair. Where a time-out is injected, the states that it is
injected at have a short limit; every other limit is the deployed one, so that a slow machine meets none of
them. See ``workflow_runs`` for what stands for EC2.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from moto.dynamodb.exceptions import MockValidationException
from moto.dynamodb.models import DynamoDBBackend
from moto.sns.exceptions import SNSNotFoundError
from moto.sns.models import SNSBackend

from breakeven.results import layout
from breakeven.results.state import RUN
from local import athena
from local.sql_engine import SqlError
from tests.e2e.workflow_runs import (
    SERVICES,
    SHORT_S,
    SUITE,
    Fault,
    Workflow,
    parse_suite_text,
    workflow_at,
)
from tests.infra.definition import states

AT_ONCE = 10
#: what fails before any broker is launched
NO_BROKERS_YET = ("Plan", "TakeLock", "WakeFunctions", "LaunchBrokers")


@pytest.fixture(scope="module")
def workflow(assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory):
    with workflow_at(assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory.mktemp("failures")) as made:
        yield made


def run_name(*parts: str) -> str:
    return "-".join(parts)


#: what fails -> where the record must say that it did: an attribute of the run's item, and its value
OF_THE_RUN = {
    "Plan": ("failed_at", "Plan"),
    "TakeLock": ("failed_at", "TakeLock"),
    "WakeFunctions": ("leg_failed_at", "BrokerWakeFunctions"),
    "LaunchBrokers": ("leg_failed_at", "BrokerLaunchBrokers"),
    "EstablishLane": ("leg_failed_at", "BrokerEstablishLane"),
    "StartNodes": ("leg_failed_at", "BrokerCases"),
    "AwaitNodes": ("leg_failed_at", "BrokerCases"),
    "ReleaseLane": ("release_failed_at", "ReleaseLane"),
    "ReleaseRun": ("failed_at", "ReleaseRun"),
    "BuildReport": ("failed_at", "BuildReport"),
    "FinishRun": ("failed_at", "FinishRun"),
}
#: what fails -> the state that the case's reason names
OF_THE_CASE = {
    "StopNodes": "BrokerStopNodes",
    "PrepareCase": "BrokerPrepareCase",
    "Load": "BrokerDrive",
    "Watch": "BrokerDrive",
    "SettleCase": "BrokerSettleCase",
}
#: states of a case with a node down
OF_NODES = ("StopNodes", "StartNodes", "AwaitNodes")
#: entries of which ``test_tasks`` has the faults
OF_TASKS = ("EstablishTasks", "BuildImage", "Task")
KINDS = ("raise", "timeout")
ONE_DOWN = SUITE.replace("threads: 1,", "threads: 1, nodes_down: 1,")


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

    def run(name: str, faults: list[Fault]) -> str:
        suite = ONE_DOWN if name.startswith(OF_NODES) else SUITE
        return workflow.run(name, *faults, suite=parse_suite_text(suite))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = {name: pool.submit(run, name, faults) for name, faults in waits_first}
        return statuses | {name: future.result() for name, future in running.items()}


def assert_all_let_go(workflow: Workflow, run_id: str) -> None:
    launched = workflow.machines.launched.get(run_id, set())
    assert len(launched) == (0 if run_id.startswith(NO_BROKERS_YET) else 2), run_id
    assert launched <= workflow.machines.terminated, run_id
    assert workflow.store().keys(layout.secrets_prefix(run_id)) == []


def test_no_state_that_calls_something_is_left_out(workflow):
    tried = {*OF_THE_RUN, *OF_THE_CASE, "FailCase", "FailLeg", *SERVICES, *OF_TASKS}
    machine = workflow.outputs["StateMachineArn"]
    deployed = workflow.plane.client("stepfunctions").describe_state_machine(stateMachineArn=machine)
    calls = {
        name: state["Resource"]
        for name, state in states(json.loads(deployed["definition"])).items()
        if state["Type"] == "Task"
    }
    assert len(calls) > len(tried), "it has found no states"
    for name, resource in calls.items():
        assert any(Fault(entry, "raise").hits(resource, {}) for entry in tried), name


def test_without_a_fault_all_is_well(workflow, outcomes):
    assert outcomes["healthy"] == "SUCCEEDED"
    assert workflow.state("healthy").get(RUN)["status"] == "ok"
    assert_all_let_go(workflow, "healthy")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry", OF_THE_RUN)
def test_a_fault_of_the_run_is_on_record(workflow, outcomes, entry, kind):
    run_id = run_name(entry, kind)
    attribute, where = OF_THE_RUN[entry]
    record = workflow.state(run_id).get(RUN)
    told = "\n".join(f"{name}: {value}" for name, value in record.items())
    assert record.get(attribute) == where, told
    assert_all_let_go(workflow, run_id)
    ends_well = attribute != "failed_at"
    assert outcomes[run_id] == ("SUCCEEDED" if ends_well else "FAILED"), told


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry", OF_THE_CASE)
def test_a_fault_of_a_case_is_its_reason_and_the_run_goes_on(workflow, outcomes, entry, kind):
    run_id = run_name(entry, kind)
    (case,) = workflow.state(run_id).items("case#").values()
    error = "Injected" if kind == "raise" else "States.Timeout"
    assert case["status"] == "failed"
    assert case["reason"].startswith(f"{OF_THE_CASE[entry]}: {error}")
    record = workflow.state(run_id).get(RUN)
    assert record["status"] == "partial", f"{record.get('failed_at')}: {record.get('reason')}"
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


#: what the workflow itself writes into the state table -> how that update begins
RECORDS = {"ReleaseLock": "SET released_at", "RecordUnfinished": "SET #status = :failed, failed_at"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("state", RECORDS)
def test_a_record_that_cannot_be_written_ends_the_run_ill_and_brokers_are_gone(
    workflow, monkeypatch, state, kind
):
    hit: list[str] = []

    def broken(self: Any, *args: Any, **given: Any) -> Any:
        if not str(given.get("update_expression")).startswith(RECORDS[state]):
            return original(self, *args, **given)
        hit.append(state)
        if kind == "timeout":
            time.sleep(2 * SHORT_S)
        raise MockValidationException("injected")

    original = DynamoDBBackend.update_item
    monkeypatch.setattr(DynamoDBBackend, "update_item", broken)
    run_id = run_name(state, kind)
    before = [Fault("FinishRun", "raise")] if state == "RecordUnfinished" else []
    assert workflow.run(run_id, Fault("Record", kind), *before) == "FAILED"
    assert hit
    record = workflow.state(run_id).get(RUN)
    assert record.get("failed_at") == ("ReleaseLock" if state == "ReleaseLock" else None)
    assert workflow.store().get_bytes(layout.report_key(run_id, "report.json"))
    assert_all_let_go(workflow, run_id)
