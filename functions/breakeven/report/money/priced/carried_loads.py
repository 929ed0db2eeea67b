"""Conditions of the headline's prices: the rate that each cluster must carry, and traffic that is free."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from breakeven import words
from breakeven.pricing.bill.amazon_mq import form_of
from breakeven.pricing.bill.cluster_capacity import capacity_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.questions import AMAZON_MQ, RABBITMQ
from breakeven.pricing.bill.uncertainty import MANAGED_TRAFFIC
from breakeven.report.contract.question_model import AT_OTHER_END, OR_NONE, CostQuestion
from breakeven.report.contract.report_model import Report
from breakeven.report.money.cheapest import NAMED_RANGES, Range, crossings_of
from breakeven.report.money.managed import amazon_mq_needs, conditions, is_charge_unknown
from breakeven.report.money.option_words import about, own_kind
from breakeven.report.money.priced.range_words import IN_HEADLINE, options_between


def in_short(report: Report, question: CostQuestion, found: Sequence[Range]) -> str:
    """'These prices suppose that each RabbitMQ cluster can carry 3,360 messages a second and each Amazon MQ
    cluster 24,300 (more at higher rates), ...'; empty where nothing is supposed.
    """
    inputs, lowest = question.priced_with, _lowest_rates(found)
    is_free = is_charge_unknown(inputs) and AMAZON_MQ in lowest
    otherwise = "" if RABBITMQ in lowest else _if_charged(report, question)
    free = f"free traffic between Amazon MQ's brokers{otherwise}" if is_free else ""
    loads = list(_loads(inputs, lowest))
    if not loads:
        return f"These prices suppose {free}." if free else ""
    (name, needs), *others = loads
    first = f"each {name} can carry {about(needs)} messages a second"
    carried = words.listing([first, *(f"each {own} {about(least)}" for own, least in others)])
    return f"These prices suppose that {carried} (more at higher rates){f', with {free}' if free else ''}."


def in_full(question: CostQuestion, found: Sequence[Range]) -> str:
    """The same as the notes of tables have it: 'It supposes that a RabbitMQ cluster can carry ...'."""
    inputs, lowest = question.priced_with, _lowest_rates(found)
    clauses = []
    if RABBITMQ in lowest and not inputs.capacity_msg_per_s:
        needs = about(_own_needs(inputs, lowest[RABBITMQ]))
        clauses.append(f"a RabbitMQ {own_kind(inputs)} can carry {needs} messages a second at peak")
    if AMAZON_MQ in lowest:
        clauses.append(conditions(inputs, lowest[AMAZON_MQ], question.spoken_option(AMAZON_MQ)))
    said = words.listing(list(filter(None, clauses)))
    more = " At higher rates they must carry more." if any(_loads(inputs, lowest)) else ""
    return f"It supposes that {said}.{more}" if said else ""


def _if_charged(report: Report, question: CostQuestion) -> str:
    """That our own cluster, which costs less at low rates, then does so at every rate."""
    found = crossings_of(report, question, RABBITMQ, AMAZON_MQ)
    never = f"{OR_NONE} {AT_OTHER_END[MANAGED_TRAFFIC]}"
    if not found or found[0].is_sure or question.or_none(RABBITMQ, AMAZON_MQ) != never:
        return ""
    if not (found[0].cheaper_below or "").startswith(RABBITMQ):
        return ""
    return " (if it is charged, RabbitMQ undercuts Amazon MQ at every rate)"


def _lowest_rates(found: Sequence[Range]) -> dict[str, float]:
    """Of each option that is named the lowest rate at which it is the cheapest: where it is so again, more is
    to be carried.
    """
    lowest = {own.option: _begins(own) for own in reversed(found[:NAMED_RANGES])}
    for before, own in pairwise(found[:IN_HEADLINE]):
        for option in options_between(before, own):
            met = before.end.rate if before.end else _begins(own)
            lowest[option] = min(met, lowest.get(option, met))
    return lowest


def _loads(inputs: Inputs, lowest: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Clusters whose capacity is not given, with what each must carry where they begin to be the cheapest."""
    if RABBITMQ in lowest and not inputs.capacity_msg_per_s:
        yield f"RabbitMQ {own_kind(inputs)}", _own_needs(inputs, lowest[RABBITMQ])
    if AMAZON_MQ in lowest and not inputs.amazon_mq_capacity_msg_per_s:
        form = form_of(inputs.deployment).replace("single", "broker")
        yield f"Amazon MQ {form}", amazon_mq_needs(inputs, lowest[AMAZON_MQ])


def _own_needs(inputs: Inputs, msg_per_s: float) -> float:
    return capacity_of(inputs).needed_each(msg_per_s)


def _begins(own: Range) -> float:
    """The lowest rate of the range that is known, messages a second."""
    return own.start.rate if own.start else own.rates[0]
