"""A run that is aborted, and what is looked at of it and of the one that goes on with it."""

from __future__ import annotations

import gzip
import json
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

from breakeven.results import layout
from breakeven.results.items import LOCKS
from tests.support.workflow.workflow_runs import Workflow, parse_suite_text

CUT, RESUMED = "cut", "resumed"
SUITE = """
suite: four-cases
title: Two short cases on each target
targets: [sqs-standard, rabbitmq-mirrored-pair]
instrument: false
warm_up: false
scenarios:
  parallel: {threads: [1, 2], warmup_s: 0, measure_s: 1, drain_s: 10, message_size: 16B}
"""


@dataclass
class Ran:
    workflow: Workflow
    sqs: Any
    settled: dict[str, Any]
    outcome: str
    metrics: Counter[str]


def metrics_in(logs: Path) -> Counter[str]:
    """Each metric that functions have sent, by its name: the sum of its values."""
    found: Counter[str] = Counter()
    for line in (line for path in logs.glob("*.log") for line in path.read_text().splitlines()):
        if '"_aws"' in line:
            sent = json.loads(line[line.index("{") :])
            for metric in sent["_aws"]["CloudWatchMetrics"][0]["Metrics"]:
                found[metric["Name"]] += int(sum(sent[metric["Name"]]))
    return found


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
    change_lock(workflow, lease_until=1)
    return settled | of_status(workflow, CUT, "ok")


def change_lock(workflow: Workflow, **fields: Any) -> dict[str, Any]:
    """Returns the lock as it was."""
    table = workflow.plane.resource("dynamodb").Table(workflow.outputs["StateTableName"])
    (lock,) = table.query(
        KeyConditionExpression="run_id = :locks", ExpressionAttributeValues={":locks": LOCKS}
    )["Items"]
    table.put_item(Item={**lock, **fields})
    return dict(lock)


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
