"""Failed cases: which, and why."""

from __future__ import annotations

from breakeven import words
from breakeven.report.elements import Bullets, Section, Strong
from breakeven.report.sections.subject import Subject


def section(subject: Subject) -> Section | None:
    failed = [case for case in subject.report.cases if case.status == "failed"]
    if not failed:
        return None
    items = tuple(
        (
            Strong(words.case_name(case)),
            f" on {words.labelled_target(case.target, case.provenance)}: "
            f"{case.reason or 'no reason recorded'}",
        )
        for case in failed
    )
    return Section("failed", "Failed cases", (Bullets(items, "failures"),), in_contents=False)
