"""Options, rates and crossings as a reader sees them, and those rows that a report looks up first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from breakeven import words
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.pair_questions import MANAGED, OWN
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ, SQS_NAMES
from breakeven.pricing.cluster_form import ClusterForm, form_words
from breakeven.report.contract.cost_model import BreakEvenHours
from breakeven.report.contract.crossing_model import Crossover
from breakeven.report.contract.pairs_model import PairCrossing
from breakeven.report.contract.question_model import OR_NONE, CostQuestion
from breakeven.report.contract.report_model import Report

SHORT = {AS_USED: "as used", BATCHED: "batched"}
HUNDRED = 100
AnyCrossing = TypeVar("AnyCrossing", bound=Crossover | PairCrossing)


def about(msg_per_s: float) -> str:
    """A rate in a sentence: two figures below a hundred, three from there."""
    return words.figure(msg_per_s, 2 if msg_per_s < HUNDRED else 3)


def span(interval: tuple[float, float] | None, or_none: str = "") -> str:
    """' (between 270 and 785, or no crossing if ...)': how far a boundary moves; or empty.

    :param or_none: that there may be none, and when; empty: it is there whatever the uncertain inputs are
    """
    ends = f"between {about(interval[0])} and {about(interval[1])}" if interval else ""
    said = ", ".join(filter(None, (ends, or_none)))
    return f" ({said})" if said else ""


def or_none_notes(unsure: Iterable[tuple[str, str]]) -> list[str]:
    """What 'or no crossing' in a table depends on, a sentence a condition.

    :param unsure: of each pair that may have no crossing: its condition, as ``CostQuestion.may_be_none`` has
        it, and the pair's name
    """
    pairs: dict[str, dict[str, None]] = {}
    for condition, name in unsure:
        pairs.setdefault(condition, {})[name] = None
    return [
        f"{words.capital(OR_NONE)}{condition}: {words.listing(list(names))}."
        for condition, names in pairs.items()
    ]


def usd(value: float) -> str:
    """Dollars of a unit price or of a million messages: three figures, $0.0572."""
    return f"${words.figure(value)}"


def with_node_down(question: CostQuestion, end: str = "") -> str:
    """' with one node down' and ``end``: what a cluster is sized for; nothing of a single node."""
    return f" with one node down{end}" if question.priced_with.nodes > 1 else ""


def own_kind(inputs: Inputs) -> str:
    """What there is one of or, as more is to be carried, several: 'cluster', or 'node' where each has one."""
    return "cluster" if inputs.nodes > 1 else "node"


def is_unbatched(question: CostQuestion) -> bool:
    """Does each call of SQS as used carry one message?"""
    return {question.inputs.get(name) for name in ("send_batch", "receive_batch", "delete_batch")} == {1}


def unbatched(question: CostQuestion) -> str:
    """What follows 'SQS', where SQS batched stands beside it: 'as used (one message a call)'."""
    return f"{SHORT[AS_USED]} ({'one message a call' if is_unbatched(question) else 'calls as asked'})"


def own_hours(report: Report, other: str = RABBITMQ) -> dict[str, BreakEvenHours]:
    """SQS's option -> break-even hours of our own cluster, or another option, against it, of the headline."""
    question = report.headline_question
    return {
        row.sqs_option: row
        for row in report.break_even_hours
        if question and (row.question_id, row.other_option) == (question.question_id, other)
    }


def crossings(report: Report, question_id: str, sqs: str, other: str) -> list[Crossover]:
    """All rows of one pair, from the lowest rate; one without a rate where there is no crossing."""
    return [
        row
        for row in report.crossovers
        if (row.question_id, row.sqs_option, row.other_option) == (question_id, sqs, other)
    ]


def changes(rows: Sequence[AnyCrossing]) -> list[AnyCrossing]:
    """The crossings at which the cheaper option changes."""
    return [row for row in rows if row.msg_per_s is not None and row.cheaper_below != row.cheaper_above]


def deciding(rows: Sequence[Crossover]) -> Crossover | None:
    """The first crossing at which the cheaper option changes; else the first row, which says why not."""
    return next(iter([*changes(rows), *rows]), None)


def brief(option: str | None) -> str:
    """For a narrow column: SQS, batched; RabbitMQ."""
    names = {AS_USED: "SQS", BATCHED: "SQS batched", RABBITMQ: "RabbitMQ", AMAZON_MQ: "Amazon MQ"}
    return words.NOTHING if option is None else names.get(option, option)


def brief_of_pair(option: str | None, asked: ClusterForm) -> str:
    """The same where every form stands beside every other: RabbitMQ trio; Amazon MQ cluster.

    :param asked: the question's own cluster, which has its own nodes and copies
    """
    named = {AS_USED: SQS_NAMES[AS_USED], BATCHED: "SQS batched", None: words.NOTHING}
    named |= {name: f"RabbitMQ {'node' if form == 'single' else form}" for name, form in OWN.items()}
    if not asked.is_usual:
        named[f"{RABBITMQ}-{asked.deployment}"] = f"RabbitMQ {form_words(asked)}"
    named |= {
        name: f"Amazon MQ {'broker' if form == 'single' else 'cluster'}" for name, form in MANAGED.items()
    }
    return named[option]


def hour(usd_an_hour: object) -> str:
    """'$75 an hour'; the price of a person's work."""
    return f"${words.quantity(usd_an_hour)} an hour"


def share(part: object) -> str:
    """0.7 as '70%'."""
    return f"{part * 100:.3g}%" if isinstance(part, int | float) else str(part)
