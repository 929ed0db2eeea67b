"""Was the loader the limit? One row a case, of its busiest loader."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from breakeven import words
from breakeven.loadgen.case_figures import LoaderReport
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Row, Table, badge, trimmed

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
            columns=(
                "the limit",
                "loaders",
                "cores used",
                "woke late, p99 ms",
                "offered",
                "handed over",
                "late, p99 ms",
                "target had no room",
            ),
            rows=tuple(_row(case) for case in cases),
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


def _row(case: CaseReport) -> Row:
    limited = _is_limited(case)
    offered, achieved = _total(case, lambda one: one.offered), _total(case, lambda one: one.achieved)
    blocked = _most(one.blocked_share for one in case.loaders)
    return Row(
        labels=(words.target_name(case.target),),
        cells=(
            "yes" if limited else "no",
            str(len({loader.loader for loader in case.loaders})),
            words.figure(_most(one.cpu_share for one in case.loaders), 2),
            words.figure(_most(one.lag_p99_ms for one in case.loaders), 2),
            words.count(offered),
            words.count(achieved),
            words.figure(_most(one.pacing_p99_ms for one in case.loaders), 2),
            words.NOTHING if blocked is None else f"{blocked:.1%} of the time",
        ),
        origin=case.provenance,
        badge=badge(case.provenance),
        section=words.case_name(case),
        tone="bad" if limited else "",
    )


def _most(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _total(case: CaseReport, of: Callable[[LoaderReport], int | None]) -> int | None:
    values = [value for loader in case.loaders if (value := of(loader)) is not None]
    return sum(values) if values else None


def _evidence(cases: Iterable[CaseReport]) -> list[str]:
    return [
        f"{words.case_name(case)}, {words.target_name(case.target)}, loader {loader.loader}: "
        f"{loader.evidence}."
        for case in cases
        for loader in case.loaders
        if loader.evidence
    ]
