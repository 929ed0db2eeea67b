"""The tables of dollars and hours that are read first: prices side by side, break-even hours."""

from __future__ import annotations

from collections.abc import Iterable

from breakeven import words
from breakeven.pricing.bill.cluster_capacity import Capacity, amazon_mq_capacity, capacity_of
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ
from breakeven.report.contract.cost_model import BreakEvenHours, CostCurve
from breakeven.report.contract.crossing_model import EXACT
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Row, Table
from breakeven.report.money.cheapest import RATES, carried, published_limit, ranked_curves, shown_rates
from breakeven.report.money.managed import BETWEEN, is_charge_unknown
from breakeven.report.money.option_words import SHORT, brief, hour, own_hours, with_node_down


def _left_out(report: Report) -> tuple[str, ...]:
    limit = published_limit(report)
    if limit is None:
        return ()
    return (
        f"Higher rates are left out: the source's cluster sent and received at most {words.figure(limit)} "
        "messages a second at the same time.",
    )


def prices_table(report: Report) -> Table | None:
    """Dollars a month of every option at round rates, and for each 1000 messages a second."""
    question = report.headline_question
    curves = [c for c in report.cost_curves if question and c.question_id == question.question_id]
    if question is None or not curves:
        return None
    rows, rates = [], shown_rates(report, question)
    ranked = ranked_curves(report, question)
    rankings = {"of these": ranked}
    if BATCHED in ranked:
        rankings[SHORT[AS_USED]] = {name: curve for name, curve in ranked.items() if name != BATCHED}
    for rate in rates:
        cells = [
            cell
            for cost in (curve.usd_at(rate) for curve in curves)
            for cell in (words.dollars(cost), words.dollars(None if cost is None else cost / rate * 1000))
        ]
        cheapest = [_cheapest(ranking.values(), rate) for ranking in rankings.values()]
        rows.append(Row(_at_rate(question, rate), (*cheapest, *cells), "priced"))
    return Table(
        slug="prices",
        caption="What a month costs, by rate",
        label_titles=("Monthly mean", "messages a month"),
        columns=(*rankings, *("$ a month", "$ per 1,000 msg/s") * len(curves)),
        groups=(
            ("Cheapest", len(rankings)),
            *((question.option_name(curve.option_id), 2) for curve in curves),
        ),
        rows=tuple(rows),
        notes=(
            f"Dollars a month, and dollars a month per 1,000 messages a second. {_staff_time(question)}",
            _must_carry(question, rates),
            *_not_charged(question),
            *_left_out(report),
        ),
        sourced=False,
    )


def _cheapest(curves: Iterable[CostCurve], rate: float) -> str:
    """Those that cost least; several where they cost the same."""
    sums = {curve.option_id: curve.usd_at(rate) for curve in curves}
    known = {option: cost for option, cost in sums.items() if cost is not None}
    least = min(known.values(), default=0.0)
    return " or ".join(brief(name) for name, cost in known.items() if cost <= least * (1 + EXACT))


def _at_rate(question: CostQuestion, rate: float) -> tuple[str, str]:
    """The rate, and the messages of a month."""
    month = question.priced_with.seconds_per_month
    return f"{rate:,.0f} msg/s" if rate >= 1 else f"{words.figure(rate)} msg/s", words.amount(rate * month)


def _staff_time(question: CostQuestion) -> str:
    included = question.inputs.get("hours")
    return "The cluster's figures include staff time." if included else "These figures exclude staff time."


def _must_carry(question: CostQuestion, rates: list[float]) -> str:
    """The capacities that the prices of clusters suppose."""
    inputs = question.priced_with
    own = f"a RabbitMQ cluster must carry {_needs(capacity_of(inputs), rates)} msg/s at peak"
    said = f"At these rates {own}{with_node_down(question)} (its capacity: {question.capacity})"
    if AMAZON_MQ not in question.options:
        return f"{said}."
    managed = amazon_mq_capacity(inputs)
    known = question.amazon_mq_capacity or managed.describe()
    return f"{said}, and Amazon MQ {_needs(managed, rates)} with all brokers up ({known})."


def _not_charged(question: CostQuestion) -> tuple[str, ...]:
    """What Amazon MQ's rank supposes besides."""
    unknown = is_charge_unknown(question.priced_with)
    if AMAZON_MQ not in question.options or not unknown:
        return ()
    return (f"Amazon MQ is ranked as if {BETWEEN} were free.",)


def _needs(capacity: Capacity, rates: list[float]) -> str:
    return words.listing([words.figure(capacity.needed_each(rate)) for rate in rates], len(rates))


def hours_tables(report: Report) -> list[Table | None]:
    """What is left of SQS's bill after our own brokers', and Amazon MQ's, in dollars and in hours of work."""
    return [_hours_table(report, RABBITMQ, "hours"), _hours_table(report, AMAZON_MQ, "hours-amazon-mq")]


def _hours_table(report: Report, other: str, slug: str) -> Table | None:
    question = report.headline_question
    rows = own_hours(report, other)
    if question is None or not rows:
        return None
    return Table(
        slug=slug,
        caption=f"Break-even hours: {question.spoken_option(other)} is cheaper below these",
        label_titles=("Monthly mean",),
        columns=("$ saved a month", "hours a month") * len(rows),
        groups=tuple((f"Against {question.option_name(sqs)}", 2) for sqs in rows),
        rows=tuple(
            Row(
                (f"{rate:,.0f} msg/s",),
                tuple(cell for row in rows.values() for cell in _hours_cells(row, rate)),
                "priced",
            )
            for rate in carried(report, question, RATES)
        ),
        notes=(
            f"Hours of staff time a month, at {hour(next(iter(rows.values())).hour_usd)}. A negative saving "
            "is what it costs more before any staff time.",
            *_left_out(report),
        ),
        sourced=False,
    )


def _hours_cells(row: BreakEvenHours, rate: float) -> tuple[str, str]:
    found = row.at(rate)
    if found is None:
        return words.NOTHING, words.NOTHING
    saved, hours = found
    wins_below = "never wins" if saved <= 0 else words.NOTHING if hours is None else words.figure(hours)
    return f"−{words.dollars(-saved)}" if saved < 0 else words.dollars(saved), wins_below
