"""The answer about money in three sentences, and those that follow: what is cheapest where, and for whom."""

from __future__ import annotations

from itertools import pairwise

from breakeven import words
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ
from breakeven.report.contract.crossing_model import EXACT, Crossover
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.contract.report_model import Report
from breakeven.report.money.cheapest import Range, Stretch, ranges, stretches
from breakeven.report.money.option_words import (
    about,
    changes,
    crossings,
    deciding,
    own_kind,
    unbatched,
)
from breakeven.report.money.priced import carried_loads, headline_dollars
from breakeven.report.money.priced.changes_again import again_words, changes_from, then_words
from breakeven.report.money.priced.leading_words import (
    cluster_words,
    condition_words,
    interval_words,
    meeting_span,
    sqs_words,
    staff_words,
)
from breakeven.report.money.priced.range_words import first_ranges, further_ranges
from breakeven.report.money.priced.search_ends import why_it_ends


def main_crossover(report: Report, sqs: str = AS_USED) -> Crossover | None:
    """The first change of sides of SQS and our own cluster at today's prices; else why there is none."""
    question = report.headline_question
    return deciding(crossings(report, question.question_id, sqs, RABBITMQ)) if question else None


def headline(report: Report) -> str:
    """Which option is cheaper from what rate on, by how many dollars a month, and of which prices.

    A sentence each. SQS in batches never costs more than SQS as used, so that it is the one of which this
    speaks; :func:`as_used` has the other, :func:`above_headline` what is cheapest yet further up, and
    :func:`supposed` what clusters must carry beside Amazon MQ, of which there is more to say.
    """
    question = report.headline_question
    if question is None or main_crossover(report) is None:
        return "This run priced nothing, so it has no break-even."
    sqs, found = _sqs_stretches(report, question)
    if not found:
        return "A price needed for the break-even is not known, so this run has none."
    all_ranges = _with_amazon_mq(report, question)
    if all_ranges:
        where = first_ranges(report, question, all_ranges)
        dollars = headline_dollars.of_ranges(report, question, all_ranges)
        provided = ""
    else:
        where = _cheapest(report, question, sqs, found)
        dollars = headline_dollars.of_stretches(report, question, sqs, found)
        load = _carried(question, sqs, found, "at the crossing")
        provided = f" and hold if {load}" if load else ""
    return f"{condition_words(question)}, {where}. {dollars} {_staff_time(question)}{provided}."


def above_headline(report: Report) -> str:
    """What is the cheapest above the two ranges that the headline names; empty if nothing more is known."""
    question = report.headline_question
    found = _with_amazon_mq(report, question) if question and _compared(report) else []
    return further_ranges(report, question, found) if question and found else ""


def _staff_time(question: CostQuestion) -> str:
    """Whether the dollars have it: a bill of Amazon MQ has none of ours."""
    if not question.inputs.get("hours"):
        return f"These prices are {staff_words(question)}"
    return f"These prices {staff_words(question).replace('with', 'include', 1)} for RabbitMQ"


def supposed(report: Report) -> str:
    """What the headline supposes of clusters, in short; empty where it says so itself."""
    question = report.headline_question
    found = _with_amazon_mq(report, question) if question and _compared(report) else []
    return carried_loads.in_short(report, question, found) if question and found else ""


def beside_headline(report: Report) -> str:
    """What the headline supposes of Amazon MQ and of our own cluster, and both SQS and our own without it."""
    question = report.headline_question
    if question is None or AMAZON_MQ not in question.options or not _compared(report):
        return ""
    found = _with_amazon_mq(report, question)
    if not found:
        return "Amazon MQ is the cheapest at no rate priced."
    nowhere = (
        f" {words.capital(cluster_words(question))} is the cheapest {_hardly_anywhere(question, found)}."
    )
    return (
        f"{carried_loads.in_full(question, found)}"
        f"{'' if RABBITMQ in {own.option for own in found} else nowhere} "
        f"Without Amazon MQ, {_compared(report)}."
    ).strip()


def _hardly_anywhere(question: CostQuestion, found: list[Range]) -> str:
    """Of a third option: between the ranges of the other two, where there is room, though no rate priced."""
    for before, after in pairwise(found):
        if before.end and after.start and after.start.rate > before.end.rate * (1 + EXACT):
            start, end = f"{about(before.end.rate)} messages a second", about(after.start.rate)
            low, high = (meeting_span(question, met) for met in (before.end, after.start))
            return f"only from about {start}{low} to about {end}{high}"
    return "at no rate priced"


def _compared(report: Report) -> str:
    """SQS, batched where that is priced, and our own cluster; empty where a price is not known."""
    question, crossing = report.headline_question, main_crossover(report)
    if question is None or crossing is None:
        return ""
    sqs, found = _sqs_stretches(report, question)
    if not found:
        return ""
    supposed = _provided(question, sqs, found)
    return f"{_cheapest(report, question, sqs, found)}, {supposed}"


def _sqs_stretches(report: Report, question: CostQuestion) -> tuple[str, list[Stretch]]:
    """Of SQS, batched where that is priced, beside our own cluster; none where a price is not known."""
    sqs = BATCHED if BATCHED in question.options else AS_USED
    return sqs, stretches(report, question, sqs)


def _with_amazon_mq(report: Report, question: CostQuestion) -> list[Range]:
    """The ranges of all options; none where Amazon MQ is in none of them."""
    found = ranges(report, question) if AMAZON_MQ in question.options else []
    return found if any(one.option == AMAZON_MQ for one in found) else []


def as_used(report: Report) -> str:
    """SQS as it is used against our own cluster; empty where the headline has said it."""
    question = report.headline_question
    if question is None or BATCHED not in question.options:
        return ""
    found = stretches(report, question, AS_USED)
    return f"{words.capital(unbatched(question))}, {_against(report, question, found)}." if found else ""


def other_forms(report: Report) -> str:
    """Below which rate SQS is cheaper than the run's other forms of clusters; after a pair's, 2012's."""
    led = report.headline_question
    asked = [one for one in report.cost_questions if one.purpose == "size"]
    forms = {one.inputs["deployment"]: one for one in reversed(asked)}
    others = [one for form, one in forms.items() if led and form != led.inputs["deployment"]]
    if any(one.inputs["deployment"] == "pair" for one in others):
        others += [one for one in report.cost_questions if one.purpose == "history"]
    return " ".join(f"{_beside(one)}, {said}." for one in others if (said := _first_change(report, one)))


def _first_change(report: Report, question: CostQuestion) -> str:
    found = changes(crossings(report, question.question_id, AS_USED, RABBITMQ))
    if not found:
        return ""
    sqs = sqs_words(question)
    cheaper = {AS_USED: f"{sqs} is cheaper than RabbitMQ", RABBITMQ: f"RabbitMQ is cheaper than {sqs}"}
    said = cheaper.get(found[0].cheaper_below or "", "both cost the same")
    rate = f"{about(found[0].msg_per_s or 0.0)} messages a second{interval_words(question, found[0])}"
    return f"{said} below about {rate}{again_words(found[1:], found[0].cheaper_below)}"


def _beside(question: CostQuestion) -> str:
    cluster = cluster_words(question)
    if question.purpose == "history":
        return f"{condition_words(question)}, three calls a message and {cluster}"
    return f"With {sqs_words(question)} {unbatched(question)} and {cluster}"


def _cheapest(report: Report, question: CostQuestion, sqs: str, found: list[Stretch]) -> str:
    first, *others = found
    rows = crossings(report, question.question_id, sqs, RABBITMQ)
    names = {sqs: sqs_words(question, sqs), RABBITMQ: cluster_words(question)}
    other = {sqs: RABBITMQ, RABBITMQ: sqs}
    both = f"{names[sqs]} and {names[RABBITMQ]} cost the same"
    begins = f"{names[first.option]} is cheaper than {names[other[first.option]]}" if first.option else both
    if not others:
        why = why_it_ends(question.priced_with, RABBITMQ, first.end)
        return f"{begins} at every rate searched, up to about {about(first.end)} messages a second{why}"
    second, *more = others
    rate = f"about {about(second.start)} messages a second{interval_words(question, second.crossing)}"
    searched, later = rows[0].searched_msg_per_s, changes_from(rows, second.end)
    ends = more or later or (searched and second.end < searched * (1 - EXACT))
    short = {sqs: sqs_words(question, sqs), RABBITMQ: "RabbitMQ"}
    upward = f", up to about {about(second.end)}{then_words(later, short)}" if ends else ""
    above = {sqs: f"{sqs_words(question)} is", RABBITMQ: "RabbitMQ is", None: "both cost the same"}[
        second.option
    ]
    return f"{begins} below {rate}; above that, {above}{upward}"


def _against(report: Report, question: CostQuestion, found: list[Stretch]) -> str:
    first, *others = found
    sqs = sqs_words(question)
    if not others:
        compared = {AS_USED: f"{sqs} is cheaper than RabbitMQ", RABBITMQ: f"{sqs} costs more than RabbitMQ"}
        return f"{compared.get(first.option or '', f'{sqs} costs as much as RabbitMQ')} at every rate priced"
    second, *more = others
    rate = f"about {about(second.start)} a second{interval_words(question, second.crossing)}"
    later = changes_from(crossings(report, question.question_id, AS_USED, RABBITMQ), second.end)
    if first.option == AS_USED and second.option == RABBITMQ:
        return f"{sqs} is cheaper than RabbitMQ only below {rate}{again_words(later, AS_USED)}"
    names = {AS_USED: f"{sqs} is cheaper", RABBITMQ: "RabbitMQ is cheaper", None: "both cost the same"}
    short = {AS_USED: sqs, RABBITMQ: "RabbitMQ"}
    until = f", up to about {about(second.end)}{then_words(later, short)}" if more or later else ""
    return f"{names[first.option]} below {rate}; above that, {names[second.option]}{until}"


def _provided(question: CostQuestion, sqs: str, found: list[Stretch]) -> str:
    """What must hold where our own cluster is cheaper; 'even before staff time' where it never is."""
    staff, load = staff_words(question), _carried(question, sqs, found, "there")
    if load:
        return f"if {load}, and {staff}"
    return f"even {staff}" if [one.option for one in found] == [sqs] else staff


def _carried(question: CostQuestion, sqs: str, found: list[Stretch], where: str) -> str:
    """What our own cluster must carry where it is cheaper; empty where it never is or its capacity is given.

    :param where: the crossing, as the sentence has it
    """
    first, *others = found
    if question.inputs.get("capacity_msg_per_s") or (not others and first.option == sqs):
        return ""
    begins = others[0].crossing if others and others[0].option == RABBITMQ else None
    needs = begins.needs_msg_per_s if begins else None
    load = f"{about(needs)} messages a second at peak {where} (more at higher rates)" if needs else "the load"
    return f"a {own_kind(question.priced_with)} can carry {load}"
