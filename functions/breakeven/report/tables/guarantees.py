"""Guarantees of a report's cases: which of them lack one, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from breakeven import words
from breakeven.report.contract.report_model import CaseReport, Report

EQUAL = "equal-guarantees"
#: each guarantee by which a message is safe, and whether a workload has it
GUARANTEES: Mapping[str, Callable[[CaseReport], bool]] = {
    "confirms": lambda case: case.parameters.get("confirms") is not False,
    "acknowledgements": lambda case: case.parameters.get("acks") is not False,
    "persistence": lambda case: case.parameters.get("persistent") is not False,
}


def has_confirms(case: CaseReport) -> bool:
    """Without them no message is confirmed, and none that is missing counts as lost."""
    return GUARANTEES["confirms"](case)


def lacking(report: Report) -> dict[str, int]:
    """Guarantees that cases lack, each with how many do."""
    counts = {name: sum(not has(case) for case in report.cases) for name, has in GUARANTEES.items()}
    return {name: count for name, count in counts.items() if count}


def variant_words(report: Report) -> str:
    """Such as 'equal guarantees', or 'without confirms' where no case has them."""
    variant, without = report.variant.replace("-", " "), lacking(report)
    if report.variant != EQUAL or not without:
        return variant
    listed = words.listing(list(without))
    if set(without.values()) == {len(report.cases)}:
        return f"without {listed}"
    return f"{variant}, but for cases without {listed}"


def lacking_sentence(report: Report) -> str | None:
    """Of how many cases equal guarantees are not true; None: of none."""
    if report.variant != EQUAL or not (without := lacking(report)):
        return None
    of = words.plural(len(report.cases), "case")
    parts = [
        f"{count} of {of} {'has' if count == 1 else 'have'} no {name}" for name, count in without.items()
    ]
    return f"Not all of that is true of every case: {words.listing(parts)}."
