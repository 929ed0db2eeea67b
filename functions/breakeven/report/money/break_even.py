"""Sentences after the headline about money: those that lead, then all of them by subject."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10

from breakeven import words
from breakeven.pricing.bill.questions import AS_USED, BATCHED
from breakeven.pricing.bill.uncertainty import FILL_OF_BATCHED
from breakeven.pricing.bill.variations import STAFF_HOURS
from breakeven.report.contract.cost_model import BreakEvenHours, PaysFrom
from breakeven.report.contract.crossing_model import EXACT, Crossover
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.contract.report_model import Detail, Report
from breakeven.report.money.by_size import MODES, size_and_zones, than
from breakeven.report.money.consumption.consumer_words import QUEUE_ONLY
from breakeven.report.money.counted import counted
from breakeven.report.money.headline import above_headline, as_used, beside_headline, main_crossover, supposed
from breakeven.report.money.latency_at_crossing import near_crossing
from breakeven.report.money.measured_capacity import measured_capacities
from breakeven.report.money.never_crossing import why_never
from breakeven.report.money.option_words import (
    SHORT,
    about,
    changes,
    crossings,
    hour,
    own_hours,
    share,
    with_node_down,
)
from breakeven.report.money.priced.price_owners import prices_in_full
from breakeven.report.money.priced.staffed_words import pays_somewhere, pays_words
from breakeven.report.money.priced.uncompared import left_out

#: break-even hours are given at the decade that is nearest to this many times the crossing
FAR_ABOVE = 10.0
#: where there is no crossing
USUAL_RATE = 1000.0
#: uncertain inputs of which the question itself is priced at one end
AT_BEST = {
    "empty receives": "no empty receives",
    "batch fill": "full batches",
    FILL_OF_BATCHED: "full batches",
}


def in_short(report: Report) -> str:
    """What follows the headline at once: what is cheapest yet further up, what that supposes of clusters, SQS
    as used, and the same with staff time.
    """
    said = (above_headline(report), supposed(report), as_used(report), _with_staff_in_short(report))
    return " ".join(filter(None, said))


def money(report: Report) -> list[Detail]:
    """What the headline leaves, SQS as used, its crossing in messages and dollars and how sure; other sizes
    and zones; and what it takes.
    """
    crossing = main_crossover(report)
    if crossing is None:
        return []
    question = report.question(crossing.question_id)
    sure = (
        why_never(crossing, question, report.bills),
        _spans(question, crossing),
        _spans_of_batched(report, question),
        _again(report, crossing),
    )
    queue_only = question.purpose != "history" and not question.inputs.get("consumer")
    return details(
        ("The headline", [beside_headline(report), left_out(report)]),
        ("The break-even", [as_used(report), _sums(crossing), *sure]),
        ("Latency near it", [near_crossing(report, crossing)]),
        ("Empty receives", [counted(report)]),
        ("Message sizes and zones", [size_and_zones(report)]),
        ("What a cluster must carry", [_carries(report, question, crossing)]),
        ("Staff time", _hours(report, question, crossing)),
        ("Prices", [QUEUE_ONLY if queue_only else "", prices_in_full(report)]),
    )


def cheaper_where(report: Report) -> list[Detail]:
    """Those of the subjects that speak of prices alone, for a page of no run."""
    crossing = main_crossover(report)
    if crossing is None:
        return []
    return details(
        ("The headline", [beside_headline(report), left_out(report)]),
        ("The break-even", [as_used(report), _sums(crossing)]),
        ("Message sizes and zones", [size_and_zones(report)]),
        ("Prices", [QUEUE_ONLY, prices_in_full(report)]),
    )


def details(*subjects: tuple[str, Sequence[str]]) -> list[Detail]:
    """Subjects with their sentences; one without any is left out."""
    said = ((subject, " ".join(filter(None, sentences))) for subject, sentences in subjects)
    return [Detail(subject=subject, text=text) for subject, text in said if text]


def _sums(crossing: Crossover) -> str:
    if crossing.msg_per_s is None:
        return ""
    pays = "SQS" if crossing.kind == "step" else "either option"
    return (
        f"A mean of {about(crossing.msg_per_s)} messages a second is "
        f"{words.amount(crossing.messages_per_month)} messages a month, at which {pays} costs "
        f"{words.dollars(crossing.usd_per_month)} a month."
    )


def _spans_of_batched(report: Report, question: CostQuestion) -> str:
    """The same of the crossing that the headline names."""
    crossing = main_crossover(report, BATCHED) if BATCHED in question.options else None
    return _spans(question, crossing, "The interval of its crossing with SQS batched") if crossing else ""


def _spans(question: CostQuestion, crossing: Crossover, which: str = "The interval") -> str:
    if crossing.interval is None:
        return ""
    part = ""
    if crossing.corners_with < crossing.corners:
        part = f"; {crossing.corners_with} of {crossing.corners} combinations have this crossing"
    unknown = question.uncertain_words(crossing.sqs_option, crossing.other_option)
    edge = _edge(question, crossing, crossing.interval)
    return f"{which} covers what is not known: {unknown}{part}.{edge}"


def _edge(question: CostQuestion, crossing: Crossover, ends: tuple[float, float]) -> str:
    """Why an estimate is an end of its own interval: it takes the best of what is not known."""
    rate, moving = crossing.msg_per_s, question.uncertain_of(crossing.sqs_option, crossing.other_option)
    names = ("lower", "upper")
    found = [name for name, end in zip(names, ends, strict=True) if abs(end - (rate or 0.0)) <= EXACT * end]
    priced = list(dict.fromkeys(AT_BEST[name] for name in moving if name in AT_BEST))
    if not found or not priced:
        return ""
    return f" The estimate is its {found[0]} end, as it is priced with {words.listing(priced)}."


def _again(report: Report, crossing: Crossover) -> str:
    """That it is not the only crossing."""
    rows = crossings(report, crossing.question_id, crossing.sqs_option, crossing.other_option)
    sides = changes(rows)
    if len(sides) <= 1:
        return ""
    return (
        f"The cheaper option changes {len(sides):,} times, the last time at "
        f"{about(sides[-1].msg_per_s or 0.0)} messages a second, as the brokers' bill grows by whole "
        "clusters and SQS's price falls by tiers."
    )


def _carries(report: Report, question: CostQuestion, crossing: Crossover) -> str:
    """What the cluster must carry where it begins to pay."""
    needs, rate = crossing.needs_msg_per_s, crossing.msg_per_s
    if needs is None or rate is None:
        return ""
    peak, use = question.inputs.get("peak_factor"), question.inputs.get("utilisation")
    return (
        f"At the crossing of {about(rate)} messages a second a cluster must carry at least "
        f"{words.figure(needs)} messages a second at peak{with_node_down(question)} (a peak of "
        f"{words.quantity(peak)} times the mean, {share(use)} utilisation); "
        f"{_known_capacity(report, question)}."
    )


def _known_capacity(report: Report, question: CostQuestion) -> str:
    stated = question.inputs.get("capacity_msg_per_s")
    own = any(not one.is_managed for one in measured_capacities(report))
    if not isinstance(stated, int | float) and report.environment == "aws" and own:
        return "the capacity that this run measured is not used in these figures"
    if not isinstance(stated, int | float):
        return "this run did not measure what a cluster carries on EC2"
    priced = (one for one in report.capacities if one.prices_question_id == question.question_id)
    measured = next(priced, None)
    if measured is None:
        return f"it is assumed to carry {words.figure(stated)}"
    nodes = words.plural(measured.nodes_down, "node") + " down" if measured.nodes_down else "all nodes up"
    run = "this run" if measured.run_id == report.run_id else f"run {measured.run_id} of {measured.date}"
    bound = "at least " if measured.high_msg_per_s is None else ""
    return f"{run} measured {bound}{words.figure(stated)} on {measured.instance} with {nodes}"


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
        more = f"{own} costs {words.dollars(-saved)} a month more before any staff time."
        return [*sentences, more, _with_staff(question, curves)]
    against = than(question, AS_USED).replace("than", "against")
    sentence = f"{own} saves {words.dollars(saved)} a month {against}, before staff time"
    if hours is None:
        return [*sentences, f"{sentence}; no price was given for an hour of staff time."]
    sentence += (
        f": it is cheaper if it takes less than {words.figure(hours)} hours a month at {hour(used.hour_usd)}"
    )
    return [*sentences, f"{sentence}{_beside(curves.get(BATCHED), at)}.", _with_staff(question, curves)]


def _with_staff(question: CostQuestion, curves: Mapping[str, BreakEvenHours]) -> str:
    """From which rate on it pays with a working day a month; empty where an hour has no price."""
    found = [
        f"{than(question, option)} {pays_words(rate, ' msg/s', 'at no rate', in_full=True)}"
        for option, rate in _pays_from(curves).items()
    ]
    if not found:
        return ""
    hours = f"With {STAFF_HOURS:g} hours of staff time a month running your own is cheaper"
    last = max(row.msg_per_s[-1] for row in curves.values())
    return f"{hours} {words.listing(found)} (priced up to about {about(last)} msg/s)."


def _with_staff_in_short(report: Report) -> str:
    """The same beside SQS as used; empty where the headline has the hours, or an hour has no price."""
    question, curves = report.headline_question, own_hours(report)
    used, rates = curves.get(AS_USED), _pays_from(curves)
    if question is None or question.inputs.get("hours") or used is None or AS_USED not in rates:
        return ""
    units = {AS_USED: " a second"}
    found = [
        f"than SQS {SHORT[option]} {pays_words(rate, units.get(option, ''), 'at no rate priced')}"
        for option, rate in rates.items()
    ]
    hours = f"With {STAFF_HOURS:g} staff hours a month at {hour(used.hour_usd)}"
    is_known = bool(question.inputs.get("capacity_msg_per_s")) or not pays_somewhere(rates.values())
    carried = "" if is_known else ", if it carries the load"
    return f"{hours}, RabbitMQ is cheaper {' and '.join(found)}{carried}."


def _pays_from(curves: Mapping[str, BreakEvenHours]) -> dict[str, PaysFrom]:
    """SQS's option -> from which rate on one's own pays with ``STAFF_HOURS``; empty if it was not asked."""
    return {name: row.pays_from for name, row in curves.items() if name in MODES and row.pays_from}


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
