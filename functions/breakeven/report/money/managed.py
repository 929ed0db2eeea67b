"""Amazon MQ beside the other options: where it costs least of all, and what that supposes."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import words
from breakeven.pricing.bill.amazon_mq import brokers_of
from breakeven.pricing.bill.cluster_capacity import amazon_mq_capacity
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.questions import AMAZON_MQ
from breakeven.report.contract.money_model import EXACT
from breakeven.report.contract.report_model import Report
from breakeven.report.money.cheapest import priced_rates, ranked_curves
from breakeven.report.money.option_words import about

BETWEEN = "traffic between its brokers, whose price no source gives,"


def undercuts(report: Report) -> str:
    """Over which of the rates priced it is the cheapest of all; empty where it is at none."""
    question = report.headline_question
    if question is None or AMAZON_MQ not in question.options:
        return ""
    curves = ranked_curves(report, question)
    own = curves.pop(AMAZON_MQ, None)
    if own is None or not curves:
        return ""
    rates = priced_rates(report, question)
    least = {rate: min(curve.usd_at(rate) or 0.0 for curve in curves.values()) for rate in rates}
    cheaper = [(own.usd_at(rate) or 0.0) < least[rate] * (1 - EXACT) for rate in rates]
    if not any(cheaper):
        return ""
    inputs = Inputs.model_validate(question.inputs)
    first, last, goes_on = _first_stretch(rates, cheaper)
    over = f"at about {about(first)}" if first == last else f"from about {about(first)} to {about(last)}"
    again = ", and again at higher rates" if goes_on else ""
    needs = words.figure(amazon_mq_capacity(inputs).needed_each(first))
    return (
        f"{words.capital(question.spoken_option(AMAZON_MQ))} costs least of all {over} messages a second"
        f"{again}, if each carries at least {needs} messages a second at peak{_and_free(inputs)}."
    )


def conditions(inputs: Inputs, msg_per_s: float) -> str:
    """What the price of Amazon MQ supposes at a rate."""
    needs = words.figure(amazon_mq_capacity(inputs).needed_each(msg_per_s))
    each = "it" if brokers_of(inputs.deployment) == 1 else "each of its clusters"
    return f"{each} carries at least {needs} msg/s{_and_free(inputs)}"


def is_charge_unknown(inputs: Inputs) -> bool:
    """Whether the price leaves out what traffic between a cluster's brokers is charged."""
    return brokers_of(inputs.deployment) > 1 and inputs.amazon_mq_inter_node is None


def _and_free(inputs: Inputs) -> str:
    return f" and {BETWEEN} is free" if is_charge_unknown(inputs) else ""


def _first_stretch(rates: Sequence[float], cheaper: Sequence[bool]) -> tuple[float, float, bool]:
    """Its first and last rate, and whether there is another one above."""
    start = cheaper.index(True)
    end = next((n for n in range(start, len(rates)) if not cheaper[n]), len(rates))
    return rates[start], rates[end - 1], any(cheaper[end:])
