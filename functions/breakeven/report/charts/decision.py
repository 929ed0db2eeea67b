"""The decision map: the cheapest option over traffic and hours of work, one map for each of SQS's prices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import sqrt
from typing import Any

from breakeven import words
from breakeven.report.charts import marks
from breakeven.report.charts.canvas import chart, rates
from breakeven.report.charts.drawing import Form
from breakeven.report.contract.cost_model import DecisionMap, MapRow
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Chart
from breakeven.report.money.lookup_tables import map_beside
from breakeven.report.money.option_words import SHORT, hour
from breakeven.report.money.priced.map_changes import change_rates

MAX_COLUMNS = 3  # of the legend


def decisions(report: Report) -> Iterator[Chart]:
    """None where an hour of work has no price."""
    question = report.headline_question
    maps = [m for m in report.decision_map if question and m.question_id == question.question_id]
    if question is None or not maps:
        return
    colours = marks.fills(_winners(maps))

    yield chart(
        slug="map",
        title="Cheapest option by traffic and hours of staff time",
        caption="Self-hosting at equal service: the instance types of known capacity and the one asked "
        "about; at each rate the cheapest of them is shown. Hours are staff time a month, "
        f"at {hour(question.inputs.get('hour_rate'))}. {map_beside(question)}".rstrip(),
        description="; ".join(_spoken(question, one) for one in maps),
        heights=(360, 680),
        paint=partial(_paint, maps, question, colours),
    )


def _paint(
    maps: Sequence[DecisionMap], question: CostQuestion, colours: Mapping[str, str], figure: Any, form: Form
) -> None:
    axes = figure.subplots(len(maps), 1) if form.narrow else figure.subplots(1, len(maps), sharey=True)
    axes = list(axes) if len(maps) > 1 else [axes]
    for axis, one in zip(axes, maps, strict=True):
        _draw(axis, one, colours, form)
        axis.set_title(question.option_name(one.sqs_option))
    for axis in axes if form.narrow else axes[:1]:
        axis.set_ylabel("hours of staff time a month")
    named: dict[str, str] = {}
    for name, colour in colours.items():
        own = "SQS" if name in SHORT else question.option_name(name)
        named.setdefault(f"{own} is cheapest", colour)
    marks.key(figure, named, 1 if form.narrow else min(MAX_COLUMNS, len(named)))


def _winners(maps: Sequence[DecisionMap]) -> list[str]:
    """Every option that is cheapest somewhere: SQS first, then clusters from the least traffic."""
    found = {name for one in maps for row in one.rows for name in row.cheapest}
    order = [name for one in maps for name in one.best_other]
    return sorted(
        found, key=lambda name: (name not in SHORT, order.index(name) if name in order else 0, name)
    )


def _draw(axis: Any, one: DecisionMap, colours: Mapping[str, str], form: Form) -> None:
    """A bar for each run of rates with the same winner, a row for each number of hours."""
    # before the bars, each of which would have them found anew
    axis.set(xlim=(one.msg_per_s[0], one.msg_per_s[-1]), ylim=(-0.5, len(one.rows) - 0.5))
    for place, row in enumerate(one.rows):
        for start, end, winner in runs(one, row):
            axis.broken_barh(
                [(start, end - start)],
                (place - 0.5, 1),
                facecolor=colours[winner],
                edgecolor="white",
                linewidth=0.6,
                gid=f"cell-{one.sqs_option}-{row.hours:g}-{winner}-{start:.4g}",
            )
    rates(axis, narrow=form.narrow)
    axis.set_yticks(range(len(one.rows)), [f"{row.hours:g}" for row in one.rows])
    axis.grid(visible=False)


def runs(one: DecisionMap, row: MapRow) -> list[tuple[float, float, str]]:
    """(from, to, cheapest): between two priced rates the change is drawn half-way on the chart's scale."""
    rates, edges = one.msg_per_s, []
    for start in row.from_msg_per_s:
        place = rates.index(start)
        edges.append(start if place == 0 else sqrt(start * rates[place - 1]))
    return list(zip(edges, [*edges[1:], rates[-1]], row.cheapest, strict=True))


def _spoken(question: CostQuestion, one: DecisionMap) -> str:
    parts, hour_usd = [], question.priced_with.hour_rate
    for row in (one.rows[0], one.rows[-1]):
        steps = [
            f"{question.option_name(name)} from {words.figure(rate)}"
            for rate, name in zip(change_rates(one, row, hour_usd), row.cheapest, strict=True)
        ]
        parts.append(f"with {row.hours:g} hours {', '.join(steps)} messages a second")
    return f"{question.option_name(one.sqs_option)} against the clusters: {'; '.join(parts)}"
