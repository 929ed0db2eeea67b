"""Flags of the cases: how many have one, and what raised each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from breakeven import words
from breakeven.loadgen.self_check.alike import greatest, shape, together
from breakeven.loadgen.self_check.loader_findings import causes_of
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Bullets, Strong
from breakeven.terms import Flag

#: said of every case of a kind elsewhere: the target's name says emulated, the verdict says shared, a dash
#: says few samples, and a node that is down was asked for
EXPECTED = frozenset[Flag](("emulated", "shared_host", "few_samples", "nodes_down"))
#: a dash says it wherever a percentile is missing; report.json has the figures
UNLISTED = frozenset[Flag](("few_samples",))
#: of the terminal's lines: causes of a flag, and cases by name where no figure tells them apart
MOST_CAUSES, MOST_NAMES = 3, 3
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
    number = sum(map(bool, found))
    some = words.capital(words.part(number, len(found), "case"))
    return f"{some} {'has' if number == 1 else 'have'} a flag that bears on the figures: {named}."


def flags_list(report: Report) -> tuple[Bullets, ...]:
    """A line for each flag and what raised it, with the cases of which that was found."""
    items = tuple(
        (Strong(flag), f" ({_names(cases, len(report.cases))}): {said}.")
        for (flag, said), cases in sorted(_by_reason(report).items(), key=lambda row: row[0][0])
        if flag not in UNLISTED
    )
    return (Bullets(items, "note"),) if items else ()


def flag_lines(report: Report) -> list[str]:
    """For the terminal: a line for each flag that bears on figures and each cause, the most frequent first.

    Figures that differ between cases have their range, and the case with the greatest is named.
    """
    return [line for flag, causes in _by_cause(report).items() for line in _lines_of(flag, causes, report)]


class Raised(NamedTuple):
    """One cause of a flag, of one case; ``who``: the loaders that found it, empty where none did."""

    case: CaseReport
    who: str
    said: str


def _by_cause(report: Report) -> dict[Flag, list[list[Raised]]]:
    """What raised each flag that bears on figures, by the shape of its words."""
    found: dict[Flag, dict[str, list[Raised]]] = {}
    for case in report.cases:
        for flag in doubtful(case):
            for who, said in causes_of(case.why(flag) or NOT_RECORDED):
                found.setdefault(flag, {}).setdefault(shape(said), []).append(Raised(case, who, said))
    return {flag: sorted(causes.values(), key=_cases, reverse=True) for flag, causes in found.items()}


def _cases(same: Sequence[Raised]) -> int:
    return len({one.case.case_id for one in same})


def _lines_of(flag: Flag, causes: Sequence[list[Raised]], report: Report) -> Iterator[str]:
    for same in causes[:MOST_CAUSES]:
        yield _line(flag, same, len(report.cases))
    if rest := causes[MOST_CAUSES:]:
        others = words.plural(_cases([one for same in rest for one in same]), "case")
        yield f"{flag} in {others} for {words.plural(len(rest), 'other reason')}: the report has them"


def _line(flag: Flag, same: Sequence[Raised], of: int) -> str:
    cases = list({one.case.case_id: one.case for one in same}.values())
    all_said = [one.said for one in same]
    said, most = together(all_said), greatest(all_said)
    if len(cases) == 1:
        who = f"{same[0].who}: " if same[0].who and len(same) == 1 else ""
        return f"{flag} in {_name(cases[0])}: {who}{said}"
    many = f"all {of:,}" if len(cases) == of else f"{len(cases):,} of {of:,}"
    if most is not None:
        return f"{flag} in {many} cases: {said}; most: {_name(same[most].case)}"
    names = "" if len(cases) == of else f" ({words.listing([_name(case) for case in cases], MOST_NAMES)})"
    return f"{flag} in {many} cases{names}: {said}"


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
    return words.listing([_name(case) for case in cases])


def _name(case: CaseReport) -> str:
    return f"{words.case_name(case)} on {words.labelled_target(case.target, case.provenance)}"
