"""Questions to CloudWatch: what GetMetricData answers of many metrics, page after page, a value a minute.

Source: Amazon CloudWatch API Reference, GetMetricData and MetricDataResult.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from breakeven.steps.aws_clients import CloudWatch
from breakeven.words import plural

#: of a call, at most. That it has 100,800 values at most, too, makes pages
MOST_QUERIES = 500
MINUTE_S = 60
#: how often a metric is asked for of which CloudWatch says that not all is there, or that it failed
ATTEMPTS = 3
#: seconds between them
AGAIN_S = 2.0
#: what CloudWatch says of a metric: all that there is was returned; and what asking again does not change
COMPLETE, FORBIDDEN = "Complete", "Forbidden"


@dataclass(frozen=True, slots=True)
class MetricOf:
    """One metric of one thing. ``dimensions``: name and value of each."""

    namespace: str
    name: str
    statistic: str
    dimensions: tuple[tuple[str, str], ...]

    def query(self, query_id: str) -> dict[str, Any]:
        """As the API takes it, with a value for each minute."""
        known = [{"Name": name, "Value": value} for name, value in self.dimensions]
        metric = {"Namespace": self.namespace, "MetricName": self.name, "Dimensions": known}
        return {"Id": query_id, "MetricStat": {"Metric": metric, "Period": MINUTE_S, "Stat": self.statistic}}


@dataclass(slots=True)
class MinuteValues:
    """``values``: of each metric by the minute's begin, epoch seconds; a minute without one is not there.

    ``statuses``: of the metrics of which not all was to be had, what CloudWatch said last.
    """

    values: dict[MetricOf, dict[int, float]] = field(default_factory=dict)
    statuses: dict[MetricOf, str] = field(default_factory=dict)

    def at(self, metric: MetricOf, minute_s: int) -> float | None:
        return self.values.get(metric, {}).get(minute_s)

    def unanswered(self) -> str | None:
        """How many metrics are not complete, by what CloudWatch says: ``InternalError of 2 metrics``."""
        counts = Counter(self.statuses.values())
        said = (f"{status} of {plural(number, 'metric')}" for status, number in sorted(counts.items()))
        return ", ".join(said) or None


def read_minutes(
    cloudwatch: CloudWatch, metrics: Sequence[MetricOf], first_s: int, end_s: int
) -> MinuteValues:
    """Every metric from the minute that begins at ``first_s`` to before ``end_s``, epoch seconds.

    What CloudWatch has only a part of, or fails at, is asked for again; then what there is stands.
    """
    found, left = MinuteValues(), list(dict.fromkeys(metrics))
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(AGAIN_S)
        for start in range(0, len(left), MOST_QUERIES):
            _ask(cloudwatch, left[start : start + MOST_QUERIES], first_s, end_s, found)
        left = [metric for metric, status in found.statuses.items() if status != FORBIDDEN]
        if not left:
            break
    return found


def _ask(
    cloudwatch: CloudWatch, metrics: Sequence[MetricOf], first_s: int, end_s: int, found: MinuteValues
) -> None:
    asked = {f"m{number}": metric for number, metric in enumerate(metrics)}
    last: dict[str, str] = {}
    for result in _results(cloudwatch, asked, first_s, end_s):
        metric = asked[result["Id"]]
        pairs = zip(result.get("Timestamps", ()), result.get("Values", ()), strict=True)
        found.values.setdefault(metric, {}).update({int(at.timestamp()): float(value) for at, value in pairs})
        last[result["Id"]] = result.get("StatusCode", COMPLETE)
    for query_id, metric in asked.items():
        status = last.get(query_id, "no answer")
        if status == COMPLETE:
            found.statuses.pop(metric, None)
        else:
            found.statuses[metric] = status


def _results(
    cloudwatch: CloudWatch, asked: Mapping[str, MetricOf], first_s: int, end_s: int
) -> Iterator[Mapping[str, Any]]:
    """A metric may be on several pages: its last one says whether it is complete."""
    request: dict[str, Any] = {
        "MetricDataQueries": [metric.query(query_id) for query_id, metric in asked.items()],
        "StartTime": datetime.fromtimestamp(first_s, UTC),
        "EndTime": datetime.fromtimestamp(end_s, UTC),
        "ScanBy": "TimestampAscending",
    }
    while True:
        page = cloudwatch.get_metric_data(**request)
        yield from page["MetricDataResults"]
        if not (token := page.get("NextToken")):
            return
        request["NextToken"] = token
