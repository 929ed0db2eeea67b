"""Faults at states that ``test_failures`` leaves: those of nodes, and what the workflow itself records."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from moto.dynamodb.exceptions import MockValidationException
from moto.dynamodb.models import DynamoDBBackend

from breakeven.results import layout
from breakeven.results.items import NO_CASE_OK, RUN
from tests.support.workflow.faults import (
    BRINGS_NODES_BACK,
    KINDS,
    STOPS_NODES,
    assert_all_cleaned_up,
    run_name,
)
from tests.support.workflow.workflow_runs import SHORT_S, SUITE, Fault, parse_suite_text, workflow_at

pytestmark = pytest.mark.installed

#: the simulated EC2 stops an instance, and the node that it stands for goes on: no matter here
ONE_DOWN = SUITE.replace("threads: 1,", "threads: 1, nodes_down: 1,")
OF_NODES = (STOPS_NODES, *BRINGS_NODES_BACK)


@pytest.fixture(scope="module")
def workflow(assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory):
    with workflow_at(assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory.mktemp("failures")) as made:
        yield made


@pytest.fixture(scope="module")
def statuses(workflow):
    """Every single fault at nodes, all at once; run id -> the execution's status."""
    names = {run_name(entry, kind): Fault(entry, kind) for entry in OF_NODES for kind in KINDS}
    suite = parse_suite_text(ONE_DOWN)
    with ThreadPoolExecutor(len(names)) as pool:
        running = {name: pool.submit(workflow.run, name, fault, suite=suite) for name, fault in names.items()}
        return {name: future.result() for name, future in running.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_nodes_that_cannot_be_stopped_fail_their_case(workflow, statuses, kind):
    run_id = run_name(STOPS_NODES, kind)
    (case,) = workflow.state(run_id).items("case#").values()
    error = "Injected" if kind == "raise" else "States.Timeout"
    assert case["status"] == "failed"
    assert case["reason"].startswith(f"BrokerStopNodes: {error}")
    assert workflow.state(run_id).get(RUN)["failed_at"] == NO_CASE_OK
    assert statuses[run_id] == "FAILED"
    assert_all_cleaned_up(workflow, run_id)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry", BRINGS_NODES_BACK)
def test_nodes_that_do_not_come_back_end_their_leg(workflow, statuses, entry, kind):
    run_id = run_name(entry, kind)
    record = workflow.state(run_id).get(RUN)
    assert record["leg_failed_at"] == "BrokerCases"
    assert ("Injected" if kind == "raise" else "States.Timeout") in record["leg_failed_reason"]
    assert (record["failed_at"], statuses[run_id]) == (NO_CASE_OK, "FAILED")
    assert_all_cleaned_up(workflow, run_id)


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
    assert_all_cleaned_up(workflow, run_id)
