"""Cells of the same name that are not the same work in two runs, and so tell nothing of drift."""

from __future__ import annotations

from dataclasses import dataclass

from breakeven.report.contract.report_model import CaseReport, Report


@dataclass(frozen=True, slots=True)
class UnlikeCell:
    """``reason`` names the first thing that differs, with both values."""

    target: str
    scenario: str
    cell: str
    reason: str


def unlike_cells(before: Report, after: Report) -> list[UnlikeCell]:
    """Cells of both runs that differ in provenance, environment or a parameter of their workload."""
    old, new = _firsts(before), _firsts(after)
    reasons = ((key, _difference(old[key], new[key])) for key in new if key in old)
    return [UnlikeCell(*key, reason) for key, reason in reasons if reason]


def _firsts(report: Report) -> dict[tuple[str, str, str], CaseReport]:
    """One case of each cell: repeats have the same parameters."""
    return {(case.target, case.scenario, case.cell): case for case in report.cases}


def _difference(old: CaseReport, new: CaseReport) -> str | None:
    for name in ("provenance", "environment"):
        if getattr(old, name) != getattr(new, name):
            return f"{name} {getattr(old, name)}, then {getattr(new, name)}"
    for name in sorted({*old.parameters, *new.parameters}):
        if old.parameters.get(name) != new.parameters.get(name):
            return f"{name} {old.parameters.get(name)}, then {new.parameters.get(name)}"
    return None
