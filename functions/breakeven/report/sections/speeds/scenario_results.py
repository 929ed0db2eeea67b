"""Tests: each scenario's tables, with its charts after the last of them."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven.published.rows import Published
from breakeven.report.charts.open_loops import open_loops
from breakeven.report.charts.over_time import over_time
from breakeven.report.charts.sweep import sweeps
from breakeven.report.elements import Link, Paragraph, Part, Section, paragraph
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.scenario_tables import comparison_tables

AS_PRINTED = "As printed by the source; columns and cells that it leaves empty are omitted or hold a dash."
STILL = "Whatever the figures, the targets still differ in "
DIFFERENCES = Link("zones, copies, encryption, behaviour in a partition, release", "compared")


def section(subject: Subject) -> Section:
    published = subject.published
    beside = f", beside the figures of {published.label}" if published else ""
    return Section("tests", "Tests", (*_opening(subject), *_results(subject)), f"Tests{beside}")


def _opening(subject: Subject) -> tuple[Paragraph, ...]:
    if subject.report.source:
        return paragraph(AS_PRINTED, tone="differs")
    return paragraph(STILL, DIFFERENCES, f".{_source(subject.published)}", tone="differs")


def _source(published: Published | None) -> str:
    if published is None:
        return ""
    source, machines = published.source, published.setup["machines"]
    return f" Published figures: {published.title}, {source.publication}, {source.date}; {machines}."


def _results(subject: Subject) -> Iterator[Part]:
    charts = (
        *subject.drawn(over_time),
        *subject.drawn(open_loops),
        *subject.drawn(lambda report: sweeps(report, subject.published)),
    )
    tables = comparison_tables(subject.report, subject.published)
    last = {table.scenario: table.slug for table in tables}
    for table in tables:
        yield table
        if last[table.scenario] == table.slug:
            yield from (chart for chart in charts if chart.scenario == table.scenario)
