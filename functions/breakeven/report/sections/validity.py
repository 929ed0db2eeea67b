"""Validity: whether the run's measurements can be trusted, and what drove the cases."""

from __future__ import annotations

from breakeven.report.elements import Part, Section, filled, paragraph
from breakeven.report.sections.subject import Subject
from breakeven.report.tables import instrument_findings
from breakeven.report.tables.loader_tables import (
    driving_summary,
    driving_table,
    loaders_summary,
    loaders_table,
    tails_summary,
)

INSTRUMENT = (
    "The instrument, a server of this project's own, was programmed to lose, repeat and delay messages, and "
    "was measured first, with the same loader."
)
NO_LOADERS = "No loader reported on itself in this run."


def section(subject: Subject) -> Section | None:
    """None of what a source published."""
    report = subject.report
    if report.source:
        return None
    tone = "doubt" if instrument_findings.is_in_doubt(report) else ""
    proof = filled(instrument_findings.validity_table(report))
    parts: tuple[Part, ...] = (
        *paragraph(instrument_findings.opening(report), tone=tone),
        *(
            part
            for sentence in instrument_findings.sentences(report)
            for part in paragraph(sentence, tone=tone)
        ),
        *(paragraph(INSTRUMENT, tone="note") if proof else ()),
        *proof,
        *paragraph(loaders_summary(report)),
        *(filled(loaders_table(report)) or paragraph(NO_LOADERS)),
        *paragraph(driving_summary(report)),
        *filled(driving_table(report)),
        *paragraph(tails_summary(report)),
    )
    return Section("validity", "Validity", parts)
