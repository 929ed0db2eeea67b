"""Reasons why two options never change places, in words from their bills."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import words
from breakeven.pricing.bill.broker_lines import PEOPLE
from breakeven.report.contract.cost_model import Bill, BillLine
from breakeven.report.contract.crossing_model import Crossover
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.money.option_words import usd

SECONDS_PER_HOUR = 3600.0


def why_never(crossing: Crossover, question: CostQuestion, bills: Sequence[Bill]) -> str:
    """A sentence; empty where they do cross, a bill is not there or a price is not known."""
    own = {bill.option_id: bill for bill in bills if bill.question_id == crossing.question_id}
    sqs, other = own.get(crossing.sqs_option), own.get(crossing.other_option)
    if crossing.kind != "never" or sqs is None or other is None or None in (sqs.usd, other.usd):
        return ""
    names = question.option_name(sqs.option_id), question.spoken_option(other.option_id)
    if crossing.cheaper_below == other.option_id:
        return _too_dear_from_the_start(sqs, other, names)
    return _never_made_up(question, crossing, sqs, other, names)


def _too_dear_from_the_start(sqs: Bill, other: Bill, names: tuple[str, str]) -> str:
    fixed, others = _fixed(sqs.lines), _fixed(other.lines)
    if _total(fixed) <= _total(others):
        return f"From the first message on, {names[1]} is cheaper."
    return (
        f"Before the first message, {names[0]} costs {words.dollars(_total(fixed))} a month "
        f"({_listed(fixed)}), and {names[1]} {words.dollars(_total(others))}."
    )


def _never_made_up(
    question: CostQuestion, crossing: Crossover, sqs: Bill, other: Bill, names: tuple[str, str]
) -> str:
    """SQS is cheaper everywhere: by what each message adds, or by what each cluster does."""
    ours, theirs = sqs.usd_per_million_messages, other.usd_per_million_messages
    if not ours or theirs is None:
        return ""  # within the free requests a message costs nothing, which is no reason why it never will
    size = words.size(int(question.inputs.get("message_bytes") or 0))
    if theirs >= ours:
        return (
            f"At {size} a message, a million more messages cost {usd(theirs)} on {names[1]} "
            f"({_each(other.lines)}) and {usd(ours)} on {names[0]} ({_each(sqs.lines)}): no traffic is large "
            "enough to pay for the brokers."
        )
    mean, hours = question.capacity_mean_msg_per_s, question.inputs.get("hours_per_month")
    if mean is not None and isinstance(hours, int | float):
        monthly = _total([line for line in _fixed(other.lines) if line.line != PEOPLE]) / other.clusters
        million = monthly / (mean * hours * SECONDS_PER_HOUR / 1e6)
        if million + theirs >= ours:
            adding = words.listing([line.line for line in _adding(other.lines)]) or "what each message adds"
            return (
                f"Each cluster costs {words.dollars(monthly)} a month for the {words.figure(mean)} messages "
                f"a second that it is priced to carry: {usd(million)} a million messages, "
                f"{usd(million + theirs)} with {adding}, against {usd(ours)} for {names[0]}."
            )
    return (
        f"Up to the {words.figure(crossing.searched_msg_per_s)} messages a second that were searched, "
        f"{names[1]} does not recover its fixed {words.dollars(_total(_fixed(other.lines)))} a month."
    )


def _fixed(lines: Sequence[BillLine]) -> list[BillLine]:
    """Lines that the traffic does not change, but for the clusters that it takes."""
    return [line for line in lines if not line.usd_per_million_messages]


def _total(lines: Sequence[BillLine]) -> float:
    return sum(line.usd or 0.0 for line in lines)


def _listed(lines: Sequence[BillLine]) -> str:
    """Lines with their dollars a month, the dearest first."""
    found = sorted(((line.usd or 0.0, line.line) for line in lines), reverse=True)
    return words.listing([f"{name} {words.dollars(dollars)}" for dollars, name in found])


def _adding(lines: Sequence[BillLine]) -> list[BillLine]:
    """Lines that each message adds to."""
    return [line for line in lines if line.usd_per_million_messages]


def _each(lines: Sequence[BillLine]) -> str:
    """Lines that each message adds to, the dearest first; where there are several, with their dollars."""
    found = sorted(
        ((line.usd_per_million_messages or 0.0, line.line) for line in _adding(lines)), reverse=True
    )
    if len(found) == 1:
        return found[0][1]
    return words.listing([f"{name} {usd(dollars)}" for dollars, name in found]) or "nothing by the message"
