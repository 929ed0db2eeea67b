"""Table of the figures of a comparison that are too few to be judged: what they were, and what they are."""

from __future__ import annotations

from statistics import geometric_mean

from breakeven import words
from breakeven.report.contract.report_model import Report
from breakeven.report.drift.drift import LEAST_CELLS, Drift, Figure, Measure
from breakeven.report.elements import Row, Table
from breakeven.report.tables.drift_tables import figure_name
from breakeven.terms import Provenance

NOT_JUDGED = (
    f"Fewer than {LEAST_CELLS} cells of a target are not judged together, and a cell without repeats in both "
    "runs is not judged by itself: each of these changes may be chance. Levels of several cells are "
    "geometric means."
)


def unjudged_table(drift: Drift, after: Report) -> Table:
    """A row for each measure of which neither its target's cells together nor any one of them is judged."""
    origins = {case.target: case.provenance for case in after.cases}
    by_measure: dict[Measure, list[Figure]] = {}
    for figure in drift.figures:
        by_measure.setdefault(figure.measure, []).append(figure)
    return Table(
        slug="drift-unjudged",
        caption="Figures that are not judged",
        label_titles=("Target", "Figure"),
        columns=("before", "now", "change", "verdict"),
        rows=tuple(
            _row(measure, figures, origins[measure.target])
            for measure, figures in by_measure.items()
            if len(figures) < LEAST_CELLS and not any(figure.is_repeated for figure in figures)
        ),
        notes=(NOT_JUDGED,),
    )


def _row(measure: Measure, figures: list[Figure], provenance: Provenance) -> Row:
    before, after = (geometric_mean(levels) for levels in zip(*(each.means for each in figures), strict=True))
    name = words.labelled_target(measure.target, provenance), figure_name(measure.metric, measure.name)
    levels = (words.figure(before), words.figure(after), words.change(after / before))
    return Row(name, (*levels, f"not judged ({words.plural(len(figures), 'cell')})"), provenance)
