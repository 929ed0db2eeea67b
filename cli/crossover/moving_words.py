"""Paying back a move from SQS to a cluster, or back: the same sentences as the page's (web/src/moving.ts)."""

from __future__ import annotations

from breakeven import words
from breakeven.pricing.bill.lines import number
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, RABBITMQ
from cli.crossover.priced_answer import Answer


def moving(answer: Answer) -> list[str]:
    """One line; none where nobody asked, or SQS as used has no price at the rate."""
    once, hour_usd = answer.inputs.migration_hours, answer.inputs.hour_rate
    priced = {option.option_id: (option.label, answer.usd(option)) for option in answer.base.options}
    sqs, used = priced[AS_USED]
    if once is None or used is None:
        return []
    found = [
        _paid_back(sqs, label, used - usd, once * hour_usd)
        for label, usd in (priced[each] for each in (RABBITMQ, AMAZON_MQ) if each in priced)
        if usd is not None
    ]
    takes = f"A move takes {number(once)} hours of staff time once, {words.dollars(once * hour_usd)}"
    return [f"{takes}, and is paid back: {'; '.join(found)}."] if found else []


def _paid_back(sqs: str, label: str, saved_usd: float, once_usd: float) -> str:
    """``saved_usd``: a month, by moving there from SQS; less than nothing by moving back."""
    if saved_usd == 0:
        return f"never between {sqs} and {label}, which cost the same"
    ends = (sqs, label) if saved_usd > 0 else (label, sqs)
    return f"from {ends[0]} to {ends[1]}, {_after(once_usd / abs(saved_usd))}"


def _after(months: float) -> str:
    return f"in {words.figure(months)} months" if months >= 1 else "within a month"
