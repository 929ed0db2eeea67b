"""Was the loader the limit? One row a case, of its busiest loader."""

from __future__ import annotations

from collections.abc import Iterable

from breakeven import words
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Table, trimmed
from breakeven.report.tables.figures import Columns, case_rows

WHAT_IT_MEANS = (
    "A loader is the limit at 0.8 of a core, when a thread of a function or task wakes over 5 ms late "
    "1 time in 100, when it hands over 1 message in 100 more than 1 ms late, or when it hands over less than "
    "99% of what was due although the target had room. Its figures are then lower bounds."
)


def loaders_table(report: Report) -> Table:
    """Of each case the most that any of its loaders, in any measured stage, used, lagged or was held up."""
    cases = [case for case in report.cases if case.loaders]
    return trimmed(
        Table(
            slug="loaders",
            caption="The loaders: was one of them the limit?",
            label_titles=("Target",),
            columns=tuple(COLUMNS),
            rows=case_rows(cases, COLUMNS, _is_limited),
            notes=(WHAT_IT_MEANS, *report.manifest.loaders, *_evidence(cases)),
        )
    )


def loaders_summary(report: Report) -> str:
    """How many cases a loader limited, in a sentence; empty where no loader reported on itself."""
    cases = [case for case in report.cases if case.loaders]
    if not cases:
        return ""
    limited = sum(_is_limited(case) for case in cases)
    return f"A loader was the limit in {limited or 'none'} of the {len(cases)} cases."


def _is_limited(case: CaseReport) -> bool:
    return any(loader.saturated for loader in case.loaders)


def _values(case: CaseReport, name: str) -> list[float]:
    """What those of its loaders have that know it."""
    found = (getattr(loader, name) for loader in case.loaders)
    return [value for value in found if value is not None]


def _most(case: CaseReport, name: str) -> str:
    return words.figure(max(_values(case, name), default=None), 2)


def _total(case: CaseReport, name: str) -> str:
    values = _values(case, name)
    return words.count(int(sum(values))) if values else words.NOTHING


def _blocked(case: CaseReport) -> str:
    shares = _values(case, "blocked_share")
    return f"{max(shares):.1%} of the time" if shares else words.NOTHING


COLUMNS: Columns = {
    "the limit": lambda case: "yes" if _is_limited(case) else "no",
    "loaders": lambda case: str(len({loader.loader for loader in case.loaders})),
    "cores used": lambda case: _most(case, "cpu_share"),
    "woke late, p99 ms": lambda case: _most(case, "lag_p99_ms"),
    "offered": lambda case: _total(case, "offered"),
    "handed over": lambda case: _total(case, "achieved"),
    "late, p99 ms": lambda case: _most(case, "pacing_p99_ms"),
    "target had no room": _blocked,
}


def _evidence(cases: Iterable[CaseReport]) -> list[str]:
    return [
        f"{words.case_name(case)}, {words.target_name(case.target)}, loader {loader.loader}: "
        f"{loader.evidence}."
        for case in cases
        for loader in case.loaders
        if loader.evidence
    ]
