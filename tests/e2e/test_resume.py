"""A run that was aborted, and one that goes on with it, of which every function is called twice.

What was settled is not run again, and rows and report hold each case once.
"""

from __future__ import annotations

import gzip
import json
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import boto3
import pytest

from breakeven.results import layout
from breakeven.results.state import LOCKS, RUN
from tests.e2e.workflow_runs import Workflow, parse_suite_text, workflow_at

CUT, RESUMED = "cut", "resumed"
SUITE = """
suite: four-cases
title: Two short cases on each target
targets: [sqs-standard, rabbitmq-mirrored-pair]
instrument: false
scenarios:
  parallel: {threads: [1, 2], warmup_s: 0, measure_s: 1, drain_s: 10, message_size: 16B}
"""
CASES = 4


@dataclass
class Ran:
    workflow: Workflow
    sqs: Any
    settled: dict[str, Any]
    outcome: str


@pytest.fixture(scope="module")
def ran(assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory):
    folder = tmp_path_factory.mktemp("resume")
    with workflow_at(assembly, rabbitmq_pair, sqs_endpoint, folder) as workflow:
        settled = abort(workflow)
        workflow.calls.twice.add(RESUMED)
        given = {"resume_run_id": CUT, "surroundings": {"name": "local"}}
        execution = workflow.plane.start(workflow.outputs["StateMachineArn"], given, name=RESUMED)
        outcome = workflow.end(execution)
        yield Ran(workflow, sqs_at(sqs_endpoint), settled, outcome)


def sqs_at(endpoint: str) -> Any:
    keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
    return boto3.client("sqs", endpoint_url=endpoint, region_name="us-east-1", **keys)


def abort(workflow: Workflow) -> dict[str, Any]:
    """Stop a run while not all of its cases are settled, and wait until it has no brokers and no lock."""
    execution = workflow.start(CUT, suite=parse_suite_text(SUITE))
    deadline = time.monotonic() + 120
    while not (settled := of_status(workflow, CUT, "ok")):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    workflow.plane.stop(execution)
    ids = sorted(workflow.machines.launched.get(CUT, set()))
    if ids:
        workflow.plane.client("ec2").terminate_instances(InstanceIds=ids)
    table = workflow.plane.resource("dynamodb").Table(workflow.outputs["StateTableName"])
    (lock,) = table.query(
        KeyConditionExpression="run_id = :locks", ExpressionAttributeValues={":locks": LOCKS}
    )["Items"]
    table.put_item(Item={**lock, "lease_until": 1})
    return settled | of_status(workflow, CUT, "ok")


def of_status(workflow: Workflow, run_id: str, status: str) -> dict[str, Any]:
    items = workflow.state(run_id).items("case#")
    return {name: item for name, item in items.items() if item.get("status") == status}


def records(ran: Ran) -> dict[str, Any]:
    return ran.workflow.state(RESUMED).items("case#")


def rows(ran: Ran, table: str) -> list[dict[str, Any]]:
    store = ran.workflow.store()
    return [
        json.loads(line)
        for key in store.keys(layout.rows_prefix(table, RESUMED))
        for line in gzip.decompress(store.get_bytes(key)).splitlines()
    ]


def test_it_ends_well_and_every_call_was_made_twice(ran):
    record = ran.workflow.state(RESUMED).get(RUN)
    assert (ran.outcome, record["status"]) == ("SUCCEEDED", "ok"), record
    assert record["cases"] == CASES
    assert set(Counter(ran.workflow.calls.made).values()) == {2}
    called = {function for function, _ in ran.workflow.calls.made}
    assert len(called) > 10


def test_what_was_settled_is_not_run_again(ran):
    assert 0 < len(ran.settled) < CASES, "nothing to be seen"
    again = {
        key.removeprefix(layout.run_prefix(RESUMED)).split("/")[1]
        for key in ran.workflow.store().keys(f"{layout.run_prefix(RESUMED)}raw/")
    }
    before = {item["case_id"] for item in ran.settled.values() if "settled_in" not in item}
    taken_over = {item["case_id"] for item in records(ran).values() if item.get("settled_in") == CUT}
    assert before <= taken_over
    assert again == {item["case_id"] for item in records(ran).values()} - taken_over
    assert len(again) + len(taken_over) == CASES


def test_each_case_is_counted_once_and_its_messages_are(ran):
    report = ran.workflow.store().get_json(layout.report_key(RESUMED, "report.json"))
    ids = [case["case_id"] for case in report["cases"]]
    assert len(ids) == len(set(ids)) == CASES
    assert sorted(row["case_id"] for row in rows(ran, "cases")) == sorted(ids)
    for case in report["cases"]:
        ledger = case["ledger"]
        assert case["status"] == "ok"
        assert ledger["closed"]
        assert ledger["sent"] == ledger["received"] > 0
        assert ledger["duplicates"] == 0
    windows = Counter(
        (row["case_id"], row["loader"], row["stage"], row["metric"], row["second"])
        for row in rows(ran, "windows")
    )
    assert set(windows.values()) == {1}
    assert any("goes on with run cut" in note for note in report["manifest"]["notes"])


def test_what_a_repeated_call_made_is_gone_too(ran):
    assert all(item["released"] for item in records(ran).values())
    prepared = [item for item in records(ran).values() if "settled_in" not in item]
    assert {item["attempt"] for item in prepared} == {2}, "prepared twice"
    named = [url for item in prepared for url in json.loads(item["queues"]) if url.startswith("http")]
    prefixes = {url.rpartition("/")[2].partition("-a2-")[0] for url in named}
    for prefix in prefixes:
        assert ran.sqs.list_queues(QueueNamePrefix=prefix).get("QueueUrls", []) == []


def test_brokers_are_launched_once_and_let_go(ran):
    launched = ran.workflow.machines.launched.get(RESUMED, set())
    assert len(launched) in {0, 2}
    assert launched <= ran.workflow.machines.terminated
