"""Sensitivity: how far the first crossing moves when one input is a quarter lower or higher."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf
from typing import Any

from breakeven import words
from breakeven.pricing.bill.questions import AS_USED, RABBITMQ
from breakeven.report.charts import marks
from breakeven.report.charts.canvas import chart
from breakeven.report.charts.drawing import INK, Form
from breakeven.report.contract.crossing_model import Sensitivity, SensitivityEnd
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Chart
from breakeven.report.money.lookup_tables import OF_AMAZON_MQ

LOWER, HIGHER = "#8fa3b8", "#1f4e79"
STILL = 0.001  # an input that moves the crossing by a smaller part leaves it
BAR = 0.62


def tornado(report: Report) -> Iterator[Chart]:
    """Of SQS as used against our own cluster; none where they never cross, or nothing moves it."""
    question = report.headline_question
    rows = [
        row
        for row in report.sensitivity
        if question
        and (row.question_id, row.sqs_option, row.other_option) == (question.question_id, AS_USED, RABBITMQ)
        and row.varied not in OF_AMAZON_MQ
    ]
    base = rows[0].base_msg_per_s if rows else None
    if question is None or base is None:
        return
    moving = sorted((row for row in rows if _span(row, base) > STILL), key=lambda row: _span(row, base))
    still = [row.varied for row in rows if row not in moving]
    if not moving:
        return

    left = f" Not moved by: {words.listing(still, len(still))}." if still else ""
    yield chart(
        slug="sensitivity",
        title="What moves the break-even: each input a quarter lower and higher, and other zones",
        caption=f"First crossing of {question.option_name(AS_USED)} and "
        f"{question.option_name(RABBITMQ)}; {words.figure(base)} messages a second as asked.{left}",
        description="; ".join(_spoken(row) for row in reversed(moving)),
        heights=(90 + 34 * len(moving), 120 + 38 * len(moving)),
        paint=partial(_paint, base, moving),
    )


def _paint(base: float, moving: Sequence[Sensitivity], figure: Any, form: Form) -> None:
    axis = figure.subplots()
    rates = [base, *(end.msg_per_s for row in moving for end in row.ends if end.msg_per_s is not None)]
    low, high = min(rates), max(rates)
    room = (high - low) * (0.22 if form.narrow else 0.1)
    for place, row in enumerate(moving):
        for end in row.ends:
            _bar(axis, place, row, end, base, high + room / 2)
    axis.axvline(base, color=INK, linewidth=1.4)
    axis.set_yticks(range(len(moving)), [row.varied for row in moving])
    axis.set(xlim=(low - room, high + room), xlabel="first crossing, messages a second")
    axis.grid(visible=False, axis="y")
    axis.tick_params(axis="y", labelcolor=INK)
    marks.key(figure, {"a quarter lower": LOWER, "a quarter higher": HIGHER}, 2)


def _span(row: Sensitivity, base: float) -> float:
    """The part of the crossing by which the input moves it; one that does away with it moves it most."""
    ends = [inf if end.msg_per_s is None else abs(end.msg_per_s / base - 1) for end in row.ends]
    return max(ends, default=0.0)


def _bar(axis: Any, place: int, row: Sensitivity, end: SensitivityEnd, base: float, edge: float) -> None:
    """From the crossing as asked to where it goes; where there is none any more, to the edge."""
    to = edge if end.msg_per_s is None else end.msg_per_s
    lower = end.factor < 1
    axis.barh(
        place,
        to - base,
        left=base,
        height=BAR,
        color=LOWER if lower else HIGHER,
        gid=f"bar-{row.varied.replace(' ', '-')}-{end.factor:g}",
    )
    right = to >= base
    axis.annotate(
        "never" if end.msg_per_s is None else words.figure(end.msg_per_s),
        (to, place),
        xytext=(4 if right else -4, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center",
        annotation_clip=False,
    )


def _spoken(row: Sensitivity) -> str:
    ends = [
        f"{words.figure(end.msg_per_s) if end.msg_per_s is not None else 'never'} at {end.factor:g} times"
        for end in row.ends
    ]
    return f"{row.varied}: {', '.join(ends)}"
