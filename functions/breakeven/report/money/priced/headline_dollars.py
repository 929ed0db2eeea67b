"""Dollars of a headline: what is the cheapest beside its crossing, and by how much beside the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from breakeven import words
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ
from breakeven.report.contract.crossing_model import EXACT
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.contract.report_model import Report
from breakeven.report.money.cheapest import RATES, Range, Stretch, ranked_curves, shown_rates
from breakeven.report.money.option_words import about, brief
from breakeven.report.money.priced.leading_words import sqs_words

#: messages a second: where the options never change places, the rate of the table that is nearest is taken
USUAL_RATE = 1000.0


@dataclass(frozen=True, slots=True)
class Priced:
    """Two options at a rate of the table of prices; dollars a month, the cheaper one first."""

    msg_per_s: float
    options: tuple[str, str]
    usd: tuple[float, float]

    @property
    def is_equal(self) -> bool:
        return self.usd[1] <= self.usd[0] * (1 + EXACT)


def of_ranges(report: Report, question: CostQuestion, found: Sequence[Range]) -> str:
    """The options of the first two ranges, below and above their crossing, each against what costs least
    beside it there, which need not be the other.
    """
    shown = shown_rates(report, question)
    rates = _rates_beside([sorted(set(own.rates) & set(shown)) for own in found[:2]])
    return _said(
        question,
        [
            _against_next(_costs(report, question, rate), rate, own.option)
            for own, rate in zip(found, rates, strict=False)
        ],
    )


def of_stretches(report: Report, question: CostQuestion, sqs: str, found: Sequence[Stretch]) -> str:
    """SQS against one's own cluster, below and above their first crossing."""
    shown = shown_rates(report, question)
    rates = _rates_beside([own.shows(shown) for own in found[:2]])
    return _said(question, [_priced(_costs(report, question, rate), rate, (sqs, RABBITMQ)) for rate in rates])


def _rates_beside(rates: Sequence[list[float]]) -> list[float]:
    """The last rate of the table below the crossing and the first above it; without one a usual rate."""
    below, *above = rates
    return [below[-1], above[0][0]] if above else [_usual(below)]


def _usual(rates: Iterable[float]) -> float:
    return min(rates, key=lambda rate: abs(rate - USUAL_RATE))


def _costs(report: Report, question: CostQuestion, rate: float) -> dict[str, float]:
    """Dollars a month by option; SQS batched stands for all of SQS."""
    curves = ranked_curves(report, question)
    return {
        option: curve.usd_at(rate) or 0.0
        for option, curve in curves.items()
        if not (option == AS_USED and BATCHED in curves)
    }


def _against_next(costs: Mapping[str, float], rate: float, option: str) -> Priced:
    others = [other for other in costs if other != option]
    return _priced(costs, rate, (option, min(others, key=costs.__getitem__)))


def _priced(costs: Mapping[str, float], rate: float, options: tuple[str, str]) -> Priced:
    first, second = sorted(options, key=costs.__getitem__)
    return Priced(rate, (first, second), (costs[first], costs[second]))


def _said(question: CostQuestion, priced: Sequence[Priced]) -> str:
    """'At 100 messages a second SQS batched costs $31.34 a month, $113 less than RabbitMQ; at 1,000 ...'."""
    first, *others = priced
    said = [f"At {_rate(first)} messages a second {_compared(question, first, in_full=True)}"]
    for own in others:
        in_full = first.is_equal or set(own.options) != set(first.options)
        said.append(f"at {_rate(own)} {_compared(question, own, in_full=in_full)}")
    return f"{'; '.join(said)}."


def _rate(priced: Priced) -> str:
    return f"{'' if priced.msg_per_s in RATES else 'about '}{about(priced.msg_per_s)}"


def _compared(question: CostQuestion, priced: Priced, *, in_full: bool) -> str:
    cheaper, other = (_name(question, option) for option in priced.options)
    least, most = priced.usd
    if priced.is_equal:
        return f"{cheaper} and {other} both cost {words.dollars(least)} a month"
    than = f" than {other}" if in_full else ""
    return f"{cheaper} costs {words.dollars(least)} a month, {words.dollars(most - least)} less{than}"


def _name(question: CostQuestion, option: str) -> str:
    """As the table of prices has it; FIFO queues are named."""
    if option in (RABBITMQ, AMAZON_MQ):
        return brief(option)
    return sqs_words(question, option).removesuffix(" and long-polled")
