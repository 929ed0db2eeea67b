"""Crossings of SQS with clusters, as ``breakeven crossover`` prints them."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from rich.console import Console

from breakeven import words
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.questions import AMAZON_MQ, RABBITMQ
from breakeven.report.money.managed import conditions, own_conditions
from breakeven.report.money.priced.search_ends import why_it_ends
from cli.crossover.priced_answer import Answer
from cli.terminal import say

#: crossings of a pair that are printed: clusters may step past SQS a thousand times
FIRST = 6
KINDS = {"step": "where a cluster is added", "touch": "they touch", "tie": "equal from there"}


def print_crossings(answer: Answer, console: Console) -> None:
    """Those with our own cluster first; of many the first."""
    rows = sorted(answer.rows["crossover"], key=lambda row: row["other_option"] != RABBITMQ)
    for pair, found in groupby(rows, key=lambda row: (row["sqs_option"], row["other_option"])):
        own = list(found)
        for row in own[:FIRST]:
            for line in _never(answer, row) if row["kind"] == "never" else [_crossing(answer, row)]:
                say(console, line)
        if len(own) > FIRST:
            both, last = " and ".join(map(answer.label, pair)), own[-1]
            many, rate = words.plural(len(own) - FIRST, "more time"), words.figure(last["msg_per_s"])
            cheaper = f"{answer.label(last['cheaper_above'])} is cheaper above it"
            say(
                console,
                f"  {both} change places {many}, the last at {rate} msg/s; {cheaper} (--json has all).",
            )


def conditions_of(option: str | None, inputs: Inputs, msg_per_s: float) -> str:
    """What the price of a cluster supposes at a rate; empty of SQS, and where all is known."""
    if option == AMAZON_MQ:
        return conditions(inputs, msg_per_s)
    return own_conditions(inputs, msg_per_s) if option == RABBITMQ else ""


def _never(answer: Answer, row: dict[str, Any]) -> list[str]:
    both = f"{answer.label(row['sqs_option'])} and {answer.label(row['other_option'])}"
    searched, cheaper = words.figure(row["searched_msg_per_s"]), answer.label(row["cheaper_above"])
    end = why_it_ends(answer.inputs, row["other_option"], row["searched_msg_per_s"])
    never = (
        f"Never: {both} do not cost the same up to {searched} msg/s{end}; {cheaper} is cheaper throughout."
    )
    why = answer.why_never(row)
    return [never, f"  {why}"] if why else [never]


def _crossing(answer: Answer, row: dict[str, Any]) -> str:
    until = row["until_msg_per_s"]
    end = f" up to {words.figure(until)}" if until is not None else ""
    beside = "; ".join(filter(None, (_interval(answer, row), KINDS.get(row["kind"]))))
    where = f"{words.figure(row['msg_per_s'])} msg/s{f' ({beside})' if beside else ''}"
    if supposes := conditions_of(row["cheaper_above"], answer.inputs, row["msg_per_s"]):
        end += f", if {supposes}"
    messages, usd = words.amount(row["messages_per_month"]), words.dollars(row["usd_per_month"])
    below, above = answer.label(row["cheaper_below"]), answer.label(row["cheaper_above"])
    return f"{below} is cheaper below {where}; {above} above it{end}: {messages} messages and {usd} a month."


def _interval(answer: Answer, row: dict[str, Any]) -> str:
    """The crossing's interval, and when there is none at all; nothing where that is all the same."""
    low, high = row["low_msg_per_s"], row["high_msg_per_s"]
    moves = low is not None and high - low >= 1e-6 * high
    ends = f"between {words.figure(low)} and {words.figure(high)}" if moves else ""
    is_sure = row["corners"] == row["corners_with"]
    none = "" if is_sure else answer.cost_question.or_none(row["sqs_option"], row["other_option"])
    return ", ".join(filter(None, (ends, none)))
