"""A source's figures as rows of the result tables, for the queries that every run is asked.

A printed rate enters ``totals`` as a quotient (317 msg/s: 317 in 1 s; 14.8: 74 in 5 s), which is exact; a
least and a greatest latency enter there too. A printed mean or percentile enters ``latencies`` as a
statistic, as there are no bins that it could be read from. How many latencies stand behind a figure no
source says: that is null. Beside all this ``cases.printed`` keeps the figures as text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from breakeven.published.rows import Published, PublishedMetric, PublishedRow
from breakeven.report.contract.source_model import SourceReport
from breakeven.results.schemas import TABLES
from breakeven.terms import Place

ENVIRONMENT: Place = "elsewhere"
VARIANT = "as-printed"
NS_PER_MS = 1_000_000
#: how ``latencies.statistic`` names what ``PublishedMetric`` holds
STATISTICS = {"mean_ms": "mean", "p90_ms": "p90"}
Row = dict[str, Any]


def rows(published: Published) -> dict[str, list[Row]]:
    """Table name -> rows with every column of ``results.schemas``; tables that get none are left out."""
    found: dict[str, list[Row]] = {"cases": [], "totals": [], "latencies": []}
    for row in published.rows:
        found["cases"].append(_case(published, row))
        for metric, figures in row.metrics().items():
            key = {"case_id": case_id(row), "metric": metric}
            found["totals"].append(key | _total(figures))
            found["latencies"] += [key | statistic for statistic in _statistics(figures)]
    columns = {table.name: table.columns for table in TABLES}
    return {
        name: [dict.fromkeys(columns[name]) | row for row in some] for name, some in found.items() if some
    }


def source_of(published: Published) -> SourceReport:
    """What a report of the source's own figures says of it."""
    return SourceReport.of(vars(published) | vars(published.source))


def case_id(row: PublishedRow) -> str:
    """As a run names its cases: ``<scenario>.<cell>.<target>.r1``, URL-safe."""
    cell = re.sub(r"[^A-Za-z0-9.]+", "-", row.cell)
    return f"{row.scenario}.{cell}.{row.target}.r1"


def printed(row: PublishedRow) -> dict[str, str]:
    """Every figure of a row as text: ``produce.msg_per_s`` -> ``1875``."""
    texts = {
        f"{metric}.{name}": text
        for metric, figures in row.metrics().items()
        for name, text in figures.model_dump(exclude_none=True).items()
    }
    return texts | (row.figures.model_dump(exclude_none=True) if row.figures else {})


def _case(published: Published, row: PublishedRow) -> Row:
    parameters: dict[str, int | str] = {"mode": "parallel", **row.match, **row.parameters}
    if row.machine is not None:
        parameters |= {"instance_type": row.machine, **published.machines[row.machine]}
    return {
        "case_id": case_id(row),
        "scenario": row.scenario,
        "cell": row.cell,
        "target": row.target,
        "repeat": 1,
        "variant": VARIANT,
        "provenance": published.provenance,
        "environment": ENVIRONMENT,
        "status": "ok",
        **_counts(parameters),
        "flags": "[]",
        "parameters": json.dumps(parameters),
        "printed": json.dumps(printed(row)),
    }


def _counts(parameters: Mapping[str, int | str]) -> Row:
    """The workload's own columns, as far as the source says."""
    names = ("mode", "producers", "consumers", "queues", "message_bytes", "messages")
    return {name: parameters.get(name) for name in names}


def _total(figures: PublishedMetric) -> Row:
    completed, stage_s = Fraction(figures.msg_per_s).as_integer_ratio()
    return {
        "completed": completed,
        "stage_s": float(stage_s),
        "min_ns": _nanoseconds(figures.min_ms),
        "max_ns": _nanoseconds(figures.max_ms),
    }


def _statistics(figures: PublishedMetric) -> Iterator[Row]:
    for field, name in STATISTICS.items():
        value = _nanoseconds(getattr(figures, field))
        if value is not None:
            yield {"value_ns": value, "statistic": name}


def _nanoseconds(milliseconds: str | None) -> int | None:
    return None if milliseconds is None else round(Fraction(milliseconds) * NS_PER_MS)
