"""What CloudWatch has of a run's services: which metrics and minutes are read, and the rows of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from breakeven.results import layout
from breakeven.results.items import RUN, case_item
from breakeven.results.schemas import NODES, SERVICE_MINUTES
from breakeven.steps.managed_brokers import broker_name
from breakeven.steps.run import metric_queries
from breakeven.steps.run.metric_queries import ATTEMPTS, MOST_QUERIES, MetricOf, read_minutes
from breakeven.steps.run.read_metrics import read_metrics
from breakeven.targets.catalog import record_of
from breakeven.workload.case import Case
from tests.support.aws.moto_results import installed
from tests.support.cases import case_with, workload_with

TABLE = SERVICE_MINUTES.name
RUN_ID, START_S = "run", 1_780_000_020  # which is a whole minute
MQ, SQS, PAIR = "amazon-mq-cluster", "sqs-standard", "rabbitmq-mirrored-pair"
NODES_OF_MQ = ("rabbit@ip-10-0-0-1.ec2.internal", "rabbit@ip-10-0-0-2.ec2.internal")
#: values by metric and the last of its dimensions, and by the minute's number
Known = dict[tuple[str, str], dict[int, float]]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_queries, "AGAIN_S", 0.0)


class CloudWatch:
    """Answers what it knows; of each call the next of ``codes`` is what it says of every metric."""

    def __init__(self, known: Known | None = None, *codes: str, page: int = 10**6) -> None:
        self.known, self.codes, self.page = known or {}, list(codes), page
        self.asked: list[dict[str, Any]] = []

    def get_metric_data(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        code = self.codes.pop(0) if self.codes else "Complete"
        queries, first = asked["MetricDataQueries"], int(asked.get("NextToken", 0))
        shown = [self._result(query, asked, code) for query in queries[first : first + self.page]]
        more = first + self.page < len(queries)
        return {"MetricDataResults": shown, **({"NextToken": str(first + self.page)} if more else {})}

    def _result(self, query: dict[str, Any], asked: dict[str, Any], code: str) -> dict[str, Any]:
        metric = query["MetricStat"]["Metric"]
        values = self.known.get((metric["MetricName"], metric["Dimensions"][-1]["Value"]), {})
        at = {START_S + 60 * number: value for number, value in values.items()}
        within = {
            second: value
            for second, value in at.items()
            if asked["StartTime"].timestamp() <= second < asked["EndTime"].timestamp()
        }
        times = [datetime.fromtimestamp(second, UTC) for second in within]
        return {
            "Id": query["Id"],
            "Timestamps": times,
            "Values": list(within.values()),
            "StatusCode": code,
        }


@pytest.fixture
def services(monkeypatch):
    with installed(monkeypatch) as found:
        found.state(RUN_ID).update(RUN, status="running")
        yield found


def plan(services, *cases: Case) -> None:
    document = {"plan": {"cases": [case.model_dump(mode="json") for case in cases]}}
    services.store.put_json(layout.plan_key(RUN_ID), document)


def watch(services, case: Case, first_s: float, last_s: float, nodes: tuple[str, ...], **item: Any) -> Case:
    """Have the case been watched from the one second to the other."""
    rows = [
        {**dict.fromkeys(NODES.columns), "case_id": case.case_id, "node": node, "second": 0, "at_s": at_s}
        for node in nodes
        for at_s in (START_S + first_s + 1, START_S + last_s)
    ]
    services.store.put_rows("nodes", RUN_ID, case.case_id, rows)
    services.state(RUN_ID).update(case_item(case.case_id), status="ok", **item)
    return case


def case_of(target: str, case_id: str = "mq") -> Case:
    return case_with(workload_with(), run_id=RUN_ID, case_id=case_id, target=target)


def rows_of(services, case_id: str) -> dict[tuple[str, Any, str], list[tuple[float, Any]]]:
    """Of each metric the seconds and the value of each of its minutes, in their order."""
    found: dict[tuple[str, Any, str], list[tuple[float, Any]]] = {}
    for row in services.store.rows("service_minutes", RUN_ID, case_id):
        found.setdefault((row["part"], row["name"], row["metric"]), []).append((row["seconds"], row["value"]))
    return found


def test_a_broker_and_its_nodes_are_read_for_the_minutes_of_each_case(services):
    first = watch(services, case_of(MQ), 30, 150, (*NODES_OF_MQ, MQ))
    second = watch(services, case_of(MQ, "later"), 155, 179, NODES_OF_MQ)
    plan(services, first, second)
    broker = broker_name(RUN_ID, first.target)
    cloudwatch = CloudWatch(
        {
            ("SystemCpuUtilization", NODES_OF_MQ[0]): {0: 10.0, 1: 80.0, 2: 40.0},
            ("SystemCpuUtilization", broker): {1: 150.0},
        }
    )
    assert read_metrics(services, cloudwatch, RUN_ID) == 5
    rows = rows_of(services, "mq")
    cpu = "SystemCpuUtilization"
    assert rows["node", NODES_OF_MQ[0], cpu] == [(30.0, 10.0), (60.0, 80.0), (30.0, 40.0)]
    assert rows["node", NODES_OF_MQ[1], cpu] == [(30.0, None), (60.0, None), (30.0, None)]
    assert rows["broker", None, cpu] == [(30.0, None), (60.0, 150.0), (30.0, None)]
    assert len(rows) == 3 * len(record_of(MQ).service_metrics.metrics)
    # two cases of a minute have it both
    assert rows_of(services, "later")["node", NODES_OF_MQ[0], cpu] == [(24.0, 40.0)]
    (asked,) = cloudwatch.asked
    assert (asked["StartTime"].timestamp(), asked["EndTime"].timestamp()) == (START_S, START_S + 180)
    assert len(asked["MetricDataQueries"]) == len(rows), "each is asked for once, whatever its cases"
    names = {
        tuple(each["Name"] for each in query["MetricStat"]["Metric"]["Dimensions"])
        for query in asked["MetricDataQueries"]
    }
    assert names == {("Broker",), ("Broker", "Node")}
    run = services.state(RUN_ID).get(RUN)
    assert run["metrics_read_at"]
    assert run["metrics_unanswered"] is None


def test_a_cases_queues_are_read_by_their_names(services):
    urls = json.dumps([f"https://sqs.us-east-1.amazonaws.com/1/be-q{number}" for number in range(2)])
    plan(services, watch(services, case_of(SQS, "sqs"), 0, 60, ("Amazon SQS",), queues=urls))
    cloudwatch = CloudWatch({("NumberOfMessagesSent", "be-q1"): {0: 7.0}})
    assert read_metrics(services, cloudwatch, RUN_ID) == 1
    rows = rows_of(services, "sqs")
    assert rows["queue", "be-q1", "NumberOfMessagesSent"] == [(60.0, 7.0)]
    assert rows["queue", "be-q0", "NumberOfMessagesSent"] == [(60.0, None)]
    stats = {
        query["MetricStat"]["Metric"]["MetricName"]: query["MetricStat"]["Stat"]
        for query in cloudwatch.asked[0]["MetricDataQueries"]
    }
    assert stats["NumberOfMessagesSent"] == "Sum"
    assert stats["ApproximateAgeOfOldestMessage"] == "Maximum"


def test_what_is_of_no_service_was_not_watched_or_came_with_another_run_is_not_asked_for(
    services, monkeypatch
):
    pair = watch(services, case_of(PAIR, "pair"), 0, 60, ("rabbit@a",))
    settled = watch(services, case_of(MQ, "settled"), 0, 60, NODES_OF_MQ, settled_in="earlier")
    plan(services, pair, settled, case_of(MQ, "failed"))
    monkeypatch.setattr("time.time", lambda: START_S + 600.0)
    services.store.put_rows(TABLE, RUN_ID, "settled", [{**dict.fromkeys(SERVICE_MINUTES.columns)}])
    cloudwatch = CloudWatch()
    assert read_metrics(services, cloudwatch, RUN_ID) == 0
    assert cloudwatch.asked == []
    kept = services.store.keys(layout.rows_prefix(TABLE, RUN_ID))
    assert kept == [layout.row_key(TABLE, RUN_ID, "settled")]
    assert services.state(RUN_ID).get(RUN)["metrics_read_at"]


@pytest.mark.parametrize(("days", "known"), [(14.9, 1), (15.0, 0)])
def test_what_an_aborted_run_has_settled_is_read_of_that_runs_broker_while_minutes_are_kept(
    services, monkeypatch, days, known
):
    """Minutes are kept for 15 days, and a request that begins before is answered with nothing at all."""
    plan(services, watch(services, case_of(MQ, "settled"), 0, 60, NODES_OF_MQ, settled_in="earlier"))
    monkeypatch.setattr("time.time", lambda: START_S + days * 86_400)
    there = {("SystemCpuUtilization", broker_name("earlier", MQ)): {0: 40.0}}
    assert read_metrics(services, CloudWatch(there), RUN_ID) == known


def test_asked_again_later_the_rows_are_those_that_have_come_by_then(services):
    case = watch(services, case_of(MQ), 0, 120, NODES_OF_MQ[:1])
    plan(services, case)
    for known in ({0: 5.0}, {0: 5.0, 1: 6.0}):
        values = {("SystemCpuUtilization", NODES_OF_MQ[0]): known}
        assert read_metrics(services, CloudWatch(values), RUN_ID) == len(known)
    cpu = rows_of(services, "mq")["node", NODES_OF_MQ[0], "SystemCpuUtilization"]
    assert cpu == [(60.0, 5.0), (60.0, 6.0)]


def metrics(count: int) -> list[MetricOf]:
    return [MetricOf("AWS/SQS", "Sent", "Sum", (("QueueName", f"q{number}"),)) for number in range(count)]


def test_500_metrics_are_asked_for_at_once_and_answers_come_in_pages():
    asked = metrics(MOST_QUERIES + 1)
    cloudwatch = CloudWatch({("Sent", f"q{number}"): {0: float(number)} for number in range(501)}, page=300)
    found = read_minutes(cloudwatch, asked, START_S, START_S + 60)
    assert [len(call["MetricDataQueries"]) for call in cloudwatch.asked] == [500, 500, 1]
    assert [call.get("NextToken") for call in cloudwatch.asked] == [None, "300", None]
    assert [found.at(metric, START_S) for metric in asked] == [float(number) for number in range(501)]
    assert found.unanswered() is None


@pytest.mark.parametrize("code", ["PartialData", "InternalError"])
def test_what_is_not_complete_is_asked_for_again_and_then_stands_as_it_is(code):
    known = {("Sent", "q0"): {0: 1.0}}
    once = CloudWatch(known, code)
    found = read_minutes(once, metrics(2), START_S, START_S + 120)
    assert len(once.asked) == 2
    assert found.unanswered() is None
    always = CloudWatch(known, *[code] * 10)
    found = read_minutes(always, metrics(2), START_S, START_S + 120)
    assert len(always.asked) == ATTEMPTS
    assert found.unanswered() == f"{code} of 2 metrics"
    assert (found.at(metrics(1)[0], START_S), found.at(metrics(1)[0], START_S + 60)) == (1.0, None)


def test_what_is_forbidden_is_not_asked_for_again():
    cloudwatch = CloudWatch(None, "Forbidden")
    assert read_minutes(cloudwatch, metrics(1), START_S, START_S + 60).unanswered() == "Forbidden of 1 metric"
    assert len(cloudwatch.asked) == 1


def test_a_metric_of_which_nothing_is_said_counts_as_unanswered():
    class Silent(CloudWatch):
        def get_metric_data(self, **asked: Any) -> dict[str, Any]:
            return {**super().get_metric_data(**asked), "MetricDataResults": []}

    found = read_minutes(Silent(), metrics(1), START_S, START_S + 60)
    assert found.unanswered() == "no answer of 1 metric"


def test_an_error_of_the_call_is_the_steps_and_leaves_no_rows(services):
    class Denied(CloudWatch):
        def get_metric_data(self, **asked: Any) -> dict[str, Any]:
            raise ClientError({"Error": {"Code": "AccessDenied"}}, "GetMetricData")

    plan(services, watch(services, case_of(MQ), 0, 60, NODES_OF_MQ))
    with pytest.raises(ClientError, match="AccessDenied"):
        read_metrics(services, Denied(), RUN_ID)
    assert "metrics_read_at" not in services.state(RUN_ID).get(RUN)
