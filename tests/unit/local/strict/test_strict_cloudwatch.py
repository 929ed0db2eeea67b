"""GetMetricData as the simulated CloudWatch answers it: refusals, minutes, pages and retention."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.aws import cloudwatch_service
from local.aws.cloudwatch_service import answer_metrics
from local.aws.strict import front
from local.aws.strict.shapes import check_shapes
from local.aws.swaps import Swaps
from tests.support.aws.moto_server import REGION, moto_server

#: boto3 would look at some of it itself
SENT_AS_IT_IS = Config(parameter_validation=False, retries={"total_max_attempts": 1})
MINUTE = timedelta(minutes=1)
NAMESPACE = "AWS/SQS"


@pytest.fixture(scope="module")
def cloudwatch():
    with moto_server() as server, Swaps() as swaps:
        front.install(swaps, [check_shapes, answer_metrics])
        yield server.aws.task_client("cloudwatch", REGION, SENT_AS_IT_IS)


@pytest.fixture
def start() -> datetime:
    """Ten whole minutes ago."""
    return datetime.now(UTC).replace(second=0, microsecond=0) - 10 * MINUTE


def put(cloudwatch, queue: str, at: datetime, value: float, namespace: str = NAMESPACE) -> None:
    dimensions = [{"Name": "QueueName", "Value": queue}]
    figure = {"MetricName": "Sent", "Dimensions": dimensions, "Timestamp": at, "Value": value}
    cloudwatch.put_metric_data(Namespace=namespace, MetricData=[figure])


def query(queue: str, query_id: str = "a", **stat: Any) -> dict[str, Any]:
    dimensions = [{"Name": "QueueName", "Value": queue}]
    metric = {"Namespace": NAMESPACE, "MetricName": "Sent", "Dimensions": dimensions}
    return {"Id": query_id, "MetricStat": {"Metric": metric, "Period": 60, "Stat": "Sum", **stat}}


def asked(cloudwatch, start: datetime, *queries: dict[str, Any], **more: Any) -> dict[str, Any]:
    times = {"StartTime": start, "EndTime": start + 10 * MINUTE, "ScanBy": "TimestampAscending"}
    return cloudwatch.get_metric_data(**{"MetricDataQueries": list(queries), **times, **more})


def values(answer: dict[str, Any]) -> dict[str, list[tuple[float, float]]]:
    """By query, each value with the instant at which its period began."""
    return {
        each["Id"]: [
            (at.timestamp(), value) for at, value in zip(each["Timestamps"], each["Values"], strict=True)
        ]
        for each in answer["MetricDataResults"]
    }


def test_a_minute_is_the_clocks_and_has_its_statistic_of_its_own_metric_alone(cloudwatch, start):
    for second, value in ((5, 1.0), (55, 2.0), (65, 4.0)):
        put(cloudwatch, "own", start + timedelta(seconds=second), value)
    put(cloudwatch, "other", start, 8.0)
    put(cloudwatch, "own", start, 16.0, namespace="Another")
    begin = start.timestamp()
    # a request that begins within a minute is of all of it
    late = asked(cloudwatch, start + timedelta(seconds=30), query("own"))
    assert values(late) == {"a": [(begin, 3.0), (begin + 60, 4.0)]}
    most = asked(cloudwatch, start, query("own", Stat="Maximum"), query("nobody", "b"))
    assert values(most) == {"a": [(begin, 2.0), (begin + 60, 4.0)], "b": []}
    assert {each["StatusCode"] for each in most["MetricDataResults"]} == {"Complete"}


def test_the_end_is_not_of_it_and_another_unit_has_no_values(cloudwatch, start):
    put(cloudwatch, "ends", start + MINUTE, 1.0)
    assert values(asked(cloudwatch, start, query("ends"), EndTime=start + MINUTE)) == {"a": []}
    assert values(asked(cloudwatch, start, query("ends", Unit="Bytes"))) == {"a": []}


def test_minutes_are_gone_after_fifteen_days_where_a_longer_period_still_has_them(cloudwatch):
    old = datetime.now(UTC) - timedelta(days=14.9)
    assert cloudwatch_service.KEPT[0] == (15 * 86_400, 60)
    put(cloudwatch, "old", old, 1.0)
    before = old - timedelta(days=0.2)
    assert len(values(asked(cloudwatch, old - MINUTE, query("old")))["a"]) == 1
    assert values(asked(cloudwatch, before, query("old"), EndTime=old + MINUTE)) == {"a": []}
    longer = asked(cloudwatch, before, query("old", Period=300), EndTime=old + 10 * MINUTE)
    assert len(values(longer)["a"]) == 1


def test_what_does_not_go_on_a_page_comes_on_the_next_and_is_partial_until_then(cloudwatch, start):
    for number in range(5):
        put(cloudwatch, "many", start + number * MINUTE, float(number))
    put(cloudwatch, "few", start, 9.0)
    queries = (query("many"), query("few", "b"))
    first = asked(cloudwatch, start, *queries, MaxDatapoints=3)
    assert [(each["Id"], each["StatusCode"]) for each in first["MetricDataResults"]] == [("a", "PartialData")]
    second = asked(cloudwatch, start, *queries, MaxDatapoints=3, NextToken=first["NextToken"])
    codes = [(each["Id"], each["StatusCode"]) for each in second["MetricDataResults"]]
    assert codes == [("a", "Complete"), ("b", "Complete")]
    assert "NextToken" not in second
    both = [value for answer in (first, second) for _, value in values(answer)["a"]]
    assert both == [0.0, 1.0, 2.0, 3.0, 4.0]


EXPRESSION = {"Id": "a", "Expression": "SUM(METRICS())"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"MetricDataQueries": [query("q", f"m{n}") for n in range(501)]}, "greater than 500"),
        ({"MetricDataQueries": [query("q"), query("q")]}, "not unique"),
        ({"MetricDataQueries": [query("q", "Upper")]}, "expected pattern"),
        ({"MetricDataQueries": [query("q", Period=90)]}, "multiple of 60"),
        ({"MetricDataQueries": [query("q", Stat="Mean")]}, "no statistic"),
        ({"MetricDataQueries": [EXPRESSION]}, "by MetricStat"),
        ({"MaxDatapoints": 100_801}, "MaxDatapoints"),
        (
            {"EndTime": datetime(2026, 1, 1, tzinfo=UTC), "StartTime": datetime(2026, 1, 1, tzinfo=UTC)},
            "less",
        ),
    ],
)
def test_what_the_service_refuses_is_refused(cloudwatch, start, changed, said):
    with pytest.raises(ClientError, match=said) as refused:
        asked(cloudwatch, start, query("q"), **changed)
    assert refused.value.response["Error"]["Code"] == "ValidationError"


def test_500_queries_are_taken_at_once(cloudwatch, start):
    answer = asked(cloudwatch, start, *(query("nobody", f"m{number}") for number in range(500)))
    assert len(answer["MetricDataResults"]) == 500
