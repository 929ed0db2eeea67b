"""Latency: percentiles of every case, and every metric."""

from __future__ import annotations

from breakeven import words
from breakeven.report.charts.latency_percentiles import has_latencies, latencies
from breakeven.report.contract.report_model import CaseReport, EndToEnd, Metric, Report
from breakeven.report.elements import Folded, Part, Row, Section, Table, filled, paragraph, trimmed
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.figures import STATISTIC_TITLES, STATISTICS, rate, statistics

LOWER_BOUNDS = (
    "≥ before a latency: it is at least that, as messages had no answer at the end, were not received, or "
    "were received once the producers helped to empty the queues."
)
NOTHING_RECORDED = "No latency was recorded in this run."


def section(subject: Subject) -> Section | None:
    """None of what a source published: its few latencies stand in the tests' tables."""
    report = subject.report
    if report.source:
        return None
    every = filled(metrics_table(report))
    parts: tuple[Part, ...] = (
        *(subject.drawn(latencies) if has_latencies(report) else paragraph(NOTHING_RECORDED)),
        *((Folded("every-metric", "Every metric of every case", every),) if every else ()),
    )
    return Section("latency", "Latency", parts)


def metrics_table(report: Report) -> Table:
    """Every metric of every case, so that an engineer need not open the JSON."""
    rows = tuple(
        _row(case, operation, metric)
        for case in report.cases
        for operation in words.OPERATIONS
        if (metric := getattr(case, operation))
    )
    return trimmed(
        Table(
            slug="metrics",
            caption="Every metric of every case",
            label_titles=("Target", "Metric"),
            columns=("msg/s", "msg/s up to 99.9%", "MB/s", *STATISTIC_TITLES, "operations"),
            groups=(("Rate", 3), ("Latency, ms", len(STATISTICS)), ("", 1)),
            rows=rows,
            notes=(LOWER_BOUNDS,) if any("≥" in cell for row in rows for cell in row.cells[3:]) else (),
        )
    )


def _row(case: CaseReport, operation: str, metric: Metric) -> Row:
    skipped = f" ({metric.skipped:,} skipped)" if isinstance(metric, EndToEnd) and metric.skipped else ""
    return Row(
        labels=(words.target_name(case.target), words.OPERATIONS[operation]),
        cells=(
            rate(case, operation),
            words.figure(metric.early_msg_per_s),
            words.figure(metric.mb_per_s),
            *statistics(case, operation),
            f"{words.count(metric.operations)}{skipped}",
        ),
        origin=case.provenance,
        section=words.case_name(case),
    )
