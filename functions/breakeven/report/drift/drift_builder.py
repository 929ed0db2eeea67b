"""Drift as a report has it: since the last comparable run, or why there is none."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from breakeven.errors import InputError
from breakeven.report.contract.drift_model import (
    ChangedFact,
    ComparedFigure,
    DriftReport,
    MovedFigure,
    NearestRun,
    ShiftedFigure,
)
from breakeven.report.contract.report_model import Report
from breakeven.report.drift.comparable_runs import SuiteRun, comparable, nearest
from breakeven.report.drift.drift import FALSE_ALARMS, LEAST_CELLS, Drift, Figure, drift_between
from breakeven.report.drift.drift_words import sentences, summary
from breakeven.report.drift.significance import interval_of_repeats
from breakeven.report.drift.single_rates import rate_sentences
from breakeven.terms import Provenance

#: comparable runs whose reports are tried, the latest first: one may be gone, or of a version that is no
#: longer read
TRIED = 3
FIRST = "There is no earlier run of this suite to compare it with."


def drift_since_last(
    own: SuiteRun, report: Report, known: Sequence[SuiteRun], read: Callable[[str], Report | None]
) -> DriftReport:
    """Find the last comparable run and compare. The same runs give the same answer.

    :param own: the run of the report
    :param known: runs of its suite, in any order; those that are not earlier are ignored
    :param read: gives the report of a run by its id; None where it is gone or cannot be read
    """
    unread: list[str] = []
    for run in comparable(own, known)[:TRIED]:
        before = read(run.run_id)
        if before is not None:
            try:
                return reported(drift_between(before, report), before, report)
            except InputError:  # its report is not what is known of it
                pass
        unread.append(run.run_id)
    return _without(nearest(own, known, unread))


def _without(found: NearestRun | None) -> DriftReport:
    if found is None:
        return DriftReport(summary=FIRST, since=None, date=None)
    why = "; ".join(found.differences)
    run = f"{found.run_id} of {found.date}"
    said = f"No earlier run of this suite is comparable. The nearest is {run}: {why}."
    return DriftReport(summary=said, since=None, date=None, nearest=found)


def reported(drift: Drift, before: Report, after: Report) -> DriftReport:
    """A comparison as a report has it."""
    origins: dict[str, Provenance] = {case.target: case.provenance for case in (*before.cases, *after.cases)}
    date = before.started_at[:10]
    return DriftReport(
        summary=summary(drift, date),
        since=drift.before,
        date=date,
        changes=[ChangedFact(**asdict(change)) for change in drift.changes],
        shifts=[
            ShiftedFigure(
                target=one.measure.target,
                provenance=origins[one.measure.target],
                metric=one.measure.metric,
                figure=one.measure.name,
                cells=one.cells,
                ratio=one.ratio,
                p=one.p,
            )
            for one in drift.shifts
        ],
        moves=[
            MovedFigure(
                target=one.figure.measure.target,
                provenance=origins[one.figure.measure.target],
                scenario=one.figure.scenario,
                cell=one.figure.cell,
                metric=one.figure.measure.metric,
                figure=one.figure.measure.name,
                before=one.figure.means[0],
                after=one.figure.means[1],
                ratio=one.ratio,
                p=one.p,
            )
            for one in drift.moves
        ],
        unmoved=[_compared(figure, origins) for figure in _judged_unmoved(drift)],
        figures=len(drift.figures),
        judged_shifts=drift.judged[0],
        judged_moves=drift.judged[1],
        false_alarms=FALSE_ALARMS,
        findings=[*sentences(drift), *rate_sentences(drift, after)],
    )


def _judged_unmoved(drift: Drift) -> list[Figure]:
    """Those judged, alone or with their target's, the largest difference first; none where any moved."""
    if drift.shifts or drift.moves:
        return []
    cells = Counter(figure.measure for figure in drift.figures)
    judged = [one for one in drift.figures if one.is_repeated or cells[one.measure] >= LEAST_CELLS]
    return sorted(judged, key=lambda one: -abs(math.log(one.ratio)))


def _compared(figure: Figure, origins: Mapping[str, Provenance]) -> ComparedFigure:
    before, after = figure.means
    return ComparedFigure(
        target=figure.measure.target,
        provenance=origins[figure.measure.target],
        scenario=figure.scenario,
        cell=figure.cell,
        metric=figure.measure.metric,
        figure=figure.measure.name,
        before=before,
        before_interval=interval_of_repeats(figure.before),
        after=after,
        after_interval=interval_of_repeats(figure.after),
        ratio=figure.ratio,
    )
