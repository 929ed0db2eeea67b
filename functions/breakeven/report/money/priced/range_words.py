"""Ranges of traffic with their cheapest option, in the words of the headline and of what follows it."""

from __future__ import annotations

from breakeven import words
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ
from breakeven.report.contract.crossing_model import EXACT
from breakeven.report.contract.question_model import OR_NONE, CostQuestion
from breakeven.report.contract.report_model import Report
from breakeven.report.money.cheapest import (
    NAMED_RANGES,
    ORDER,
    Meeting,
    Range,
    ranked_curves,
    undercut_beyond,
)
from breakeven.report.money.option_words import about, span
from breakeven.report.money.priced.changes_again import beyond_words
from breakeven.report.money.priced.leading_words import cluster_words, meeting_span, sqs_words

#: ranges that the headline itself names: below the first change of sides, and above it
IN_HEADLINE = 2


def short_name(question: CostQuestion, option: str) -> str:
    """As a headline has room for; a cluster of one's own with its nodes and zones."""
    if option == AMAZON_MQ:
        return "Amazon MQ"
    if option == RABBITMQ:
        return cluster_words(question)
    return sqs_words(question, option).removesuffix(" and long-polled")


def first_ranges(report: Report, question: CostQuestion, found: list[Range]) -> str:
    """What is the cheapest below the first change of sides, above it and up to where, and what nowhere."""
    first, *others = found
    name = short_name(question, first.option)
    if not others:
        compared = [short_name(question, option) for option in _compared(report, question)]
        end = f"{about(first.rates[-1])} messages a second, where the charts end"
        reach = f"at every rate priced, up to about {end}"
        beyond = _named(question, undercut_beyond(report, question, first))
        return f"{name} is the cheapest of {words.listing(compared)} {reach}{beyond_words(beyond)}"
    assert first.end
    below = f"{name} is the cheapest below about {_a_second(question, first.end)}"
    above = f"{short_name(question, others[0].option)} {_above(report, question, found)}"
    nowhere = _nowhere(report, question, found)
    if not nowhere:
        return _each_once(question, f"{below}, and {above}", found)
    never = f"{words.listing(nowhere)} at no rate priced"
    return _each_once(question, f"{below}, {above}, and {never}", found)


def further_ranges(report: Report, question: CostQuestion, found: list[Range]) -> str:
    """What is the cheapest above the two ranges of the headline; empty if nothing else is known to be."""
    if len(found) < IN_HEADLINE:
        return ""
    last = found[:NAMED_RANGES][-1]
    beyond = None if len(found) > NAMED_RANGES else undercut_beyond(report, question, last)
    if len(found) == IN_HEADLINE:
        return _beyond_all(question, beyond) if beyond else ""
    before, own = found[IN_HEADLINE - 1 : NAMED_RANGES]
    assert own.start
    start = f"Above about {_a_second(question, own.start)}{_between(question, before, own)}"
    end = beyond_words(_named(question, beyond))
    if own.end:
        end = f", up to about {_rate(question, own.end)}, above which the cheapest changes again"
    return _each_once(question, f"{start}, {short_name(question, own.option)} is the cheapest{end}.", found)


def _above(report: Report, question: CostQuestion, found: list[Range]) -> str:
    """'above that', or above a rate of its own where a third lies between; and up to where."""
    before, own, *_ = found
    assert before.end
    assert own.start
    follows = own.start.rate <= before.end.rate * (1 + EXACT)
    start = "above that" if follows else f"above about {_rate(question, own.start)}"
    end = own.end or undercut_beyond(report, question, own)
    # what it depends on is said where the next range is named
    or_none = "" if end is None or end.is_sure else OR_NONE
    until = f", up to about {about(end.rate)}{span(end.interval, or_none)}" if end else ""
    return f"{start}{_between(question, before, own)}{until}"


def _beyond_all(question: CostQuestion, met: Meeting) -> str:
    """That another option undercuts the last range above all rates of the charts."""
    own, other = (short_name(question, option) for option in met.options)
    return f"Above about {_a_second(question, met)}, {other} is cheaper than {own}."


def _named(question: CostQuestion, met: Meeting | None) -> tuple[float, str] | None:
    return (met.rate, short_name(question, met.options[1])) if met else None


def _compared(report: Report, question: CostQuestion) -> list[str]:
    """In the order of the tables; SQS batched stands for all of SQS."""
    curves = ranked_curves(report, question)
    return [name for name in ORDER if name in curves and not (name == AS_USED and BATCHED in curves)]


def _nowhere(report: Report, question: CostQuestion, found: list[Range]) -> list[str]:
    """Names of what was compared and has no range, nor lies between the two of the headline."""
    named = {own.option for own in found} | set(options_between(found[0], found[1]))
    return [short_name(question, option) for option in _compared(report, question) if option not in named]


def _rate(question: CostQuestion, met: Meeting) -> str:
    return f"{about(met.rate)}{meeting_span(question, met)}"


def _a_second(question: CostQuestion, met: Meeting) -> str:
    return f"{about(met.rate)} messages a second{meeting_span(question, met)}"


def options_between(before: Range, own: Range) -> list[str]:
    """What is the cheapest between two ranges, over so little that no rate of it was priced."""
    if not before.end or not own.start or own.start.rate <= before.end.rate * (1 + EXACT):
        return []
    others = dict.fromkeys((*before.end.options, *own.start.options))
    return [option for option in others if option not in (before.option, own.option)]


def _between(question: CostQuestion, before: Range, own: Range) -> str:
    names = [short_name(question, option) for option in options_between(before, own)]
    return f", with {words.listing(names)} between the two" if names else ""


def _each_once(question: CostQuestion, said: str, found: list[Range]) -> str:
    """With each condition under which there is no crossing in full where it is said first only."""
    met = [one for own in found for one in (own.start, own.end) if one and not one.is_sure]
    for condition in {question.or_none(*one.options) for one in met}:
        first, once, others = said.partition(condition)
        said = f"{first}{once}{others.replace(condition, f'{OR_NONE}, likewise')}"
    return said
