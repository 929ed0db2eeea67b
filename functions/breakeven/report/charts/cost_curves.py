"""Dollars a month over messages a second: every option, and where they change places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import log10
from typing import Any

from breakeven import words
from breakeven.pricing.bill.questions import AS_USED, BATCHED, RABBITMQ
from breakeven.report.charts import marks
from breakeven.report.charts.canvas import chart, rates, usd
from breakeven.report.charts.drawing import INK, Form
from breakeven.report.contract.cost_model import CostCurve
from breakeven.report.contract.crossing_model import Crossover
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Chart
from breakeven.report.money.priced.price_owners import prices_in_short

#: of the axis that a rate takes beside its ring, by whether the chart is the narrow one
LABEL_DECADES = {False: 0.6, True: 1.2}
MAX_MARKS = 6  # of a pair: one whose clusters step past SQS again and again is for the table to show


def costs(report: Report) -> Iterator[Chart]:
    """One chart of all questions, or none where none was priced."""
    questions = {question.question_id: question for question in report.cost_questions}
    order = list(questions)
    curves = sorted(
        (curve for curve in report.cost_curves if curve.question_id in questions and curve.msg_per_s),
        key=lambda curve: order.index(curve.question_id),
    )
    if not curves:
        return
    most = max(rate for curve in curves for rate in curve.msg_per_s)
    # of a sweep's other sizes the table has the crossings: their lines are not drawn
    shown = [
        crossing
        for crossing in report.crossovers
        if (crossing.number or 0) <= MAX_MARKS and questions[crossing.question_id].purpose != "size"
    ]
    crossings = [crossing for crossing in shown if crossing.msg_per_s and 0 < crossing.msg_per_s <= most]

    yield chart(
        slug="cost",
        title="What a month costs, by traffic",
        caption=_caption(report, crossings),
        description=". ".join(_spoken(report, crossing) for crossing in shown)
        or "No two options were compared at any rate",
        heights=(480, 560),
        paint=partial(_paint, crossings, curves, questions),
    )


def _paint(
    crossings: Sequence[Crossover],
    curves: Sequence[CostCurve],
    questions: Mapping[str, CostQuestion],
    figure: Any,
    form: Form,
) -> None:
    axis = figure.subplots()
    for crossing in crossings:
        _shade(axis, crossing)
    for curve in curves:
        _draw(axis, curve, questions[curve.question_id])
    axis.set(yscale="log", ylabel="dollars a month")
    rates(axis, narrow=form.narrow)
    axis.set_ylim(bottom=_floor(curves))
    axis.yaxis.set_major_formatter(usd)
    own = (one for one in crossings if questions[one.question_id].purpose != "history")
    main = next(filter(_is_main, own), None)
    for crossing in crossings:
        history = questions[crossing.question_id].purpose == "history"
        raised = main is not None and _is_beside(crossing, main, form)
        _mark(axis, crossing, form, history=history, raised=raised)
    marks.legend(figure, [axis], 1 if form.narrow else 3)


def _caption(report: Report, crossings: Sequence[Crossover]) -> str:
    """Each sentence only where what it is about is drawn."""
    rings = (
        " Rings mark where the cheaper option changes or both cost the same. Whether brokers can carry the "
        "load is not shown: the table says what one cluster must carry."
    )
    band = " The shaded band is the range of the first crossing."
    shaded = any(_is_main(crossing) and crossing.interval for crossing in crossings)
    return (
        f"{prices_in_short(report)}, on logarithmic scales."
        f"{rings if crossings else ''}{band if shaded else ''}"
    )


def _floor(curves: Sequence[CostCurve]) -> float:
    """A bill within the free requests is cents or nothing: there is nothing to see below ten cents."""
    return max(0.1, min((usd for curve in curves for usd in curve.usd if usd > 0), default=0.1) * 0.7)


def _draw(axis: Any, curve: CostCurve, question: CostQuestion) -> None:
    points = [
        (rate, usd) for rate, usd in zip(curve.msg_per_s, curve.usd, strict=True) if rate > 0 and usd > 0
    ]
    history = question.purpose == "history"
    name = question.option_name(curve.option_id)
    axis.plot(
        [rate for rate, _ in points],
        [usd for _, usd in points],
        **marks.line(curve.option_id, history=history),
        label=f"{name}, at {question.price_book} prices" if history else name,
        gid=f"line-{curve.option_id}-{curve.question_id}",
    )


def _is_main(crossing: Crossover) -> bool:
    """The first of SQS as used and our own cluster."""
    return (crossing.sqs_option, crossing.other_option, crossing.number) == (AS_USED, RABBITMQ, 1)


def _shade(axis: Any, crossing: Crossover) -> None:
    ends = crossing.interval
    if ends and _is_main(crossing):
        axis.axvspan(*ends, facecolor="#f1e3b8", edgecolor="none", alpha=0.75, gid="interval")


def _is_beside(crossing: Crossover, main: Crossover, form: Form) -> bool:
    """Would its label, below it, lie on that of the main crossing?"""
    if crossing is main or not crossing.msg_per_s or not main.msg_per_s:
        return False
    return 0 <= log10(crossing.msg_per_s / main.msg_per_s) < LABEL_DECADES[form.narrow]


def _mark(axis: Any, crossing: Crossover, form: Form, *, history: bool, raised: bool) -> None:
    """A ring at each crossing; the first of our own cluster's pairs, and history's, carry their rates.

    :param raised: the rate is above the ring
    """
    main = _is_main(crossing) and not history
    if crossing.msg_per_s is None or crossing.usd_per_month is None:
        return
    name = f"{crossing.sqs_option}-{crossing.other_option}-{crossing.question_id}-{crossing.number}"
    axis.plot(
        [crossing.msg_per_s],
        [crossing.usd_per_month],
        marker="o",
        markersize=11 if main else 8,
        markerfacecolor="white",
        markeredgecolor=INK,
        markeredgewidth=2 if main else 1.4,
        linestyle="none",
        gid=f"crossover-{name}",
        zorder=5,
    )
    if crossing.other_option != RABBITMQ or crossing.number != 1:
        return
    note = axis.annotate(
        _note(crossing, form, history=history),
        (crossing.msg_per_s, crossing.usd_per_month),
        xytext=(-8, 12) if history else (8, 10 if raised else -22),
        textcoords="offset points",
        ha="right" if history else "left",
        fontweight="bold" if main else "normal",
        annotation_clip=False,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5},
    )
    note.set_in_layout(False)


def _note(crossing: Crossover, form: Form, *, history: bool) -> str:
    rate = f"{words.figure(crossing.msg_per_s)} msg/s"
    if history:
        return f"{crossing.price_book[:4]}: {rate}"
    return f"batched: {rate}" if crossing.sqs_option == BATCHED and not form.narrow else rate


def _spoken(report: Report, crossing: Crossover) -> str:
    question = report.question(crossing.question_id)
    pair = f"{question.option_name(crossing.sqs_option)} and {question.option_name(crossing.other_option)}"
    if crossing.msg_per_s is None:
        return f"At the prices of {crossing.price_book} {pair} never cost the same"
    rate = words.figure(crossing.msg_per_s)
    return (
        f"At the prices of {crossing.price_book} {pair} meet at {rate} messages a second, "
        f"{words.dollars(crossing.usd_per_month)} a month"
    )
