"""Table of the figures of a comparison in which nothing moved: what each cell's were, and what they are."""

from __future__ import annotations

from breakeven import words
from breakeven.report.contract.drift_model import ComparedFigure, DriftReport
from breakeven.report.drift.drift import LEAST_CHANGE
from breakeven.report.elements import Row, Table
from breakeven.report.tables.drift_tables import figure_name
from breakeven.report.tables.figures import telling_interval

WITHIN_CHANCE = (
    f"No difference was found to be both beyond chance and of {LEAST_CHANGE:.0%} or more: none of them is a "
    "finding. A cell that was measured once is judged together with the others of its target, and not by "
    "itself. The largest comes first."
)
INTERVALS = (
    "Levels are geometric means over a cell's repeats, in brackets with 95% intervals by Student's t on "
    "their logarithms; a cell that was measured once has none."
)


def within_chance_table(drift: DriftReport) -> Table:
    """A row for each figure of a cell that was judged; none where any moved, and of earlier versions."""
    return Table(
        slug="drift-within-chance",
        caption="Figures of both runs, none of which moved",
        label_titles=("Target", "Figure", "Cell"),
        columns=("change", "before", "now"),
        rows=tuple(map(_row, drift.unmoved)),
        notes=(WITHIN_CHANCE, INTERVALS),
    )


def _row(one: ComparedFigure) -> Row:
    labels = (
        words.labelled_target(one.target, one.provenance),
        figure_name(one.metric, one.figure),
        words.place(one.scenario, one.cell),
    )
    levels = _level(one.before, one.before_interval), _level(one.after, one.after_interval)
    return Row(labels, (words.change(one.ratio), *levels), one.provenance)


def _level(mean: float, ends: tuple[float, float] | None) -> str:
    """Such as '480 (461 to 500)'."""
    return f"{words.figure(mean)} ({telling_interval(*ends)})" if ends else words.figure(mean)
