"""Drift between two runs of a suite: what changed around them, and which figures moved beyond chance.

Judged twice, on logarithms (docs/decisions/0045-drift-by-targets-and-by-cells.md). A **shift** is of one
figure of a target over all its cells: a broker that has become slower shows in each of them. A **move** is of
one cell, by its repeats. Half of ``FALSE_ALARMS`` goes to either, with Holm's correction over all judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from statistics import geometric_mean
from typing import TypeVar

from breakeven import words
from breakeven.errors import InputError
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.drift.manifest_changes import Change, changes
from breakeven.report.drift.measured_once import measured_once, without
from breakeven.report.drift.report_changes import report_changes
from breakeven.report.drift.significance import p_of_ratios, p_of_repeats, significant
from breakeven.report.drift.survey_changes import survey_changes
from breakeven.report.drift.unlike_cells import UnlikeCell, unlike_cells

#: the probability, over a whole comparison, that anything is called moved though nothing changed
FALSE_ALARMS = 0.05
#: where a run is refused; whoever asked says it in the words of its own question
COMPARISON = "comparison of runs"
#: figures of a metric that are compared, each with its unit
FIGURES = {"msg_per_s": "msg/s", "p50_ms": "ms", "p99_ms": "ms"}
#: what a capacity search found, beside the metrics of ``words.OPERATIONS``
CAPACITY = "capacity"
#: cells that a shift is judged by, at least
LEAST_CELLS = 3
#: the least change that is a shift or a move. A host is a few percent faster or slower from run to run, in
#: all cells alike, which no test of the cells of two runs can tell from a change of the target
LEAST_CHANGE = 0.05


@dataclass(frozen=True, slots=True)
class Measure:
    """What a figure is of: a target, a metric of ``words.OPERATIONS`` or ``CAPACITY``, one of ``FIGURES``."""

    target: str
    metric: str
    name: str


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of one cell in both runs, a value for each repeat."""

    measure: Measure
    scenario: str
    cell: str
    before: tuple[float, ...]
    after: tuple[float, ...]

    @property
    def means(self) -> tuple[float, float]:
        """Geometric means before and after."""
        return geometric_mean(self.before), geometric_mean(self.after)

    @property
    def ratio(self) -> float:
        """Of the means, after / before."""
        before, after = self.means
        return after / before

    @property
    def is_repeated(self) -> bool:
        return min(len(self.before), len(self.after)) > 1


@dataclass(frozen=True, slots=True)
class Shift:
    """One measure over ``cells`` cells; ``ratio`` is the geometric mean of theirs."""

    measure: Measure
    cells: int
    ratio: float
    p: float


@dataclass(frozen=True, slots=True)
class Move:
    """A figure of one cell that was judged by its repeats."""

    figure: Figure
    p: float

    @property
    def ratio(self) -> float:
        return self.figure.ratio


@dataclass(frozen=True, slots=True)
class Incomplete:
    """A run of whose cases some ``failed``, or are ``unsettled``: its report was written before its end."""

    run_id: str
    cases: int
    failed: int
    unsettled: int


@dataclass(frozen=True, slots=True)
class Busy:
    """A run in ``busy`` of whose ``cases`` the host did other work, too, or changed its speed."""

    run_id: str
    cases: int
    busy: int


@dataclass(frozen=True, slots=True)
class Drift:
    """``figures`` are those that both runs have; the others are counted by the run that has them.

    :param shifts: those beyond chance, the surest first; likewise ``moves``
    :param judged: how many shifts and how many moves were judged
    :param doubted: ids of the runs whose self-test failed
    :param emulated: targets that a stand-in stood for
    :param once: cases that both have of one measurement, as one run resumed the other, and that are left out
    """

    before: str
    after: str
    changes: tuple[Change, ...]
    figures: tuple[Figure, ...]
    shifts: tuple[Shift, ...]
    moves: tuple[Move, ...]
    judged: tuple[int, int]
    only_before: int
    only_after: int
    unlike: tuple[UnlikeCell, ...]
    incomplete: tuple[Incomplete, ...] = ()
    doubted: tuple[str, ...] = ()
    busy: tuple[Busy, ...] = ()
    emulated: tuple[str, ...] = ()
    once: int = 0


Key = tuple[Measure, str, str]
Judged = TypeVar("Judged", Shift, Move)


def drift_between(before: Report, after: Report) -> Drift:
    """Compare a run with the one that it is held against.

    :raises InputError: they are not comparable, and why
    """
    _check_comparable(before, after)
    once = measured_once(before, after)
    old, new = (figures_of(without(each, once)) for each in (before, after))
    unlike = unlike_cells(before, after)
    left_out = {(each.target, each.scenario, each.cell) for each in unlike}
    for side in (old, new):
        for measure, scenario, cell in list(side):
            if (measure.target, scenario, cell) in left_out:
                del side[measure, scenario, cell]
    figures = [Figure(*key, tuple(old[key]), tuple(new[key])) for key in new if key in old]
    shifts = list(_shifts(figures))
    moves = [Move(one, p_of_repeats(one.before, one.after)) for one in figures if one.is_repeated]
    return Drift(
        before=before.run_id,
        after=after.run_id,
        changes=(
            *changes(before.manifest, after.manifest),
            *report_changes(before, after),
            *survey_changes(before, after),
        ),
        figures=tuple(figures),
        shifts=_beyond_chance(shifts),
        moves=_beyond_chance(moves),
        judged=(len(shifts), len(moves)),
        only_before=len(old) - len(figures),
        only_after=len(new) - len(figures),
        unlike=tuple(unlike),
        incomplete=tuple(filter(None, map(_incomplete, (before, after)))),
        doubted=tuple(each.run_id for each in (before, after) if each.is_in_doubt),
        busy=tuple(filter(None, map(_busy, (before, after)))),
        emulated=tuple(sorted({case.target for case in after.cases if case.provenance == "emulated"})),
        once=len(once),
    )


def _incomplete(report: Report) -> Incomplete | None:
    """None of a run that measured all of its cases to the end."""
    failed = sum(case.status == "failed" for case in report.cases)
    cases = len(report.cases) + report.unsettled
    return Incomplete(report.run_id, cases, failed, report.unsettled) if failed + report.unsettled else None


def _busy(report: Report) -> Busy | None:
    done = [case for case in report.cases if case.status == "ok"]
    busy = sum("busy_host" in case.flags for case in done)
    return Busy(report.run_id, len(done), busy) if busy else None


def _beyond_chance(judged: Sequence[Judged]) -> tuple[Judged, ...]:
    found = significant([one.p for one in judged], FALSE_ALARMS / 2)
    beyond = (
        one
        for one, is_found in zip(judged, found, strict=True)
        if is_found and abs(math.log(one.ratio)) >= math.log1p(LEAST_CHANGE)
    )
    return tuple(sorted(beyond, key=attrgetter("p")))


def rates_by_target(figures: Sequence[Figure]) -> list[Shift]:
    """Each rate of a target over all its cells, however few: those that are not judged have a p of 1."""
    return [
        Shift(measure, len(ratios), geometric_mean(ratios), 1.0)
        for measure, ratios in _ratios_by_measure(figures)
        if measure.name == "msg_per_s"
    ]


def _shifts(figures: Sequence[Figure]) -> Iterator[Shift]:
    for measure, ratios in _ratios_by_measure(figures):
        if len(ratios) >= LEAST_CELLS:
            yield Shift(measure, len(ratios), geometric_mean(ratios), p_of_ratios(ratios))


def _ratios_by_measure(figures: Sequence[Figure]) -> Iterator[tuple[Measure, list[float]]]:
    """Of each measure the ratios of all its cells."""

    def of(figure: Figure) -> tuple[str, str, str]:
        return figure.measure.target, figure.measure.metric, figure.measure.name

    for key, group in groupby(sorted(figures, key=of), of):
        yield Measure(*key), [one.ratio for one in group]


def _check_comparable(before: Report, after: Report) -> None:
    for report in (before, after):
        if report.source:
            remedy = "is what a source published, which has no repeats; compare two runs"
            raise InputError(COMPARISON, "run", report.run_id, remedy)
    for field, what in (("suite", "suite"), ("environment", "place"), ("variant", "variant")):
        old, new = getattr(before, field), getattr(after, field)
        if old != new:
            remedy = f"is of the {what} {new}, and {before.run_id} of {old}; compare runs of one {what}"
            raise InputError(COMPARISON, "run", after.run_id, remedy)


def figures_of(report: Report) -> dict[Key, list[float]]:
    """Positive figures of the cases that were measured to the end, by what they are of; a value a repeat."""
    found: dict[Key, list[float]] = {}
    for case in sorted(report.cases, key=lambda case: case.repeat):
        for metric, name, value in _of_case(case) if case.status == "ok" else ():
            found.setdefault((Measure(case.target, metric, name), case.scenario, case.cell), []).append(value)
    return found


def _of_case(case: CaseReport) -> Iterator[tuple[str, str, float]]:
    if rate := case.held_rate:
        yield CAPACITY, "msg_per_s", rate
        return
    for operation in words.OPERATIONS:
        metric = getattr(case, operation, None)
        for name in FIGURES if metric else ():
            value = getattr(metric, name)
            if value and value > 0:
                yield operation, name, value
