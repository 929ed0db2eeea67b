"""Trend of a suite: the level of each figure in every comparable run, and the runs at which it changed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean, geometric_mean

from breakeven.report.contract.report_model import Report
from breakeven.report.drift.change_points import LEAST_RUNS, Cut, change_points
from breakeven.report.drift.comparable_runs import SuiteRun
from breakeven.report.drift.drift import FALSE_ALARMS, LEAST_CHANGE, Measure, figures_of
from breakeven.report.drift.manifest_changes import changes
from breakeven.report.drift.measured_once import each_once
from breakeven.terms import Provenance

#: of the newest run's cells of a figure, those that another must have for its level to count
LEAST_SHARE = 0.5
#: of fitting levels by turns; each brings them an order of magnitude nearer or so
MOST_ROUNDS = 200
SETTLED = 1e-12


@dataclass(frozen=True, slots=True)
class Series:
    """A figure of a target over runs.

    :param levels: ratios to the first run that has it; None of a run that lacks it
    :param cells: of the newest run, over which a run's level is the mean
    """

    measure: Measure
    provenance: Provenance
    cells: int
    levels: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A run from which on a figure is another.

    :param run: its number among the runs of the trend
    :param ratio: the level after, up to the next change, over the one before, back to the last
    :param changed: fields of the manifest that differ from the run before
    """

    measure: Measure
    provenance: Provenance
    cells: int
    run: int
    ratio: float
    p: float
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trend:
    """
    :param left_out: runs that are not comparable with the newest, or whose reports cannot be read
    :param busy: runs in which the host of a case was busy with other work
    :param doubted: ids of the runs whose self-test failed
    :param once: cases that a later run took over from an earlier one, and that count in the later one only
    """

    suite: str
    runs: tuple[SuiteRun, ...]
    series: tuple[Series, ...]
    points: tuple[ChangePoint, ...]
    left_out: int
    busy: int
    newest: Report = field(repr=False)
    once: int = 0
    doubted: tuple[str, ...] = ()

    def mark(self, run: int) -> str:
        """What stands behind the name of the run with that number, where its self-test failed."""
        return " (self-test failed)" if self.runs[run].run_id in self.doubted else ""


def trend(suite: str, known: Sequence[SuiteRun], read: Callable[[str], Report | None]) -> Trend | None:
    """The trend over all runs that are comparable with the newest; None where there is no run to read.

    :param read: gives the report of a run by its id; None where it is gone or cannot be read
    """
    ordered = sorted((run for run in known if run.ok), key=lambda run: run.age)
    chosen = [run for run in ordered if not ordered[-1].differences(run)]
    found = [(run, report) for run in chosen if (report := read(run.run_id)) is not None]
    if not found:
        return None
    runs, whole = zip(*found, strict=True)
    reports = each_once(whole)
    series = tuple(_all_series(reports))
    points, busy = tuple(_points(series, reports)), sum(map(_was_busy, reports))
    once = sum(len(one.cases) for one in whole) - sum(len(one.cases) for one in reports)
    doubted = tuple(run.run_id for run, report in found if report.is_in_doubt)
    return Trend(suite, runs, series, points, len(known) - len(runs), busy, reports[-1], once, doubted)


def _was_busy(report: Report) -> bool:
    return any("busy_host" in case.flags for case in report.cases)


#: what a cell is the same by: scenario, cell, and its workload
Cell = tuple[str, str, str]


def _all_series(reports: Sequence[Report]) -> Iterator[Series]:
    """Of each figure that the newest run has."""
    by_run = [_logs(report) for report in reports]
    origins = {case.target: case.provenance for case in reports[-1].cases}
    for measure, newest in by_run[-1].items():
        cells = [
            {run: logs[measure][cell] for run, logs in enumerate(by_run) if cell in logs.get(measure, {})}
            for cell in newest
        ]
        known = [sum(run in cell for cell in cells) for run in range(len(by_run))]
        kept = [run for run, count in enumerate(known) if count >= LEAST_SHARE * len(cells)]
        levels = run_levels([{run: cell[run] for run in kept if run in cell} for cell in cells])
        first = levels[kept[0]]
        ratios = (math.exp(levels[run] - first) if run in levels else None for run in range(len(by_run)))
        yield Series(measure, origins[measure.target], len(cells), tuple(ratios))


def _logs(report: Report) -> dict[Measure, dict[Cell, float]]:
    """Logarithm of each cell's geometric mean over its repeats, by what it is of."""
    works = {
        (case.target, case.scenario, case.cell): json.dumps(
            [case.provenance, case.environment, case.parameters], sort_keys=True
        )
        for case in report.cases
    }
    found: dict[Measure, dict[Cell, float]] = {}
    for (measure, scenario, cell), values in figures_of(report).items():
        work = works[measure.target, scenario, cell]
        found.setdefault(measure, {})[scenario, cell, work] = math.log(geometric_mean(values))
    return found


def run_levels(cells: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """How far each run lies from what is usual of its cells: an additive model, fitted by turns.

    A run that lacks a cell, as one case of it failed, is compared by the others.

    :param cells: of each cell its logarithm in each run
    """
    levels = dict.fromkeys(sorted({run for cell in cells for run in cell}), 0.0)
    for _ in range(MOST_ROUNDS):
        usual = [fmean(value - levels[run] for run, value in cell.items()) for cell in cells]
        fitted = {
            run: fmean(cell[run] - mean for cell, mean in zip(cells, usual, strict=True) if run in cell)
            for run in levels
        }
        moved = max(abs(fitted[run] - levels[run]) for run in levels)
        levels = fitted
        if moved < SETTLED:
            break
    return levels


def _points(series: Sequence[Series], reports: Sequence[Report]) -> Iterator[ChangePoint]:
    """In the order of runs; those of a run in the order of the series."""
    kept = [[run for run, level in enumerate(one.levels) if level is not None] for one in series]
    logs = [[math.log(level) for level in one.levels if level is not None] for one in series]
    found = [
        (kept[number][cut.at], number, cut, ratio)
        for number, cuts in enumerate(change_points(logs, FALSE_ALARMS))
        for cut, ratio in zip(cuts, _ratios(logs[number], cuts), strict=True)
        if abs(math.log(ratio)) >= math.log1p(LEAST_CHANGE)
    ]
    for run, number, cut, ratio in sorted(found, key=lambda each: each[:2]):
        one, before = series[number], kept[number][cut.at - 1]
        differing = tuple(each.field for each in changes(reports[before].manifest, reports[run].manifest))
        yield ChangePoint(one.measure, one.provenance, one.cells, run, ratio, cut.p, differing)


def _ratios(logs: Sequence[float], cuts: Sequence[Cut]) -> list[float]:
    """At each change point the mean after it over the one before, each up to the next one."""
    bounds = [0, *(cut.at for cut in cuts), len(logs)]
    means = [fmean(logs[start:end]) for start, end in pairwise(bounds)]
    return [math.exp(after - before) for before, after in pairwise(means)]


def judged(found: Trend) -> int:
    """Series that are long enough to have a change point."""
    return sum(sum(level is not None for level in one.levels) >= LEAST_RUNS for one in found.series)
