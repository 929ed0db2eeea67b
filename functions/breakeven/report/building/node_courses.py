"""Nodes over time, from rows of one a second to one course a node; and services, by CloudWatch."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from breakeven.report.building.query_answers import Rows, RunRecord
from breakeven.report.contract.node_model import NodeCourse, ServiceFigure, ServiceWatch
from breakeven.report.contract.strict import any_known
from breakeven.results.answered import picked

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
COLUMNS = ("case_id", "node", "taken", "host_cores", *RATES, *FIGURES, "alarms", "unknown")
#: field of a course -> what the broker calls its alarm
ALARMS = {"memory_alarm": "memory", "disk_alarm": "disk"}


def node_courses(rows: Rows, case_ids: Collection[str]) -> list[NodeCourse]:
    """The courses of these cases; ``rows`` are by case, node and second. A case without samples has none."""
    sampled = (
        (case_id, node, *figures)
        for case_id, node, *figures in picked(rows, COLUMNS)
        if node is not None and case_id in case_ids
    )
    return [
        _course(case_id, node, dict(zip(COLUMNS, zip(*seconds, strict=True), strict=True)))
        for (case_id, node), seconds in groupby(sampled, key=itemgetter(0, 1))
    ]


def _course(case_id: str, node: str, columns: Mapping[str, Sequence[Any]]) -> NodeCourse:
    """:param columns: by name, a value a second"""
    alarms = columns["alarms"]
    return NodeCourse(
        case_id=case_id,
        node=node,
        taken=_last(columns["taken"]),
        host_cores=_last(columns["host_cores"]),
        **{rate: list(columns[rate]) for rate in RATES},
        **{figure: _known(columns[figure]) for figure in FIGURES},
        **{field: _known([_raised(alarm, one) for one in alarms]) for field, alarm in ALARMS.items()},
        unknown=list(dict.fromkeys(filter(None, columns["unknown"]))),
    )


def _last(values: Sequence[Any]) -> Any:
    return next((value for value in reversed(values) if value is not None), None)


def _known(values: Sequence[Any]) -> list[Any]:
    """A value a second; none at all where none is known."""
    return list(values) if any_known(values) else []


def _raised(alarm: str, alarms: str | None) -> bool | None:
    return None if alarms is None else alarm in alarms.split(", ")


def service_watch(record: RunRecord, rows: Rows, case_ids: Collection[str]) -> ServiceWatch | None:
    """None where nobody was to ask CloudWatch, or did: on one machine, and in runs of earlier versions."""
    figures = [ServiceFigure.of(row) for row in rows if row["case_id"] in case_ids]
    if not (figures or record.metrics_read_at or record.metrics_unread):
        return None
    return ServiceWatch(read_at=record.metrics_read_at, unread=record.metrics_unread, figures=figures)
