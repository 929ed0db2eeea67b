"""Ranges of traffic with their cheapest option, and the rates whose prices show it.

The headline names nothing that the table of prices does not show: a stretch of traffic counts only if a rate
within it was priced, and the table has a row in each stretch that is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from breakeven.pricing.bill.amazon_mq import form_of
from breakeven.pricing.bill.cluster_capacity import capacity_of
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ
from breakeven.report.contract.cost_model import CostCurve, place_of
from breakeven.report.contract.crossing_model import EXACT, Crossover
from breakeven.report.contract.pairs_model import PairCrossing
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.contract.report_model import Report
from breakeven.report.money.option_words import changes, crossings
from breakeven.targets.catalog import clusters

#: messages a second at which the prices are set side by side: among those that every curve has
RATES = (1.0, 10.0, 100.0, 1000.0, 10_000.0)
#: stretches of a pair that a sentence names: the first, and the one that follows
NAMED = 2
#: ranges of all options that a sentence names
NAMED_RANGES = 3
#: of options that cost the same, the first is named
ORDER = (BATCHED, AS_USED, RABBITMQ, AMAZON_MQ)
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Traffic over which one option of a pair is cheaper.

    :param option: None where both cost the same
    :param crossing: at which it begins; None: it begins with the first message
    """

    start: float
    end: float
    option: str | None
    crossing: Crossover | None = None

    def shows(self, rates: Iterable[float]) -> list[float]:
        """Those of the rates that lie within."""
        return [rate for rate in rates if self.start * (1 + EXACT) < rate < self.end * (1 - EXACT)]


@dataclass(frozen=True, slots=True)
class Meeting:
    """Where two bills are equal, messages a second; ``interval`` where the run's crossings have one.

    :param is_sure: whether they meet whatever the uncertain inputs are
    :param options: whose bills they are
    """

    rate: float
    interval: Interval | None = None
    is_sure: bool = True
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Range:
    """Traffic over which one option is the cheapest of all.

    :param rates: those priced at which it is
    :param start: from which on it is; None: from the first rate priced
    :param end: up to which; None: to the last rate priced
    """

    option: str
    rates: tuple[float, ...]
    start: Meeting | None = None
    end: Meeting | None = None


def ranked_curves(report: Report, question: CostQuestion) -> dict[str, CostCurve]:
    """By option."""
    return {
        curve.option_id: curve for curve in report.cost_curves if curve.question_id == question.question_id
    }


def published_limit(report: Report) -> float | None:
    """Messages a second that a source's brokers at most took and gave at once; None of a run."""
    found = [
        (case.produce, case.shown("consume_cycle"))
        for case in report.cases
        if report.source and case.target in clusters() and case.parameters.get("mode") == "parallel"
    ]
    rates = [min(sent.msg_per_s or 0.0, got.msg_per_s or 0.0) for sent, got in found if sent and got]
    return max(rates, default=None)


def carried(report: Report, question: CostQuestion, rates: Iterable[float]) -> list[float]:
    """Those of the rates that a source's brokers are known to carry; of a run all of them."""
    limit, capacity = published_limit(report), capacity_of(question.priced_with)
    return [rate for rate in rates if limit is None or capacity.needed(rate) <= limit]


def priced_rates(report: Report, question: CostQuestion) -> list[float]:
    """Rates at which every ranked option has a price."""
    curves = [set(curve.msg_per_s) for curve in ranked_curves(report, question).values()]
    return carried(report, question, sorted(set.intersection(*curves))) if curves else []


def shown_rates(report: Report, question: CostQuestion) -> list[float]:
    """The round rates, and one more for each stretch that is named and has none of them."""
    priced = priced_rates(report, question)
    rates = [rate for rate in RATES if place_of(priced, rate) is not None]
    for sqs in (BATCHED, AS_USED):
        for stretch in stretches(report, question, sqs)[:NAMED]:
            if not stretch.shows(rates):
                rates += stretch.shows(priced)[:1]
    for own in ranges(report, question)[:NAMED_RANGES]:
        if not set(own.rates) & set(rates):
            rates.append(own.rates[0])
    return sorted(rates)


def ranges(report: Report, question: CostQuestion) -> list[Range]:
    """Which option is the cheapest of all where, from the lowest rate priced; each has such a rate.

    Between the last rate of one and the first of the next a third may be cheapest for so little that no rate
    of it was priced: then the one ends where it is undercut, and the next begins where it undercuts the last.
    """
    curves = ranked_curves(report, question)
    if BATCHED in curves:
        curves.pop(AS_USED, None)  # it costs as much at best
    found: list[Range] = []
    for rate in priced_rates(report, question):
        usd = {option: curve.usd_at(rate) or 0.0 for option, curve in curves.items()}
        least = {option for option, cost in usd.items() if cost <= min(usd.values()) * (1 + EXACT)}
        if found and found[-1].option in least:
            found[-1] = replace(found[-1], rates=(*found[-1].rates, rate))
        else:
            found.append(Range(next(option for option in ORDER if option in least), (rate,)))
    for number, (before, after) in enumerate(pairwise(found)):
        gap = (before.rates[-1], after.rates[0])
        undercut = [_meetings(report, question, before.option, other, gap) for other in curves]
        undercuts = [_meetings(report, question, other, after.option, gap) for other in curves]
        first = min(chain(*undercut), key=lambda met: met.rate)
        last = max(chain(*undercuts), key=lambda met: met.rate)
        found[number] = replace(found[number], end=first)
        found[number + 1] = replace(after, start=last)
    return found


def undercut_beyond(report: Report, question: CostQuestion, last: Range) -> Meeting | None:
    """Where another option that is compared undercuts that of the last range, above all rates priced.

    As the run's crossings have it; ``options`` are its own and the other. None: nowhere that was searched.
    """
    curves = ranked_curves(report, question)
    others = set(curves) - {last.option, *((AS_USED,) if BATCHED in curves else ())}
    found = [
        Meeting(crossing.msg_per_s, crossing.interval, crossing.is_sure, (last.option, other))
        for other in others
        for crossing in changes(crossings_of(report, question, last.option, other))
        if crossing.msg_per_s
        and crossing.msg_per_s > last.rates[-1]
        and crossing.cheaper_above
        and not crossing.cheaper_above.startswith(last.option)
    ]
    return min(found, key=lambda met: met.rate, default=None)


def _meetings(
    report: Report, question: CostQuestion, first: str, second: str, gap: tuple[float, float]
) -> list[Meeting]:
    """Where they change places between two rates priced; none where the second does not undercut the first.

    As the run's crossings have it; where these do not, as where bills go straight from one rate to the other.
    """
    curves = ranked_curves(report, question)
    before, after = (
        (curves[first].usd_at(rate) or 0.0) - (curves[second].usd_at(rate) or 0.0) for rate in gap
    )
    if after <= 0 or before > 0:
        return []
    low, high = gap
    found = [
        Meeting(crossing.msg_per_s, crossing.interval, crossing.is_sure, (first, second))
        for crossing in changes(crossings_of(report, question, first, second))
        if crossing.msg_per_s and low <= crossing.msg_per_s <= high
    ]
    return found or [Meeting(low + (high - low) * before / (before - after), options=(first, second))]


def crossings_of(
    report: Report, question: CostQuestion, first: str, second: str
) -> Sequence[Crossover | PairCrossing]:
    """Of SQS with another option, or of our own cluster with Amazon MQ's."""
    sqs, others = {AS_USED, BATCHED}, {first, second}
    if others & sqs:
        (own,) = others & sqs
        return crossings(report, question.question_id, own, *(others - sqs))
    deployment = str(question.inputs["deployment"])
    forms = (f"{RABBITMQ}-{deployment}", f"{AMAZON_MQ}-{form_of(deployment)}")
    pairs = report.pairs.crossings if report.pairs else []
    return [one for one in pairs if (one.first_option, one.second_option) == forms]


def stretches(report: Report, question: CostQuestion, sqs: str) -> list[Stretch]:
    """From the lowest rate, each with another cheaper option than the one before; empty: not priced.

    Shorter ones, in which no rate was priced, count with those around them.
    """
    priced = priced_rates(report, question)
    merged: list[Stretch] = []
    for stretch in _all(crossings(report, question.question_id, sqs, RABBITMQ)):
        if not stretch.shows(priced):
            continue
        if merged and merged[-1].option == stretch.option:
            merged[-1] = replace(merged[-1], end=stretch.end)
        else:
            merged.append(stretch)
    return merged


def _all(rows: list[Crossover]) -> Iterator[Stretch]:
    """Between crossings, in order; a tie is one of its own."""
    if not rows or rows[0].kind == "unpriced":
        return
    end = rows[0].searched_msg_per_s or 0.0
    if rows[0].msg_per_s is None:
        yield Stretch(0.0, end, rows[0].cheaper_above)
        return
    yield Stretch(0.0, rows[0].msg_per_s, rows[0].cheaper_below)
    for row in rows:
        start, until = row.msg_per_s or 0.0, row.until_msg_per_s or end
        if row.kind == "tie":
            equal_until = row.equal_until_msg_per_s or end
            yield Stretch(start, equal_until, None, row)
            start = equal_until
        yield Stretch(start, until, row.cheaper_above, row)
