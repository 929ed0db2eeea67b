"""Paying back a move from SQS to a cluster, or back: the same sentences as the page's (web/src/moving.ts)."""

from __future__ import annotations

from typing import NamedTuple

from breakeven import words
from breakeven.pricing.bill.amazon_mq import brokers_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.lines import number
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ
from breakeven.report.money.managed import is_charge_unknown
from breakeven.report.money.option_words import own_kind
from cli.crossover.priced_answer import Answer

#: months within which a move is worth a figure: ten years
LONGEST = 120.0
#: share of a bill, below which two are the same
SAME = 1e-9


class Bill(NamedTuple):
    """Dollars a month of an option, and between what they lie with all that is not known."""

    label: str
    usd: float
    low: float
    high: float


class Saved(NamedTuple):
    """Dollars a month by a move, and between what they lie; less than nothing where it costs more."""

    usd: float
    low: float
    high: float


def moving(answer: Answer) -> list[str]:
    """One line; none where nobody asked, or nothing of one side has a price at the rate."""
    inputs = answer.inputs
    if inputs.migration_hours is None:
        return []
    hours, once = _hours(inputs.migration_hours), inputs.migration_hours * inputs.hour_rate
    if once == 0:
        rate = words.dollars(inputs.hour_rate)
        return [f"A move of {hours} at {rate} an hour costs nothing: there is nothing to pay back."]
    sqs = [bill for each in (AS_USED, BATCHED) if (bill := _bill(answer, each))]
    found = [
        f"To {bill.label} ({_supposes(each, inputs)}): {_moves(sqs, bill, once)}."
        for each in (RABBITMQ, AMAZON_MQ)
        if sqs and (bill := _bill(answer, each))
    ]
    takes = (
        f"A move takes {hours} of staff time once, {words.dollars(once)}, to be paid back by what it saves."
    )
    return [" ".join([takes, *found])] if found else []


def _bill(answer: Answer, option_id: str) -> Bill | None:
    """None where the option is not among those asked for, or has no price at the rate."""
    option = next((each for each in answer.base.options if each.option_id == option_id), None)
    usd = answer.usd(option) if option else None
    if option is None or usd is None:
        return None
    ends = [usd, *answer.usd_at_ends(option)]
    return Bill(option.label, usd, min(ends), max(ends))


def _moves(sqs: list[Bill], own: Bill, once_usd: float) -> str:
    """From each way of SQS there, then back to the cheaper one where that is sure to pay."""
    there: dict[str, list[str]] = {}
    for each in sqs:
        there.setdefault(_paid_back(_saved(each, own), once_usd), []).append(each.label)
    cheaper = min(sqs, key=lambda bill: bill.usd)
    saved = _saved(own, cheaper)
    back = [f"back to {cheaper.label}, {_paid_back(saved, once_usd)}"] if saved.low > 0 else []
    return "; ".join([*(f"from {' or '.join(labels)}, {how}" for how, labels in there.items()), *back])


def _saved(left: Bill, taken: Bill) -> Saved:
    """What is not known of one moves no other. A difference of the arithmetic's is none."""
    least = SAME * max(left.high, taken.high)
    ends = (left.usd - taken.usd, left.low - taken.high, left.high - taken.low)
    return Saved(*(0.0 if abs(usd) <= least else usd for usd in ends))


def _paid_back(saved: Saved, once_usd: float) -> str:
    if saved.high <= 0:
        return "never"
    if saved.low <= 0:
        return "not known which way a move pays"
    months, soonest, latest = (once_usd / usd for usd in (saved.usd, saved.high, saved.low))
    ends = [words.figure(each) for each in (soonest, latest)]
    is_shown = ends[0] != ends[1] and latest >= 1 and soonest <= LONGEST
    between = f" (between {ends[0]} and {ends[1]})" if is_shown else ""
    if months > LONGEST:
        return f"not within 10 years{between}"
    return f"within a month{between}" if months < 1 else f"in {words.figure(months)} months{between}"


def _supposes(option_id: str, inputs: Inputs) -> str:
    """What of its price is not known, and whether staff time is in it."""
    if option_id == RABBITMQ:
        hours, load = inputs.hours, [] if inputs.capacity_msg_per_s else [_carries(own_kind(inputs))]
        without = "before staff time each month"
    else:
        kind = "cluster" if brokers_of(inputs.deployment) > 1 else "broker"
        hours, load = inputs.amazon_mq_hours, [] if inputs.amazon_mq_capacity_msg_per_s else [_carries(kind)]
        load += ["traffic between its brokers is free"] if is_charge_unknown(inputs) else []
        without = f"{'without' if inputs.hours else 'before'} staff time each month"
    staff = f"with {_hours(hours)} of staff time each month" if hours else without
    return f"{staff}, if {words.listing(load)}" if load else staff


def _carries(kind: str) -> str:
    return f"its {kind}s carry the load"


def _hours(hours: float) -> str:
    return f"{number(hours)} hour{'' if hours == 1 else 's'}"
