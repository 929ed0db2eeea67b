"""Words of the sentences about money that lead: options, what they are compared with, and intervals."""

from __future__ import annotations

from breakeven import words
from breakeven.pricing.bill.questions import AS_USED, BATCHED, RABBITMQ
from breakeven.report.contract.crossing_model import Crossover
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.money.cheapest import Meeting
from breakeven.report.money.option_words import span


def condition_words(question: CostQuestion) -> str:
    """Size and region; the article of 2012 counts calls, whatever their size."""
    region = question.price_book.partition("@")[0]
    if question.purpose == "history":
        return f"At the prices of {region}"
    return f"With {words.size(question.priced_with.message_bytes)} messages in {region}"


def sqs_words(question: CostQuestion, option: str = AS_USED) -> str:
    kind = "SQS FIFO" if question.inputs.get("queue") == "fifo" else "SQS"
    return f"{kind} batched and long-polled" if option == BATCHED else kind


def cluster_words(question: CostQuestion) -> str:
    """'a RabbitMQ pair of m7g.large in 2 zones'; the article of 2012 knows no zones."""
    inputs = question.priced_with
    known = inputs.nodes > 1 and question.purpose != "history"
    zones = f" in {words.plural(inputs.zones, 'zone')}" if known else ""
    return f"{question.spoken_option(RABBITMQ)}{zones}"


def interval_words(question: CostQuestion, crossing: Crossover | None) -> str:
    """The interval of a crossing, in brackets; nothing where nothing uncertain moves it."""
    if crossing is None:
        return ""
    options = crossing.sqs_option, crossing.other_option
    return span(crossing.interval, "" if crossing.is_sure else question.or_none(*options))


def meeting_span(question: CostQuestion, met: Meeting) -> str:
    """The same of where two bills meet."""
    return span(met.interval, "" if met.is_sure else question.or_none(*met.options))


def staff_words(question: CostQuestion) -> str:
    hours = question.inputs.get("hours")
    return f"with {words.quantity(hours)} hours of staff time a month" if hours else "before staff time"
