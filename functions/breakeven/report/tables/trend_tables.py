"""Tables of a suite's trend: the change points, and where each figure stands."""

from __future__ import annotations

from breakeven import words
from breakeven.report.drift.drift import Measure
from breakeven.report.drift.trend import ChangePoint, Series, Trend
from breakeven.report.elements import Row, Table
from breakeven.report.tables.drift_tables import figure_name, probability

#: facts of a manifest that a row names
NAMED = 4
P = (
    "p is the probability of such a change by chance, over all runs at which it could be, before the "
    "correction for how many figures are judged. What changed is what differs in software, "
    "machine, suite and prices from the run before."
)


def points_table(trend: Trend) -> Table:
    """In the order of runs."""
    return Table(
        slug="change-points",
        caption="Change points",
        label_titles=("Since run", "Target", "Figure", "What changed"),
        columns=("change", "p", "cells"),
        rows=tuple(_point(trend, point) for point in trend.points),
        notes=(P,),
    )


def _point(trend: Trend, point: ChangePoint) -> Row:
    run = trend.runs[point.run]
    labels = (f"{run.run_id}, {run.date}{trend.mark(point.run)}", *_labels(point.measure, point.provenance))
    figures = (words.change(point.ratio), probability(point.p), str(point.cells))
    return Row((*labels, words.listing(point.changed, NAMED) or words.NOTHING), figures, point.provenance)


def series_table(trend: Trend) -> Table:
    """Of each figure the last level, against the first and the one before; empty of a single run."""
    return Table(
        slug="series",
        caption="Each figure over the runs",
        label_titles=("Target", "Figure"),
        columns=("against the first run", "against the run before", "cells", "runs"),
        rows=tuple(map(_series, trend.series)) if len(trend.runs) > 1 else (),
        notes=(
            "The last run's level: the geometric mean over its cells. Runs that lack the figure, or most of "
            "its cells, are passed over.",
        ),
    )


def _series(one: Series) -> Row:
    levels = [level for level in one.levels if level is not None]
    before = words.change(levels[-1] / levels[-2]) if len(levels) > 1 else words.NOTHING
    first = words.change(levels[-1] / levels[0]) if len(levels) > 1 else words.NOTHING
    figures = (first, before, str(one.cells), str(len(levels)))
    return Row(_labels(one.measure, one.provenance), figures, one.provenance)


def _labels(measure: Measure, provenance: str) -> tuple[str, str]:
    return words.labelled_target(measure.target, provenance), figure_name(measure.metric, measure.name)
