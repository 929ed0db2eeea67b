"""Flags of the cases: how many have one, and what raised each."""

from __future__ import annotations

from collections import Counter

from breakeven import words
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Bullets, Strong
from breakeven.terms import Flag

#: said of every case of a kind elsewhere: the target's name says emulated, the verdict says shared, a dash
#: says few samples, and a node that is down was asked for
EXPECTED = frozenset[Flag](("emulated", "shared_host", "few_samples", "nodes_down"))
#: a dash says it wherever a percentile is missing; report.json has the figures
UNLISTED = frozenset[Flag](("few_samples",))
NOT_RECORDED = "this run did not record what raised it"


def doubtful(case: CaseReport) -> list[Flag]:
    """The flags that say more than how the run was set up."""
    return [flag for flag in case.flags if flag not in EXPECTED]


def flags_summary(report: Report) -> str:
    """How many cases have a flag that bears on a figure, and which, in a sentence; empty of no case."""
    if not report.cases:
        return ""
    cases = words.plural(len(report.cases), "case")
    found = [doubtful(case) for case in report.cases]
    counts = Counter(flag for flags in found for flag in flags)
    if not counts:
        none = "The only case has no" if len(report.cases) == 1 else f"None of the {cases} has a"
        return f"{none} flag that bears on its figures."
    named = words.listing([f"{flag} ({number:,})" for flag, number in counts.most_common()])
    return f"{sum(map(bool, found))} of {cases} have a flag that bears on the figures: {named}."


def flags_list(report: Report) -> tuple[Bullets, ...]:
    """A line for each flag and what raised it, with the cases of which that was found."""
    items = tuple(
        (Strong(flag), f" ({_names(cases, len(report.cases))}): {said}.")
        for (flag, said), cases in sorted(_by_reason(report).items(), key=lambda row: row[0][0])
        if flag not in UNLISTED
    )
    return (Bullets(items, "note"),) if items else ()


def flag_lines(report: Report) -> list[str]:
    """For the terminal: each flag that bears on figures, with the cases and what raised it."""
    return [
        f"{flag}: {_names(cases, len(report.cases))}: {said}"
        for (flag, said), cases in _by_reason(report).items()
        if flag not in EXPECTED
    ]


def _by_reason(report: Report) -> dict[tuple[Flag, str], list[CaseReport]]:
    """The cases by flag and what raised it, in the order of the cases."""
    found: dict[tuple[Flag, str], list[CaseReport]] = {}
    for case in report.cases:
        for flag in case.flags:
            found.setdefault((flag, case.why(flag) or NOT_RECORDED), []).append(case)
    return found


def _names(cases: list[CaseReport], of: int) -> str:
    if len(cases) == of:
        return "all cases"
    return words.listing(
        [
            f"{words.case_name(case)} on {words.labelled_target(case.target, case.provenance)}"
            for case in cases
        ]
    )
