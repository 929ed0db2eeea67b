"""Validity: whether the run's own measuring may be believed, and what drove it."""

from __future__ import annotations

from breakeven.report.elements import Part, Section, filled, paragraph
from breakeven.report.sections.subject import Subject
from breakeven.report.tables import self_test
from breakeven.report.tables.driving_paths import driving_summary, driving_table, tails_summary
from breakeven.report.tables.loader_limits import loaders_summary, loaders_table

INSTRUMENT = (
    "A server of this project's own, the instrument, was programmed to lose, repeat and delay messages, and "
    "measured before all others with the same loader."
)
NO_LOADERS = "No loader told of itself in this run."


def section(subject: Subject) -> Section | None:
    """None of what a source published."""
    report = subject.report
    if report.source:
        return None
    tone = "doubt" if self_test.is_in_doubt(report) else ""
    proof = filled(self_test.validity_table(report))
    parts: tuple[Part, ...] = (
        *paragraph(self_test.opening(report), tone=tone),
        *(part for sentence in self_test.sentences(report) for part in paragraph(sentence, tone=tone)),
        *(paragraph(INSTRUMENT, tone="note") if proof else ()),
        *proof,
        *paragraph(loaders_summary(report)),
        *(filled(loaders_table(report)) or paragraph(NO_LOADERS)),
        *paragraph(driving_summary(report)),
        *filled(driving_table(report)),
        *paragraph(tails_summary(report)),
    )
    return Section("validity", "Validity", parts)
