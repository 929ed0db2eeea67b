"""The tables about money that are looked up: the map in words, sensitivity, bills line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from breakeven import words
from breakeven.pricing.bill.amazon_mq import brokers_of
from breakeven.pricing.bill.questions import AMAZON_MQ, RABBITMQ
from breakeven.pricing.bill.uncertainty import MANAGED_CAPACITY
from breakeven.pricing.bill.variations import MANAGED_PRICE, zones_changed
from breakeven.report.contract.cost_model import Bill, BillLine, MapRow
from breakeven.report.contract.crossing_model import Sensitivity
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Row, Table
from breakeven.report.money.option_words import SHORT, brief, usd
from breakeven.report.money.priced.map_changes import change_rates
from breakeven.report.money.priced.price_sources import spelt

MILLION = 1e6
CHANGED = ("a quarter lower", "a quarter higher")
#: inputs of nodes of one's own, which a broker of Amazon MQ does not have
OF_OWN_NODES = (
    "instance price",
    "volume size",
    "metrics a node",
    "alarms a node",
    "people's hours",
    "capacity",
)
STAY = (
    " Amazon MQ's brokers stay in zones of the service's own, and their clients' traffic across zones stays "
    "as it is."
)
#: of reports of earlier versions
MOVED = " In this report, of an earlier version, that goes for Amazon MQ's, too."
#: inputs that only Amazon MQ's bill has
OF_AMAZON_MQ = (MANAGED_PRICE, MANAGED_CAPACITY, "people's hours of Amazon MQ")
PRICE_OF_AMAZON_MQ = f"{MANAGED_PRICE}: of its brokers and their disks, not of its clients' traffic."
#: unit in a price book -> its name beside a number
UNITS = {
    "request": "requests",
    "hour": "hours",
    "gb": "GB",
    "gb_month": "GB-months",
    "vcpu_hour": "vCPU-hours",
    "metric_month": "metrics",
    "alarm_month": "alarms",
}


def map_table(report: Report) -> Table | None:
    """The decision map in words: from which traffic which option is cheapest, by hours of work."""
    question = report.headline_question
    maps = [m for m in report.decision_map if question and m.question_id == question.question_id]
    if question is None or not maps:
        return None
    instance, hour_usd = (
        str(question.inputs.get("instance")),
        question.priced_with.hour_rate,
    )
    return Table(
        slug="map",
        caption="Cheapest option by hours of staff time a month",
        label_titles=("Hours",),
        columns=tuple(f"against {question.option_name(m.sqs_option)}" for m in maps),
        rows=tuple(
            Row(
                (f"{rows[0].hours:g}",),
                tuple(
                    _ranges(row, change_rates(m, row, hour_usd), m.msg_per_s[-1])
                    for m, row in zip(maps, rows, strict=True)
                ),
                "priced",
            )
            for rows in zip(*(m.rows for m in maps), strict=True)
        ),
        notes=(
            "An instance type stands for "
            f"{question.spoken_option(RABBITMQ).replace(instance, 'that type')}. SQS is cheapest below "
            "the first rate. Twelve rates were priced per tenfold step: where one type follows another, the "
            f"first at which it is cheaper is shown. No rate above {words.figure(maps[0].msg_per_s[-1])} "
            f"messages a second was priced here. {map_beside(question)}".rstrip(),
        ),
        sourced=False,
    )


def map_beside(question: CostQuestion) -> str:
    """With which hours Amazon MQ stands in the map, or why not; empty where it is not priced."""
    if AMAZON_MQ not in question.options:
        return ""
    hours = question.inputs.get("amazon_mq_hours")
    if hours is None:
        return "Amazon MQ is not on it, as no source that was read says how much staff time it takes. "
    return f"Amazon MQ has its {words.quantity(hours)} hours a month, whatever self-hosting takes. "


def _ranges(row: MapRow, rates: list[float], last: float) -> str:
    """'t4g.small from 12.1 msg/s, then m7g.large from 316'; SQS is what is cheapest before.

    :param last: the highest rate priced, messages a second: above it the cheapest may change
    """
    first, *others = zip(rates, row.cheapest, strict=True)
    parts = [] if first[1] in SHORT else [f"{brief(first[1])} from the first message"]
    parts += [f"{brief(option)} from {words.figure(rate)} msg/s" for rate, option in others]
    return ", then ".join(parts) or f"SQS at every rate of the charts, up to {words.figure(last)} msg/s"


def sensitivity_table(report: Report) -> Table | None:
    """Every pair's first crossing with each input a quarter lower and higher.

    Neither our own cluster nor Amazon MQ has rows of what only the other has. Of other zones Amazon MQ has
    one, which says that its brokers stay where they are.
    """
    question = report.headline_question
    rows = [
        row
        for row in report.sensitivity
        if question
        and row.question_id == question.question_id
        and row.varied not in (OF_OWN_NODES if row.other_option == AMAZON_MQ else OF_AMAZON_MQ)
    ]
    if question is None or not rows:
        return None
    has_amazon_mq = AMAZON_MQ in {row.other_option for row in rows}
    stays = has_amazon_mq and _stays(question)
    return Table(
        slug="sensitivity",
        caption="First crossing with one input changed, msg/s",
        label_titles=("Input",),
        columns=(*CHANGED, "as asked"),
        rows=tuple(
            Row(
                (_varied(question, row),),
                (*_ends(row), _reached(row.base_msg_per_s)),
                "priced",
                f"{question.option_name(row.sqs_option)} against {question.option_name(row.other_option)}",
            )
            for row in rows
        ),
        notes=(
            "Zones are not changed by a quarter: their row has the crossing with the first number of zones "
            "in the place of the second, of your own brokers and their clients."
            f"{STAY if stays else MOVED if has_amazon_mq else ''}",
            *([PRICE_OF_AMAZON_MQ] if stays else []),
        ),
        sourced=False,
    )


def _varied(question: CostQuestion, row: Sensitivity) -> str:
    """The input's name, and of other zones what stays in those that it has."""
    inputs = question.priced_with
    of_zones = {zones_changed(zones, inputs.zones) for zones in (1, inputs.most_zones)}
    if row.other_option != AMAZON_MQ or row.varied not in of_zones or not _stays(question):
        return row.varied
    return f"{row.varied} (Amazon MQ's stay in {brokers_of(inputs.deployment)})"


def _stays(question: CostQuestion) -> bool:
    """Whether Amazon MQ's brokers stay in their zones; they moved until its price became an input."""
    return "amazon_mq_price_factor" in question.inputs


def _ends(row: Sensitivity) -> Iterator[str]:
    ends = {end.factor > 1: _reached(end.msg_per_s) for end in row.ends}
    return (ends.get(higher, words.NOTHING) for higher in (False, True))


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
            f"Price book: {question.price_book}; the table of prices gives each one's source and date. Each "
            "million more: the marginal cost of another million messages, without further clusters.",
        ),
        sourced=False,
    )


def offered_rates_table(report: Report) -> Table | None:
    """What each option costs a month at the rates of the run's open loops."""
    question = report.headline_question
    if question is None:
        return None
    options = list(dict.fromkeys(option for rate in report.offered_rates for option in rate.usd))
    return Table(
        slug="offered-rates",
        caption="What the rates of the open loops cost, dollars a month",
        label_titles=("Offered, msg/s", "Message"),
        columns=tuple(question.option_name(option) for option in options),
        rows=tuple(
            Row(
                (words.figure(rate.msg_per_s), words.size(rate.message_bytes)),
                tuple(words.dollars(rate.usd.get(option)) for option in options),
                "priced",
            )
            for rate in report.offered_rates
        ),
        notes=("Each rate is priced as the mean of a whole month; the other inputs are those of all bills.",),
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
    """'788 million requests', '1,460 hours'."""
    whole = line.units == int(line.units) and line.units < MILLION
    amount = f"{line.units:,.0f}" if whole else words.amount(line.units)
    return f"{amount} {in_units(line.unit)}".strip()


def in_units(unit: str | None) -> str:
    """A unit of a price book beside a number; one without a name here stays as the book has it."""
    return UNITS.get(unit or "", spelt(unit or ""))


LINE_COLUMNS: dict[str, Callable[[BillLine], str]] = {
    "dollars a month": lambda line: words.dollars(line.usd),
    "each million more": _million,
    "units a month": _units,
    "price": lambda line: f"{line.service}/{line.item}",
    "how units are counted": lambda line: line.formula,
}
