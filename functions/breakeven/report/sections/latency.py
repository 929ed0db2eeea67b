"""Latency: percentiles of every case, and every metric."""

from __future__ import annotations

from breakeven import words
from breakeven.report.charts.latency_percentiles import has_latencies, latencies
from breakeven.report.contract.report_model import EndToEnd, Metric, Report
from breakeven.report.elements import Folded, Part, Row, Section, Table, badge, filled, paragraph, trimmed
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.figures import STATISTIC_TITLES, STATISTICS, rate, statistics

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
    rows = []
    for case in report.cases:
        for operation, title in words.OPERATIONS.items():
            metric: Metric | None = getattr(case, operation)
            if metric is None:
                continue
            skipped = (
                f" ({metric.skipped:,} skipped)" if isinstance(metric, EndToEnd) and metric.skipped else ""
            )
            rows.append(
                Row(
                    labels=(words.target_name(case.target), title),
                    cells=(
                        rate(case, operation),
                        words.figure(metric.early_msg_per_s),
                        words.figure(metric.mb_per_s),
                        *statistics(case, operation),
                        f"{words.count(metric.operations)}{skipped}",
                    ),
                    origin=case.provenance,
                    badge=badge(case.provenance),
                    section=words.case_name(case),
                )
            )
    return trimmed(
        Table(
            slug="metrics",
            caption="Every metric of every case",
            label_titles=("Target", "Metric"),
            columns=("msg/s", "msg/s up to 99.9%", "MB/s", *STATISTIC_TITLES, "operations"),
            groups=(("Rate", 3), ("Latency, ms", len(STATISTICS)), ("", 1)),
            rows=tuple(rows),
        )
    )
