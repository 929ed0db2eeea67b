"""Table of the figures of a comparison in which nothing moved: what each cell's were, and what they are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from breakeven import words
from breakeven.report.contract.report_model import Report
from breakeven.report.drift.drift import LEAST_CELLS, LEAST_CHANGE, Drift, Figure
from breakeven.report.drift.significance import interval_of_repeats
from breakeven.report.elements import Row, Table
from breakeven.report.tables.drift_tables import figure_name
from breakeven.report.tables.figures import telling_interval
from breakeven.terms import Provenance

WITHIN_CHANCE = (
    f"No difference was found to be both beyond chance and of {LEAST_CHANGE:.0%} or more: none of them is a "
    "finding. A cell that was measured once is judged together with the others of its target, and not by "
    "itself. The largest comes first."
)
INTERVALS = (
    "Levels are geometric means over a cell's repeats, in brackets with 95% intervals by Student's t on "
    "their logarithms; a cell that was measured once has none."
)


def within_chance_table(drift: Drift, after: Report) -> Table | None:
    """A row for each figure of a cell that was judged, alone or with its target's; None where any moved."""
    if drift.shifts or drift.moves:
        return None
    origins = {case.target: case.provenance for case in after.cases}
    cells = Counter(figure.measure for figure in drift.figures)
    judged = [one for one in drift.figures if one.is_repeated or cells[one.measure] >= LEAST_CELLS]
    return Table(
        slug="drift-within-chance",
        caption="Figures of both runs, none of which moved",
        label_titles=("Target", "Figure", "Cell"),
        columns=("change", "before", "now"),
        rows=tuple(
            _row(figure, origins[figure.measure.target])
            for figure in sorted(judged, key=lambda one: -abs(math.log(one.ratio)))
        ),
        notes=(WITHIN_CHANCE, INTERVALS),
    )


def _row(figure: Figure, provenance: Provenance) -> Row:
    measure = figure.measure
    labels = (
        words.labelled_target(measure.target, provenance),
        figure_name(measure.metric, measure.name),
        words.place(figure.scenario, figure.cell),
    )
    before, after = figure.means
    levels = _level(before, figure.before), _level(after, figure.after)
    return Row(labels, (words.change(figure.ratio), *levels), provenance)


def _level(mean: float, values: Sequence[float]) -> str:
    """Such as '480 (461 to 500)'."""
    ends = interval_of_repeats(values)
    return f"{words.figure(mean)} ({telling_interval(*ends)})" if ends else words.figure(mean)
