"""The answer about money in words: where the options change places, what moves that, and what it takes."""

from __future__ import annotations

from math import log10

from breakeven import words
from breakeven.pricing.bill.questions import AS_USED, BATCHED, RABBITMQ
from breakeven.report.contract.money_model import EXACT, BreakEvenHours, CostQuestion, Crossover
from breakeven.report.contract.report_model import Report
from breakeven.report.money.measured_capacity import measured_capacities
from breakeven.report.money.never_crossing import why_never
from breakeven.report.money.option_words import about, changes, crossings, deciding, hour, own_hours, share

#: break-even hours are given at the decade that is nearest to this many times the crossing
FAR_ABOVE = 10.0
#: where there is no crossing
USUAL_RATE = 1000.0


def main_crossover(report: Report, sqs: str = AS_USED) -> Crossover | None:
    """What the verdict is about: the first change of sides of SQS and our own cluster at today's prices."""
    question = report.headline_question
    return deciding(crossings(report, question.question_id, sqs, RABBITMQ)) if question else None


def headline(report: Report) -> str:
    """One sentence: which is cheaper where."""
    crossing = main_crossover(report)
    if crossing is None:
        return "This run priced nothing, so it has no break-even."
    if crossing.kind == "unpriced":
        return "A price needed for the break-even is not known, so this run has none."
    question = report.question(crossing.question_id)
    below = question.spoken_option(crossing.cheaper_below) if crossing.cheaper_below else ""
    above = question.spoken_option(crossing.cheaper_above) if crossing.cheaper_above else ""
    if crossing.msg_per_s is None:
        return _capital(
            f"{below or above} is cheaper at every rate priced, up to "
            f"{about(crossing.searched_msg_per_s or 0.0)} messages a second."
        )
    rate = about(crossing.msg_per_s)
    if crossing.kind == "tie":
        return _capital(_tie(question, crossing, below, above))
    if crossing.kind == "touch":
        return _capital(
            f"{below} is cheaper at every rate but about {rate} messages a second, where both cost the same."
        )
    until = crossing.until_msg_per_s
    upward = "" if until is None else f", up to about {about(until)}"
    unknown = crossing.cheaper_above == RABBITMQ and question.inputs.get("capacity_msg_per_s") is None
    carries = ", if it can carry the load" if unknown else ""
    return _capital(
        f"{below} is cheaper below about {rate} messages a second{_between(crossing)}; above that, {above} is"
        f"{upward}{carries}."
    )


def _tie(question: CostQuestion, crossing: Crossover, below: str, above: str) -> str:
    both = f"{question.spoken_option(AS_USED)} and {question.spoken_option(RABBITMQ)}"
    until = crossing.equal_until_msg_per_s
    reach = "on" if until is None else f"to {about(until)}"
    sides = [f"below that {below} is cheaper"] if below else []
    sides += [f"above it {above} is"] if above else []
    start = about(crossing.msg_per_s or 0.0)
    same = f"{both} cost the same from {start} messages a second {reach}"
    return f"{'; '.join([same, ', '.join(sides)] if sides else [same])}."


def _between(crossing: Crossover) -> str:
    ends = crossing.interval
    return f" (between {about(ends[0])} and {about(ends[1])})" if ends else ""


def money(report: Report) -> list[str]:
    """Paragraphs: the crossing in messages and dollars and where batching moves it; then what it takes."""
    crossing = main_crossover(report)
    if crossing is None:
        return []
    question = report.question(crossing.question_id)
    first = [
        _sums(crossing),
        why_never(crossing, question, report.bills),
        _spans(question, crossing),
        _again(report, crossing),
        _batched(report),
    ]
    second = [
        _carries(report, question, crossing),
        *_hours(report, question, crossing),
        _book(crossing.price_book),
    ]
    return [" ".join(part for part in parts if part) for parts in (first, second)]


def _sums(crossing: Crossover) -> str:
    if crossing.msg_per_s is None:
        return ""
    pays = "SQS" if crossing.kind == "step" else "either option"
    return (
        f"That rate is a monthly mean of {words.amount(crossing.messages_per_month)} messages, "
        f"at which {pays} costs {words.dollars(crossing.usd_per_month)} a month."
    )


def _spans(question: CostQuestion, crossing: Crossover) -> str:
    if crossing.interval is None:
        return ""
    part = ""
    if crossing.corners_with < crossing.corners:
        part = f"; {crossing.corners_with} of {crossing.corners} combinations have this crossing"
    return f"The interval covers what is not known: {question.uncertain_words()}{part}."


def _again(report: Report, crossing: Crossover) -> str:
    """That it is not the only crossing."""
    rows = crossings(report, crossing.question_id, crossing.sqs_option, crossing.other_option)
    sides = changes(rows)
    if len(sides) <= 1:
        return ""
    return (
        f"The cheaper option changes {len(sides):,} times, the last time at "
        f"{about(sides[-1].msg_per_s or 0.0)} messages a second, as the brokers' bill grows by whole "
        "clusters."
    )


def _batched(report: Report) -> str:
    crossing = main_crossover(report, BATCHED)
    if crossing is None or crossing.kind == "unpriced":
        return ""
    if crossing.msg_per_s is None:
        is_it = "still costs more" if crossing.cheaper_below == RABBITMQ else "is cheaper"
        return f"Batched and long-polled, SQS {is_it} at every rate priced."
    rate = f"about {about(crossing.msg_per_s)} messages a second"
    if crossing.cheaper_below == BATCHED:
        return f"Batched and long-polled, SQS is cheaper up to {rate}{_between(crossing)}."
    above = crossing.cheaper_above == BATCHED
    return f"Batched and long-polled, SQS is cheaper above {rate}." if above else ""


def _carries(report: Report, question: CostQuestion, crossing: Crossover) -> str:
    """What the cluster must carry where it begins to pay."""
    needs, rate = crossing.needs_msg_per_s, crossing.msg_per_s
    if needs is None or rate is None:
        return ""
    peak, use = question.inputs.get("peak_factor"), question.inputs.get("utilisation")
    stated = question.inputs.get("capacity_msg_per_s")
    if isinstance(stated, int | float):
        known = f"it is assumed to carry {words.figure(stated)}"
    elif report.environment == "aws" and measured_capacities(report):
        known = "the capacity that this run measured is not used in these figures"
    else:
        known = "this run did not measure what a cluster carries on EC2"
    return (
        f"At that rate a cluster must carry at least {words.figure(needs)} messages a second at peak with "
        f"one node down (a peak of {words.quantity(peak)} times the mean, {share(use)} utilisation); {known}."
    )


def _hours(report: Report, question: CostQuestion, crossing: Crossover) -> list[str]:
    """Staff time: what the figures include, and below how many hours running one's own pays."""
    given, rate = question.inputs.get("hours"), question.inputs.get("hour_rate")
    sentences = (
        [f"The cluster's bill includes {words.quantity(given)} hours of staff time a month at {hour(rate)}."]
        if given
        else ["These figures exclude staff time."]
    )
    curves = own_hours(report)
    used = curves.get(AS_USED)
    if used is None:
        return sentences
    at = stated_rate(used, crossing.msg_per_s)
    saved, hours = used.at(at) or (0.0, None)
    own = f"At {about(at)} messages a second running your own"
    if saved <= 0:
        return [*sentences, f"{own} costs {words.dollars(-saved)} a month more before any staff time."]
    sentence = f"{own} saves {words.dollars(saved)} a month before staff time"
    if hours is None:
        return [*sentences, f"{sentence}; no price was given for an hour of staff time."]
    sentence += (
        f": it wins if it takes less than {words.figure(hours)} hours a month at {hour(used.hour_usd)}"
    )
    beside = curves.get(BATCHED)
    return [*sentences, f"{sentence}{_beside(beside, at)}."]


def _beside(batched: BreakEvenHours | None, at: float) -> str:
    found = batched.at(at) if batched else None
    if found is None or found[1] is None:
        return ""
    saved, hours = found
    if saved <= 0:
        return f"; against SQS batched and long-polled it costs {words.dollars(-saved)} a month more"
    return f", or less than {words.figure(hours)} against SQS batched and long-polled"


def stated_rate(hours: BreakEvenHours, crossing: float | None) -> float:
    """The decade nearest to ten times the crossing among the rates that were priced."""
    wanted = FAR_ABOVE * crossing if crossing else USUAL_RATE
    decades = [rate for rate in hours.msg_per_s if abs(log10(rate) - round(log10(rate))) < EXACT]
    return min(decades or hours.msg_per_s, key=lambda rate: abs(log10(rate / wanted)))


def _book(book: str) -> str:
    region, _, day = book.partition("@")
    return f"List prices: {region}{f' of {day}' if day else ''}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
