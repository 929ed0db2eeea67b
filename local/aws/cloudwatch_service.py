"""CloudWatch's answers about many metrics, where moto is kinder: GetMetricData's rules, pages and retention.

moto takes any number of queries, answers all of them at once, has minutes begin wherever the request does,
and passes over a metric's namespace where dimensions are given. Here what it was given (by PutMetricData,
which stands for what services publish) is answered by the API reference, "GetMetricData", "MetricDataQuery",
"MetricStat" and "MetricDataResult". Math, Metrics Insights, other accounts and percentiles are refused:
nothing here asks for them.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from statistics import fmean
from typing import Any

from moto.cloudwatch.models import cloudwatch_backends
from moto.core import DEFAULT_ACCOUNT_ID

from local.aws.strict.front import Answer, PassOn, Request
from local.aws.strict.refusals import Refusal

SERVICE = "monitoring"
MOST_QUERIES, MOST_VALUES = 500, 100_800
QUERY_ID = re.compile(r"[a-z][A-Za-z0-9_]*")
#: seconds since a request's start, and what its period must be a multiple of to be answered with anything,
#: to which its start is rounded down
DAY_S = 86_400
KEPT = ((15 * DAY_S, 60), (63 * DAY_S, 300), (455 * DAY_S, 3600))
STATISTICS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "Average": fmean,
    "Maximum": max,
    "Minimum": min,
    "SampleCount": len,
    "Sum": sum,
}
Value = tuple[int, float]
#: namespace, name, and dimensions in order
Metric = tuple[str, str, tuple[tuple[str, str], ...]]


def answer_metrics(request: Request, pass_on: PassOn) -> Answer:
    """A layer: answers GetMetricData, and passes everything else on."""
    if request.operation != f"{SERVICE}:GetMetricData":
        return pass_on(request)
    given = request.parameters
    for fault in _faults(given):
        return Refusal("ValidationError", fault).answer(SERVICE)
    region = request.signature.region if request.signature else ""
    return Answer.of(200, "application/x-amz-json-1.0", json.dumps(_page(given, region)).encode())


def _faults(given: Mapping[str, Any]) -> Iterator[str]:
    queries = given["MetricDataQueries"]
    if len(queries) > MOST_QUERIES:
        yield f"The collection MetricDataQueries must not have a size greater than {MOST_QUERIES}."
    if _instant(given["StartTime"]) >= _instant(given["EndTime"]):
        yield "The parameter StartTime must be less than the parameter EndTime."
    most = given.get("MaxDatapoints")
    if most is not None and not 0 < int(most) <= MOST_VALUES:
        yield f"The parameter MaxDatapoints must be between 1 and {MOST_VALUES}."
    for query_id, times in Counter(query["Id"] for query in queries).items():
        if times > 1:
            yield f'The value "{query_id}" for parameter MetricDataQueries.member.Id is not unique.'
        if not QUERY_ID.fullmatch(query_id):
            yield f"The value {query_id} is not matching the expected pattern ^[a-z][a-zA-Z0-9_]*$."
    for query in queries:
        yield from _query_faults(query)


def _query_faults(query: Mapping[str, Any]) -> Iterator[str]:
    stat = query.get("MetricStat")
    if stat is None or "Expression" in query or "AccountId" in query:
        yield f"{query['Id']}: only queries of one metric, by MetricStat, are answered here."
        return
    if int(stat["Period"]) % 60:
        yield f"{query['Id']}: the period of a metric of regular resolution must be a multiple of 60."
    if stat["Stat"] not in STATISTICS:
        yield f"{query['Id']}: {stat['Stat']} is no statistic that is answered here."
    if not stat["Metric"].get("Namespace") or not stat["Metric"].get("MetricName"):
        yield f"{query['Id']}: the metric needs a namespace and a name."


def _page(given: Mapping[str, Any], region: str) -> dict[str, Any]:
    """As many values as go on a page; a metric that goes on, on the next one, has only a part of its data."""
    descending = given.get("ScanBy", "TimestampDescending") == "TimestampDescending"
    first = int(given.get("NextToken") or 0)
    end = first + int(given.get("MaxDatapoints") or MOST_VALUES)
    published = _published(region)
    results, passed = [], 0
    for query in given["MetricDataQueries"]:
        values = sorted(_values(query["MetricStat"], given, published), reverse=descending)
        own = values[max(0, first - passed) : max(0, end - passed)]
        whole = passed + len(values) <= end
        if own or (whole and passed >= first):
            results.append(
                {
                    "Id": query["Id"],
                    "Label": query.get("Label", query["MetricStat"]["Metric"]["MetricName"]),
                    "Timestamps": [at for at, _ in own],
                    "Values": [value for _, value in own],
                    "StatusCode": "Complete" if whole else "PartialData",
                }
            )
        passed += len(values)
    more = {"NextToken": str(end)} if passed > end else {}
    return {"MetricDataResults": results, **more}


def _values(
    stat: Mapping[str, Any], given: Mapping[str, Any], published: Mapping[Metric, Sequence[Any]]
) -> list[Value]:
    """By the begin of each period, epoch seconds; a period in which nothing was published has none."""
    period = int(stat["Period"])
    start, end = _instant(given["StartTime"]), _instant(given["EndTime"])
    step = next((step for age, step in KEPT if time.time() - start < age), None)
    if step is None or period % step:
        return []
    start -= start % step
    found: dict[int, list[float]] = {}
    metric, unit = stat["Metric"], stat.get("Unit")
    wanted = _dimensions((each["Name"], each["Value"]) for each in metric.get("Dimensions", []))
    for value in published.get((metric["Namespace"], metric["MetricName"], wanted), ()):
        at = value.timestamp.timestamp()
        if start <= at < end and unit in (None, value.unit):
            found.setdefault(int(start + (at - start) // period * period), []).append(float(value.value))
    return [(at, float(STATISTICS[stat["Stat"]](values))) for at, values in found.items()]


def _published(region: str) -> dict[Metric, list[Any]]:
    """What was published, by exactly the metric that it is of."""
    found: dict[Metric, list[Any]] = {}
    for value in cloudwatch_backends[DEFAULT_ACCOUNT_ID][region].get_all_metrics():
        dimensions = _dimensions((each.name, each.value) for each in value.dimensions)
        found.setdefault((value.namespace, value.name, dimensions), []).append(value)
    return found


def _dimensions(given: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(given))


def _instant(given: Any) -> float:
    """Epoch seconds, of what the protocol has as a number or as a time."""
    return given.timestamp() if isinstance(given, datetime) else float(given)
