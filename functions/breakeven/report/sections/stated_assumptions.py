"""Assumptions: what the figures rest on."""

from __future__ import annotations

from breakeven.report.elements import Bullets, Section
from breakeven.report.sections.subject import Subject


def section(subject: Subject) -> Section:
    items = tuple((assumption,) for assumption in subject.report.assumptions)
    return Section("assumptions", "Assumptions", (Bullets(items),) if items else ())
