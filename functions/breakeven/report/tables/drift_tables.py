"""Tables of drift: what changed between two runs, and which figures moved."""

from __future__ import annotations

from breakeven import words
from breakeven.report.contract.drift_model import DriftReport, MovedFigure, ShiftedFigure
from breakeven.report.elements import Row, Table

#: figures of a metric that are compared: their names in a table, with units
NAMES = {"msg_per_s": "rate, msg/s", "p50_ms": "p50, ms", "p99_ms": "p99, ms"}
CAPACITY = "capacity"
#: a probability below it is not told from others
LEAST_SHOWN = 0.0001
P = "p is the probability of such a change by chance, before the correction for how many figures are judged."


def changes_table(drift: DriftReport) -> Table:
    """What changed around the figures, in the order in which it may explain them."""
    return Table(
        slug="drift-changes",
        caption="What changed",
        label_titles=("Fact",),
        columns=("before", "now"),
        rows=tuple(Row((one.field,), (one.before, one.after), "") for one in drift.changes),
        sourced=False,
    )


def shifts_table(drift: DriftReport) -> Table:
    return Table(
        slug="drift-shifts",
        caption="Figures that moved over all cells of a target",
        label_titles=("Target", "Figure"),
        columns=("cells", "change", "p"),
        rows=tuple(
            Row(_labels(one), (str(one.cells), words.change(one.ratio), probability(one.p)), one.provenance)
            for one in drift.shifts
        ),
        notes=(P,),
    )


def moves_table(drift: DriftReport) -> Table:
    return Table(
        slug="drift-moves",
        caption="Figures of single cells that moved",
        label_titles=("Target", "Figure", "Cell"),
        columns=("before", "now", "change", "p"),
        rows=tuple(_moved(one) for one in drift.moves),
        notes=(P,),
    )


def _moved(one: MovedFigure) -> Row:
    figures = (words.figure(one.before), words.figure(one.after), words.change(one.ratio), probability(one.p))
    return Row((*_labels(one), words.place(one.scenario, one.cell)), figures, one.provenance)


def _labels(one: ShiftedFigure | MovedFigure) -> tuple[str, str]:
    return words.labelled_target(one.target, one.provenance), figure_name(one.metric, one.figure)


def figure_name(metric: str, figure: str) -> str:
    """Such as 'Produce p99, ms'."""
    operation = words.capital(CAPACITY) if metric == CAPACITY else words.OPERATIONS[metric]
    return f"{operation} {NAMES[figure]}"


def probability(p: float) -> str:
    """To two digits, as far as they tell anything."""
    return f"< {LEAST_SHOWN}" if p < LEAST_SHOWN else words.figure(p, 2)
