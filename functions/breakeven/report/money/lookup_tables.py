"""The tables about money that are looked up: the map in words, sensitivity, bills line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from breakeven import words
from breakeven.pricing.bill.questions import RABBITMQ
from breakeven.report.contract.money_model import Bill, BillLine, CostQuestion, MapRow, Sensitivity
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Row, Table
from breakeven.report.money.option_words import SHORT, brief, usd

MILLION = 1e6
#: unit in a price book -> its name beside a number
UNITS = {
    "request": "requests",
    "hour": "hours",
    "gb": "GB",
    "gb_month": "GB-months",
    "metric_month": "metrics",
    "alarm_month": "alarms",
}


def map_table(report: Report) -> Table | None:
    """The decision map in words: from which traffic which option is cheapest, by hours of work."""
    question = report.headline_question
    maps = [m for m in report.decision_map if question and m.question_id == question.question_id]
    if question is None or not maps:
        return None
    instance = str(question.inputs.get("instance"))
    return Table(
        slug="map",
        caption="Cheapest option by hours of staff time a month",
        label_titles=("Hours",),
        columns=tuple(f"against {question.option_name(m.sqs_option)}" for m in maps),
        rows=tuple(
            Row(
                (f"{rows[0].hours:g}",),
                tuple(_ranges(row) for row in rows),
                "priced",
            )
            for rows in zip(*(m.rows for m in maps), strict=True)
        ),
        notes=(
            "An instance type stands for "
            f"{question.spoken_option(RABBITMQ).replace(instance, 'that type')}. SQS is cheapest below "
            "the first rate. Twelve rates were priced per decade; each one shown is the first at which "
            "the option is cheapest.",
        ),
        sourced=False,
    )


def _ranges(row: MapRow) -> str:
    """'t4g.small from 12.1 msg/s, then m7g.large from 316'; SQS is what is cheapest before."""
    first, *others = zip(row.from_msg_per_s, row.cheapest, strict=True)
    parts = [] if first[1] in SHORT else [f"{brief(first[1])} from the first message"]
    parts += [f"{brief(option)} from {words.figure(rate)} msg/s" for rate, option in others]
    return ", then ".join(parts) or "SQS at every rate"


def sensitivity_table(report: Report) -> Table | None:
    """Every pair's first crossing with each input a quarter lower and higher."""
    question = report.headline_question
    rows = [row for row in report.sensitivity if question and row.question_id == question.question_id]
    if question is None or not rows:
        return None
    factors = sorted({end.factor for row in rows for end in row.ends})
    return Table(
        slug="sensitivity",
        caption="First crossing with one input a quarter lower and higher, msg/s",
        label_titles=("Input",),
        columns=(*(f"x {factor:g}" for factor in factors), "as asked"),
        rows=tuple(
            Row(
                (row.varied,),
                (*_ends(row, factors), _reached(row.base_msg_per_s)),
                "priced",
                f"{question.option_name(row.sqs_option)} against {question.option_name(row.other_option)}",
            )
            for row in rows
        ),
        sourced=False,
    )


def _ends(row: Sensitivity, factors: Sequence[float]) -> Iterator[str]:
    ends = {end.factor: _reached(end.msg_per_s) for end in row.ends}
    return (ends.get(factor, words.NOTHING) for factor in factors)


def _reached(msg_per_s: float | None) -> str:
    return "never" if msg_per_s is None else words.figure(msg_per_s)


def bills_table(report: Report) -> Table | None:
    """Every option's bill line by line at the traffic that was asked for."""
    question = report.headline_question
    bills = [bill for bill in report.bills if question and bill.question_id == question.question_id]
    if question is None or not bills:
        return None
    return Table(
        slug="bills",
        caption=f"Bills line by line at {words.figure(bills[0].msg_per_s)} messages a second",
        label_titles=("Line",),
        columns=tuple(LINE_COLUMNS),
        rows=tuple(row for bill in bills for row in _bill_rows(question, bill)),
        notes=(
            f"Price book: {question.price_book}, which lists prices by service and item. Each million more: "
            "the marginal cost of another million messages, without further clusters.",
        ),
        sourced=False,
    )


def _bill_rows(question: CostQuestion, bill: Bill) -> list[Row]:
    section = question.option_name(bill.option_id)
    if bill.clusters > 1:
        section += f", {bill.clusters:,.0f} clusters"
    rows = [
        Row((line.line,), tuple(cell(line) for cell in LINE_COLUMNS.values()), "priced", section)
        for line in bill.lines
    ]
    total = (words.dollars(bill.usd), _million(bill), *(words.NOTHING,) * (len(LINE_COLUMNS) - 2))
    return [*rows, Row(("Total",), total, "priced", section, tone="total")]


def _million(priced: Bill | BillLine) -> str:
    usd_each = priced.usd_per_million_messages
    return usd(usd_each) if usd_each else words.NOTHING


def _units(line: BillLine) -> str:
    """'788 million requests', '1,460 hours'; a unit that has no plural here stays as the book has it."""
    whole = line.units == int(line.units) and line.units < MILLION
    amount = f"{line.units:,.0f}" if whole else words.amount(line.units)
    return f"{amount} {UNITS.get(line.unit or '', (line.unit or '').replace('_', ' '))}".strip()


LINE_COLUMNS: dict[str, Callable[[BillLine], str]] = {
    "dollars a month": lambda line: words.dollars(line.usd),
    "each million more": _million,
    "units a month": _units,
    "price": lambda line: f"{line.service}/{line.item}",
    "how units are counted": lambda line: line.formula,
}
