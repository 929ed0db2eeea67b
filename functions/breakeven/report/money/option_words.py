"""Options, rates and crossings as a reader sees them, and the questions that a report looks up first."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import words
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, DEPLOYMENTS, RABBITMQ
from breakeven.report.contract.money_model import BreakEvenHours, CostQuestion, Crossover
from breakeven.report.contract.report_model import Report

SHORT = {AS_USED: "as used", BATCHED: "batched"}
#: what an uncertain input's ends are, as ``pricing.variations`` sets them
ENDS = {
    "empty receives": "empty receives (none to one per message)",
    "batch fill": "batch fill (half to full)",
    "capacity": "cluster capacity (a quarter less to a quarter more)",
}
EXACT = 1e-9  # less than this part apart is the arithmetic's
HUNDRED = 100


def about(msg_per_s: float) -> str:
    """A rate in a sentence: two figures below a hundred, three from there."""
    return words.figure(msg_per_s, 2 if msg_per_s < HUNDRED else 3)


def usd(value: float) -> str:
    """Dollars of a unit price or of a million messages: three figures, $0.0572."""
    return f"${words.figure(value)}"


def headline_question(report: Report) -> CostQuestion | None:
    """Today's question; that of history only where there is no other."""
    return next(iter(report.cost_questions), None)


def question_of(report: Report, question_id: str) -> CostQuestion:
    return next(question for question in report.cost_questions if question.question_id == question_id)


def own_hours(report: Report) -> dict[str, BreakEvenHours]:
    """SQS's option -> break-even hours of our own cluster against it, of the headline question."""
    question = headline_question(report)
    return {
        row.sqs_option: row
        for row in report.break_even_hours
        if question and (row.question_id, row.other_option) == (question.question_id, RABBITMQ)
    }


def crossings(report: Report, question_id: str, sqs: str, other: str) -> list[Crossover]:
    """All rows of one pair, from the lowest rate; one without a rate where there is no crossing."""
    return [
        row
        for row in report.crossovers
        if (row.question_id, row.sqs_option, row.other_option) == (question_id, sqs, other)
    ]


def changes(rows: Sequence[Crossover]) -> list[Crossover]:
    """The crossings at which the cheaper option changes."""
    return [row for row in rows if row.msg_per_s is not None and row.cheaper_below != row.cheaper_above]


def deciding(rows: Sequence[Crossover]) -> Crossover | None:
    """The first crossing at which the cheaper option changes; else the first row, which says why not."""
    return next(iter([*changes(rows), *rows]), None)


def option_name(question: CostQuestion, option: str) -> str:
    """For tables and legends; an option of a map is an instance type."""
    deployment = str(question.inputs.get("deployment", "pair"))
    return question.options.get(option) or DEPLOYMENTS[deployment].format(option)


def spoken_option(question: CostQuestion, option: str) -> str:
    """In a sentence: SQS; SQS, batched and long-polled; a RabbitMQ pair of m7g.large."""
    if option == AS_USED:
        return "SQS"
    if option == BATCHED:
        return "SQS, batched and long-polled"
    name = option_name(question, option)
    return f"a {name}" if name.startswith(("RabbitMQ pair", "RabbitMQ trio")) else name


def interval(crossing: Crossover) -> tuple[float, float] | None:
    """The ends of the crossing's interval; None where nothing uncertain moves it."""
    low, high = crossing.low_msg_per_s, crossing.high_msg_per_s
    if low is None or high is None or high - low <= EXACT * high:
        return None
    return low, high


def uncertain_words(question: CostQuestion) -> str:
    """What the intervals of a question span."""
    return words.listing([ENDS.get(name, name) for name in question.uncertain])


def brief(option: str | None) -> str:
    """For a narrow column: SQS, batched; RabbitMQ."""
    names = {AS_USED: "SQS", BATCHED: "SQS batched", RABBITMQ: "RabbitMQ", AMAZON_MQ: "Amazon MQ"}
    return words.NOTHING if option is None else names.get(option, option)


def hour(usd_an_hour: object) -> str:
    """'$75 an hour'; the price of a person's work."""
    return f"${words.quantity(usd_an_hour)} an hour"


def share(part: object) -> str:
    """0.7 as '70%'."""
    return f"{part * 100:.3g}%" if isinstance(part, int | float) else str(part)
