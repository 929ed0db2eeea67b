"""The answer in detail: what the verdict leaves, by subject."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.report.contract.report_model import Detail
from breakeven.report.elements import Definitions, Section
from breakeven.report.sections.subject import Subject

TITLE = "The answer in detail"


def section(subject: Subject) -> Section:
    return detail_section(subject.report.detail)


def detail_section(detail: Sequence[Detail]) -> Section:
    """Without parts where nothing is left to say, as of reports of earlier versions."""
    entries = tuple((one.subject, one.text) for one in detail)
    return Section("detail", TITLE, (Definitions(entries, style="detail"),) if entries else ())
