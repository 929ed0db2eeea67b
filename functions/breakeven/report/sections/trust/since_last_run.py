"""Drift: what changed since the last comparable run, and which figures moved."""

from __future__ import annotations

from breakeven import words
from breakeven.report.contract.drift_model import DriftReport
from breakeven.report.elements import Folded, Part, Section, filled, paragraph
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.drift_tables import changes_table, moves_table, shifts_table
from breakeven.report.tables.within_chance_table import within_chance_table


def section(subject: Subject) -> Section | None:
    """None of what a source published, and of reports of earlier versions."""
    drift = subject.report.drift
    if drift is None:
        return None
    return Section("drift", "Drift", (*drift_parts(drift), *_unmoved(drift)), _heading(drift))


def drift_parts(drift: DriftReport) -> tuple[Part, ...]:
    """First what changed around the figures, then those that moved."""
    if drift.since is None:
        return paragraph(drift.summary)
    return (
        *paragraph(drift.summary),
        *filled(changes_table(drift)),
        *(part for finding in drift.findings for part in paragraph(finding)),
        *filled(shifts_table(drift), moves_table(drift)),
    )


def _unmoved(drift: DriftReport) -> tuple[Part, ...]:
    """Folded, as none of it is a finding."""
    table = within_chance_table(drift)
    summary = f"The {words.plural(len(table.rows), 'figure')} of both runs, none of which moved"
    return (Folded("drift-unmoved", summary, (table,)),) if table.rows else ()


def _heading(drift: DriftReport) -> str:
    return f"Drift since run {drift.since} of {drift.date}" if drift.since else ""
