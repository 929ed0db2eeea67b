"""Where which option is cheapest, and the rates whose prices show it.

The headline names nothing that the table of prices does not show: a stretch of traffic counts only if a rate
within it was priced, and the table has a row in each stretch that is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from breakeven.pricing.bill.cluster_capacity import capacity_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.questions import AS_USED, BATCHED, RABBITMQ
from breakeven.report.contract.money_model import EXACT, CostCurve, CostQuestion, Crossover, place_of
from breakeven.report.contract.report_model import Report
from breakeven.report.money.option_words import crossings
from breakeven.targets.catalog import clusters

#: messages a second at which the prices are set side by side: among those that every curve has
RATES = (1.0, 10.0, 100.0, 1000.0, 10_000.0)
#: stretches that a sentence names: the first, and the one that follows
NAMED = 2


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
    limit, capacity = published_limit(report), capacity_of(Inputs.model_validate(question.inputs))
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
    return sorted(rates)


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
