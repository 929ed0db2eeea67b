"""Nodes over time, from rows of one a second to one course a node; and services, by CloudWatch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from breakeven.report.building.query_answers import Rows, RunRecord
from breakeven.report.contract.node_model import NodeCourse, ServiceFigure, ServiceWatch
from breakeven.report.contract.strict import any_known

#: figures that a course has by their own names
FIGURES = (
    "depth",
    "cpu_cores",
    "steal_cores",
    "resident_bytes",
    "read_bytes_per_s",
    "written_bytes_per_s",
    "disk_busy_share",
)
RATES = ("produced_per_s", "consumed_per_s")
#: field of a course -> what the broker calls its alarm
ALARMS = {"memory_alarm": "memory", "disk_alarm": "disk"}
Row = Mapping[str, Any]


def node_courses(rows: Rows, case_ids: Collection[str]) -> list[NodeCourse]:
    """The courses of these cases; ``rows`` are by case, node and second. A case without samples has none."""
    sampled = (row for row in rows if row["node"] is not None and row["case_id"] in case_ids)
    return [
        _course(case_id, node, list(seconds))
        for (case_id, node), seconds in groupby(sampled, key=lambda row: (row["case_id"], row["node"]))
    ]


def _course(case_id: str, node: str, seconds: Sequence[Row]) -> NodeCourse:
    return NodeCourse(
        case_id=case_id,
        node=node,
        taken=_last(seconds, "taken"),
        host_cores=_last(seconds, "host_cores"),
        **{rate: [row[rate] for row in seconds] for rate in RATES},
        **{figure: _known(seconds, itemgetter(figure)) for figure in FIGURES},
        **{field: _known(seconds, _raised(alarm)) for field, alarm in ALARMS.items()},
        unknown=list(dict.fromkeys(row["unknown"] for row in seconds if row["unknown"])),
    )


def _last(seconds: Sequence[Row], name: str) -> Any:
    return next((row[name] for row in reversed(seconds) if row[name] is not None), None)


def _known(seconds: Sequence[Row], figure: Callable[[Row], Any]) -> list[Any]:
    """A value a second; none at all where none is known."""
    values = [figure(row) for row in seconds]
    return values if any_known(values) else []


def _raised(alarm: str) -> Callable[[Row], bool | None]:
    return lambda row: None if row["alarms"] is None else alarm in row["alarms"].split(", ")


def service_watch(record: RunRecord, rows: Rows, case_ids: Collection[str]) -> ServiceWatch | None:
    """None where nobody was to ask CloudWatch, or did: on one machine, and in runs of earlier versions."""
    figures = [ServiceFigure.of(row) for row in rows if row["case_id"] in case_ids]
    if not (figures or record.metrics_read_at or record.metrics_unread):
        return None
    return ServiceWatch(read_at=record.metrics_read_at, unread=record.metrics_unread, figures=figures)
