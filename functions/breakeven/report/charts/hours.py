"""Break-even hours over messages a second: how much work the cluster may take and still be cheaper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import floor, log10, nan
from typing import Any

from breakeven import words
from breakeven.pricing.bill.questions import RABBITMQ
from breakeven.report.charts import marks
from breakeven.report.charts.canvas import chart, rates, thousands
from breakeven.report.charts.drawing import MUTED, Form
from breakeven.report.contract.cost_model import BreakEvenHours
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Chart
from breakeven.report.money.cheapest import published_limit
from breakeven.report.money.option_words import hour, own_hours

#: hours of work a month that people know
KNOWN = {8.0: "a day a month", 40.0: "a week a month", 160.0: "one person's month"}
LEAST, MOST = 0.5, 1000.0  # outside of these a month has no such hours to give


def hours(report: Report) -> Iterator[Chart]:
    """None where self-hosting wins at no rate, or an hour has no price."""
    question = report.headline_question
    every, limit = own_hours(report), published_limit(report)
    rows = [row.up_to(limit) for row in every.values() if any(row.hours)]
    if question is None or not rows:
        return
    names = {sqs: question.option_name(sqs) for sqs in every}
    never = [names[sqs] for sqs, row in every.items() if not any(row.hours)]
    without = f" Against {words.listing(never)} it is never cheaper." if never else ""

    yield chart(
        slug="hours",
        title=f"How much staff time {question.spoken_option(RABBITMQ)} may take and still be cheaper",
        caption=f"Hours of staff time a month at {hour(rows[0].hour_usd)}. Below a curve running your "
        "own is cheaper, above it SQS is; the dotted lines are there for scale. Where there is no curve, "
        f"no number of hours is low enough.{without}",
        description="; ".join(_spoken(row, names[row.sqs_option]) for row in rows),
        heights=(360, 420),
        paint=partial(_paint, rows, names),
    )


def _paint(rows: Sequence[BreakEvenHours], names: Mapping[str, str], figure: Any, form: Form) -> None:
    axis = figure.subplots()
    for row in rows:
        axis.plot(
            row.msg_per_s,
            [wins or nan for wins in row.hours],  # where it never wins there is no line
            **marks.line(row.sqs_option),
            label=f"against {names[row.sqs_option]}",
            gid=f"hours-{row.sqs_option}",
        )
    left, right = _reach(rows)
    axis.set(yscale="log", ylabel="hours a month")
    rates(axis, narrow=form.narrow)
    axis.set(ylim=(LEAST, MOST), xlim=(left, right))
    axis.set_yticks([1, 10, 100, 1000])
    axis.yaxis.set_major_formatter(thousands)
    for known, name in KNOWN.items():
        axis.axhline(known, color=MUTED, linewidth=0.8, linestyle=(0, (2, 3)))
        axis.annotate(
            f"{known:g} h: {name}",
            (left, known),
            xytext=(4, 3),
            textcoords="offset points",
            color=MUTED,
            fontsize=form.font - 1.5,
        )
    marks.legend(figure, [axis], 1 if form.narrow else 2)


def _reach(rows: Sequence[BreakEvenHours]) -> tuple[float, float]:
    """From the decade before running your own first wins."""
    first = min(rate for row in rows for rate, _ in _points(row))
    return 10 ** (floor(log10(first)) - 1), max(rows[0].msg_per_s)


def _points(row: BreakEvenHours) -> list[tuple[float, float]]:
    """Where it wins at all; the scale has no nothing."""
    return [(rate, hours) for rate, hours in zip(row.msg_per_s, row.hours, strict=True) if hours]


def _spoken(row: BreakEvenHours, name: str) -> str:
    points = [(rate, hours) for rate, hours in _points(row) if hours >= LEAST]
    if not points:
        return f"against {name} running your own never saves half an hour of staff time"
    (first, least), (last, most) = points[0], points[-1]
    return (
        f"against {name} running your own may take {words.figure(least)} hours a month at "
        f"{words.figure(first)} messages a second, {words.figure(most)} at {words.figure(last)}"
    )
