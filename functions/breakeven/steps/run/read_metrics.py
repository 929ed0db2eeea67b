"""Reading what CloudWatch has of a run's services, once its lanes have ended, as rows of a minute each.

Brokers and queues are gone by then, and their metrics are not: CloudWatch keeps values of a minute for 15
days, whatever becomes of what they are of (Amazon CloudWatch User Guide, "Metrics retention").
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from breakeven.results import layout
from breakeven.results.items import CASES, RUN, case_item
from breakeven.results.schemas import SERVICE_MINUTES
from breakeven.steps.aws_clients import CloudWatch
from breakeven.steps.case.watch_rows import EVERY_S
from breakeven.steps.managed_brokers import broker_name
from breakeven.steps.run.metric_queries import MINUTE_S, MetricOf, MinuteValues, read_minutes
from breakeven.steps.services import Services
from breakeven.targets.catalog import record_of
from breakeven.targets.record import Part, ServiceMetric
from breakeven.workload.case import Case

#: how long CloudWatch keeps minutes, less an hour. A request that begins before that is answered with nothing
KEPT_S = 15 * 86_400 - 3600
#: of the run's own item: when it was read, and what of it CloudWatch did not answer
READ_AT, UNANSWERED = "metrics_read_at", "metrics_unanswered"


@dataclass(frozen=True, slots=True)
class Thing:
    """What metrics are of: a broker, a node of it or a queue. ``values`` are those of its dimensions."""

    part: Part
    name: str | None
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Watched:
    """A case of a service, watched from and to these instants, epoch seconds."""

    case: Case
    first_s: float
    last_s: float
    things: tuple[Thing, ...]

    @property
    def minutes(self) -> range:
        """When each minute began in which it was watched."""
        return range(int(self.first_s // MINUTE_S) * MINUTE_S, math.ceil(self.last_s), MINUTE_S)

    def seconds_of(self, minute_s: int) -> float:
        """Of the minute, in which it was."""
        return round(min(self.last_s, minute_s + MINUTE_S) - max(self.first_s, minute_s), 3)

    def metrics(self) -> Iterator[tuple[Thing, ServiceMetric, MetricOf]]:
        """Each metric of each thing, with how CloudWatch knows it."""
        known = record_of(self.case.target).service_metrics
        assert known
        for thing in self.things:
            dimensions = tuple(zip(known.dimensions[thing.part], thing.values, strict=True))
            for metric in known.metrics:
                yield thing, metric, MetricOf(known.namespace, metric.name, metric.statistic, dimensions)


def read_metrics(services: Services, cloudwatch: CloudWatch, run_id: str) -> int:
    """Read every metric of every service of the run's, and write its rows; how many values there are.

    Of a case that an earlier run has settled and read, its rows have come with it. A run that was aborted has
    read nothing, so that this is done here, as far as CloudWatch still has it. Twice, it does the same again,
    with what has come meanwhile.
    """
    plan = services.store.get_json(layout.plan_key(run_id))
    cases = [Case.model_validate(case) for case in plan["plan"]["cases"]]
    items = services.state(run_id).items(CASES)
    watched = [found for case in cases if (found := _watched(services, case, items))]
    minutes = _read(cloudwatch, watched)
    known = 0
    for each in watched:
        rows = list(_rows(each, minutes))
        known += sum(row["value"] is not None for row in rows)
        services.store.put_rows(SERVICE_MINUTES.name, run_id, each.case.case_id, rows)
    read = {READ_AT: datetime.now(UTC).isoformat(timespec="seconds"), UNANSWERED: minutes.unanswered()}
    services.state(run_id).update(RUN, **read)
    return known


def _watched(services: Services, case: Case, items: Mapping[str, Mapping[str, Any]]) -> Watched | None:
    """None: it is of no service, was read by an earlier run or is too old, or nobody has watched it."""
    item = items.get(case_item(case.case_id), {})
    if record_of(case.target).service_metrics is None:
        return None
    if "settled_in" in item and services.store.rows(SERVICE_MINUTES.name, case.run_id, case.case_id):
        return None
    samples = services.store.rows("nodes", case.run_id, case.case_id)
    if not samples:
        return None
    instants = [float(sample["at_s"]) for sample in samples]
    if "settled_in" in item and min(instants) < time.time() - KEPT_S:
        return None
    things = tuple(_things(case, item, dict.fromkeys(str(sample["node"]) for sample in samples)))
    return Watched(case, min(instants) - EVERY_S, max(instants), things)


def _things(case: Case, item: Mapping[str, Any], nodes: Mapping[str, None]) -> Iterator[Thing]:
    """The broker and its nodes, which the management API calls as CloudWatch does; or the case's queues."""
    if record_of(case.target).broker:
        broker = broker_name(str(item.get("settled_in", case.run_id)), case.target)
        yield Thing("broker", None, (broker,))
        # of a second in which no node ran, the sample's is the target's name
        yield from (Thing("node", node, (broker, node)) for node in nodes if node != case.target)
    else:
        names = [str(url).rpartition("/")[2] for url in json.loads(item.get("queues", "[]"))]
        yield from (Thing("queue", name, (name,)) for name in names)


def _read(cloudwatch: CloudWatch, watched: Sequence[Watched]) -> MinuteValues:
    """One question a metric, over the time of all cases: beyond its own case's a queue has no values."""
    metrics = [metric for each in watched for _, _, metric in each.metrics()]
    if not metrics:
        return MinuteValues()
    minutes = [minute for each in watched for minute in each.minutes]
    return read_minutes(cloudwatch, metrics, min(minutes), max(minutes) + MINUTE_S)


def _rows(watched: Watched, found: MinuteValues) -> Iterator[dict[str, Any]]:
    for thing, metric, asked in watched.metrics():
        for minute_s in watched.minutes:
            yield {
                "case_id": watched.case.case_id,
                "target": watched.case.target,
                "part": thing.part,
                "name": thing.name,
                "metric": metric.name,
                "statistic": metric.statistic,
                "unit": metric.unit,
                "minute_s": minute_s,
                "seconds": watched.seconds_of(minute_s),
                "value": found.at(asked, minute_s),
            }
