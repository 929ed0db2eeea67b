"""What CloudWatch has of services, in runs on the simulated AWS: late, in part, or not to be read.

The tests publish what the services would, once the lanes have ended: moto's own publish nothing.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from breakeven.brokers.access import Access
from breakeven.report.contract.node_model import ServiceFigure, ServiceWatch
from breakeven.report.contract.report_model import Report
from breakeven.results import layout
from breakeven.results.items import RUN, case_item
from breakeven.steps.managed_brokers import broker_name
from breakeven.targets.catalog import MQ_CLUSTER, record_of
from tests.support.workflow.managed_brokers import RealBrokers
from tests.support.workflow.workflow_runs import Fault, Workflow, parse_suite_text, workflow_at

SQS = "sqs-standard"
QUEUES = f"""
suite: queues
title: Two queues
targets: [{SQS}]
instrument: false
warm_up: false
scenarios:
  parallel: {{queues: 2, threads: 2, warmup_s: 0, measure_s: 1, drain_s: 10, message_size: 16B}}
"""
CLUSTER = QUEUES.replace(f"[{SQS}]", f"[{MQ_CLUSTER}]")
AWS = {"surroundings": {"name": "aws"}}
CPU, SENT, EMPTY = "SystemCpuUtilization", "NumberOfMessagesSent", "NumberOfEmptyReceives"


@pytest.fixture(scope="module")
def brokers(children, tmp_path_factory):
    made = RealBrokers(children, tmp_path_factory.mktemp("amazon-mq"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def workflow(assembly, brokers, tmp_path_factory):
    folder, nobody = tmp_path_factory.mktemp("metrics"), Access(username="nobody", password="")
    trusted = {"SSL_CERT_FILE": str(brokers.certificate)}
    with workflow_at(assembly, nobody, None, folder, brokers=brokers, env=trusted) as made:
        yield made


def before_reading(workflow: Workflow, wanted: str, publish: Any) -> list[str]:
    """Have it be called with the samples of each case before the run's metrics are read; the calls that were
    seen of the function that does.
    """
    seen: list[str] = []

    def look(run_id: str, function: str) -> None:
        if run_id == wanted and "ReadMetrics" in function:
            seen.append(function)
            store = workflow.store()
            for key in store.keys(layout.rows_prefix("nodes", run_id)) if len(seen) == 1 else ():
                case_id = key.rpartition("/")[2].removesuffix(".json.gz")
                publish(case_id, store.rows("nodes", run_id, case_id))

    workflow.calls.before.append(look)
    return seen


def put(workflow: Workflow, service: str, metric: str, at_s: float, value: float, **dimensions: str) -> None:
    known = [{"Name": name, "Value": each} for name, each in dimensions.items()]
    figure = {"MetricName": metric, "Dimensions": known, "Value": value}
    at = {"Timestamp": datetime.fromtimestamp(at_s, UTC)}
    namespace = record_of(service).service_metrics.namespace
    workflow.plane.client("cloudwatch").put_metric_data(Namespace=namespace, MetricData=[figure | at])


def queue_names(workflow: Workflow, run_id: str, case_id: str) -> list[str]:
    urls = json.loads(workflow.state(run_id).get(case_item(case_id))["queues"])
    return [url.rpartition("/")[2] for url in urls]


def watch_of(workflow: Workflow, run_id: str) -> ServiceWatch | None:
    return Report.model_validate(
        workflow.store().get_json(f"{layout.run_prefix(run_id)}report/report.json")
    ).services


def figures(watch: ServiceWatch) -> dict[tuple[str, str | None, str], ServiceFigure]:
    return {(each.part, each.name, each.metric): each for each in watch.figures}


def test_of_sqs_what_has_come_by_then_is_in_the_report_and_the_rest_is_null(workflow):
    """Of one of two queues, in the first minute, and of one of five metrics."""
    run_id = "queues"

    def publish(case_id: str, samples: list[dict[str, Any]]) -> None:
        first, _ = queue_names(workflow, run_id, case_id)
        put(workflow, SQS, SENT, samples[0]["at_s"] - 1, 321.0, QueueName=first)
        put(workflow, SQS, SENT, samples[0]["at_s"] - 1, 999.0, QueueName="of-another-run")

    seen = before_reading(workflow, run_id, publish)
    assert workflow.run(run_id, suite=parse_suite_text(QUEUES), **AWS) == "SUCCEEDED"
    assert len(seen) == 1
    watch = watch_of(workflow, run_id)
    assert watch
    assert (watch.read_at is None, watch.unread) == (False, None)
    found = figures(watch)
    assert {part for part, *_ in found} == {"queue"}
    sent, empty = found["queue", None, SENT], found["queue", None, EMPTY]
    assert (sent.total, sent.known_minutes) == (321.0, 1)
    assert sent.minutes >= 2, "of two queues"
    assert (empty.total, empty.highest, empty.known_minutes) == (None, None, 0)
    text = workflow.store().get_bytes(layout.report_key(run_id, "report.md")).decode()
    assert "up to 15 minutes late" in text
    assert f"1 of {sum(each.minutes for each in watch.figures)}" in text


@pytest.mark.thorough
def test_where_they_cannot_be_read_the_run_is_as_good_and_its_report_says_why(workflow):
    run_id = "unread"
    fault = Fault("ReadMetrics", "raise")
    assert workflow.run(run_id, fault, suite=parse_suite_text(QUEUES), **AWS) == "SUCCEEDED"
    run = workflow.state(run_id).get(RUN)
    assert run["status"] == "ok"
    watch = watch_of(workflow, run_id)
    assert watch
    assert (watch.read_at, watch.figures) == (None, [])
    assert "ReadMetrics" in watch.unread
    text = workflow.store().get_bytes(layout.report_key(run_id, "report.md")).decode()
    assert "CloudWatch's figures of services were not read: ReadMetrics" in text


@pytest.mark.thorough
def test_a_run_on_one_machine_makes_no_call_and_says_nothing(workflow):
    run_id = "here"
    seen = before_reading(workflow, run_id, lambda *_: None)
    assert workflow.run(run_id, suite=parse_suite_text(QUEUES)) == "SUCCEEDED"
    assert seen == []
    assert watch_of(workflow, run_id) is None
    assert workflow.store().keys(layout.rows_prefix("service_minutes", run_id)) == []


@pytest.mark.installed
def test_of_amazon_mq_the_processors_of_its_nodes_are_in_the_report(workflow):
    """Of one of three nodes nothing has come, and of none its memory."""
    run_id, nodes = "broker", list[str]()

    def publish(case_id: str, samples: list[dict[str, Any]]) -> None:
        nodes.extend(sorted({str(sample["node"]) for sample in samples}))
        name, at_s = broker_name(run_id, MQ_CLUSTER), samples[0]["at_s"] - 1
        for number, node in enumerate(nodes[:2]):
            put(workflow, MQ_CLUSTER, CPU, at_s, 10.0 + number, Broker=name, Node=node)
        put(workflow, MQ_CLUSTER, CPU, at_s, 40.0, Broker=name)

    before_reading(workflow, run_id, publish)
    assert workflow.run(run_id, suite=parse_suite_text(CLUSTER), **AWS) == "SUCCEEDED"
    watch = watch_of(workflow, run_id)
    assert watch
    found = figures(watch)
    assert len(nodes) == 3
    assert [found["node", node, CPU].mean for node in nodes] == [10.0, 11.0, None]
    assert found["broker", None, CPU].highest == 40.0
    assert found["node", nodes[0], "RabbitMQMemUsed"].known_minutes == 0
    assert workflow.plane.client("mq").list_brokers()["BrokerSummaries"] == [], "which is gone by then"
    text = workflow.store().get_bytes(layout.report_key(run_id, "report.md")).decode()
    assert f"| {nodes[1]} |" in text
