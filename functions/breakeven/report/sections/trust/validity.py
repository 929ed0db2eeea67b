"""Validity: whether the run's measurements can be trusted, and what drove the cases."""

from __future__ import annotations

from collections.abc import Callable

from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Part, Section, filled, paragraph
from breakeven.report.sections.subject import Subject
from breakeven.report.tables import instrument_findings
from breakeven.report.tables.flag_tables import flags_list, flags_summary
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


def _instrument(report: Report) -> str:
    return INSTRUMENT if report.validity and report.validity.instrument else ""


def _no_loaders(report: Report) -> str:
    return "" if any(case.loaders for case in report.cases) else NO_LOADERS


#: by name; each answers with nothing where its condition does not hold, and tests hold that each has its two
#: boundary examples
SENTENCES: dict[str, Callable[[Report], str]] = {
    "passed": instrument_findings.passed,
    "failed": instrument_findings.failed,
    "not_run": instrument_findings.not_run,
    "instrument": _instrument,
    "flagged": flags_summary,
    "loaders": loaders_summary,
    "no_loaders": _no_loaders,
    "driving": driving_summary,
    "tails": tails_summary,
}


def section(subject: Subject) -> Section | None:
    """None of what a source published."""
    report = subject.report
    if report.source:
        return None
    tone = "doubt" if report.is_in_doubt else ""
    said = {name: say(report) for name, say in SENTENCES.items()}
    parts: tuple[Part, ...] = (
        *paragraph(instrument_findings.opening(report), tone=tone),
        *(
            part
            for sentence in instrument_findings.sentences(report)
            for part in paragraph(sentence, tone=tone)
        ),
        *paragraph(said["instrument"], tone="note"),
        *filled(instrument_findings.validity_table(report)),
        *paragraph(said["flagged"]),
        *flags_list(report),
        *paragraph(said["loaders"]),
        *filled(loaders_table(report)),
        *paragraph(said["no_loaders"]),
        *paragraph(said["driving"]),
        *filled(driving_table(report)),
        *paragraph(said["tails"]),
    )
    return Section("validity", "Validity", parts)
