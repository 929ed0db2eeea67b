"""Dollars a month over messages a second, and where the lines meet."""

from __future__ import annotations

from typing import Any

from breakeven.report import words
from breakeven.report.charts import marks
from breakeven.report.charts.axes import thousands, usd
from breakeven.report.charts.canvas import INK, Chart, Form, chart
from breakeven.report.model import CostLine, Crossover, Report

HISTORIC = "2012-12"


def costs(report: Report) -> list[Chart]:
    """One chart of all questions, or none where none was priced."""
    crossings = {
        line.question_id: [c for c in report.crossovers if c.question_id == line.question_id]
        for line in report.cost_lines
    }
    order = [crossover.question_id for crossover in report.crossovers]
    lines = sorted(
        (line for line in report.cost_lines if line.msg_per_s),
        key=lambda line: order.index(line.question_id) if line.question_id in order else len(order),
    )
    if not lines:
        return []

    def paint(figure: Any, form: Form) -> None:
        axis = figure.subplots()
        for line in lines:
            _draw(axis, line, crossings[line.question_id])
        axis.set(
            xscale="log", yscale="log", xlabel="messages a second, monthly mean", ylabel="dollars a month"
        )
        axis.minorticks_off()
        axis.xaxis.set_major_formatter(thousands)
        axis.yaxis.set_major_formatter(usd)
        for line in lines:
            for crossing in crossings[line.question_id]:
                _mark(axis, crossing, form)
        marks.legend(figure, [axis], 1 if form.narrow else 2)

    return [
        chart(
            slug="cost",
            title="What a month costs, by traffic",
            caption="List prices, both scales logarithmic; no speed enters it. Left of a mark SQS is "
            "cheaper, right of it the pair is, as far as one pair carries the load: its capacity on EC2 "
            "was not measured in this run.",
            description="; ".join(_spoken(crossing) for found in crossings.values() for crossing in found)
            or "The lines do not meet in the priced range",
            heights=(440, 470),
            paint=paint,
        )
    ]


def _book(crossings: list[Crossover], line: CostLine) -> str:
    return crossings[0].price_book if crossings else line.question_id


def _draw(axis: Any, line: CostLine, crossings: list[Crossover]) -> None:
    book = _book(crossings, line)
    old = book == HISTORIC
    for target, name, dollars in (
        ("sqs-standard", "SQS", line.sqs_usd),
        ("rabbitmq-mirrored-pair", _cluster(crossings), line.rabbitmq_usd),
    ):
        points = [
            (rate, usd) for rate, usd in zip(line.msg_per_s, dollars, strict=True) if rate > 0 and usd > 0
        ]
        axis.plot(
            [rate for rate, _ in points],
            [usd for _, usd in points],
            color=marks.pale(target) if old else marks.colour(target),
            linewidth=1.6 if old else 2.4,
            linestyle=(0, (4, 2)) if old else "-",
            label=f"{name}, {book}",
            gid=f"line-{target}-{book}",
        )


def _cluster(crossings: list[Crossover]) -> str:
    known = crossings[0].assumptions if crossings else {}
    instance, nodes = known.get("instance_type"), known.get("nodes")
    return f"{nodes} x {instance}" if instance and nodes else "RabbitMQ pair"


def _mark(axis: Any, crossing: Crossover, form: Form) -> None:
    """A ring at the crossover with its rate: history's to the left above, today's to the right below."""
    if crossing.msg_per_s is None or crossing.usd_per_month is None:
        return
    old = crossing.price_book == HISTORIC
    axis.plot(
        [crossing.msg_per_s],
        [crossing.usd_per_month],
        marker="o",
        markersize=9 if old else 12,
        markerfacecolor="white",
        markeredgecolor=INK,
        markeredgewidth=2,
        linestyle="none",
        gid=f"crossover-{crossing.price_book}",
        zorder=5,
    )
    note = axis.annotate(
        _note(crossing, form),
        (crossing.msg_per_s, crossing.usd_per_month),
        xytext=(-8, 14) if old else (8, -24),
        textcoords="offset points",
        ha="right" if old else "left",
        fontweight="normal" if old else "bold",
        annotation_clip=False,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5},
    )
    note.set_in_layout(False)


def _note(crossing: Crossover, form: Form) -> str:
    rate = f"{words.figure(crossing.msg_per_s)} msg/s"
    if form.narrow:  # the legend and the table beneath say which prices
        return f"{HISTORIC}: {rate}" if crossing.price_book == HISTORIC else rate
    return f"{crossing.price_book}: {rate}, {words.amount(crossing.messages_per_month)} a month"


def _spoken(crossing: Crossover) -> str:
    if crossing.msg_per_s is None:
        return f"At the prices of {crossing.price_book} the lines do not meet in the priced range"
    rate = words.figure(crossing.msg_per_s)
    return (
        f"At the prices of {crossing.price_book} the lines meet at {rate} messages a second, "
        f"{words.dollars(crossing.usd_per_month)} a month"
    )
