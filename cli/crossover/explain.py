"""Origin of a figure: formula, inputs, the price with its source and date, the SQL and its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console

from breakeven.pricing.bill.cluster_capacity import capacity_of
from breakeven.pricing.bill.questions import Option
from breakeven.pricing.cluster_traffic import hop_share, leader_sends
from breakeven.results.queries import QUERIES, query, query_files
from cli.crossover.priced_answer import Answer
from cli.terminal import say


def explain(answer: Answer, subject: str, console: Console) -> None:
    """One subject, or all of them."""
    for name, explanation in SUBJECTS.items():
        if subject in ("all", name):
            say(console, f"\n== {name}")
            explanation(answer, console)


def _inputs(answer: Answer, console: Console) -> None:
    for name, value in answer.inputs.model_dump(mode="json").items():
        description = type(answer.inputs).model_fields[name].description or ""
        say(console, f"{name} = {value}{f'   ({description})' if description else ''}")


def _bills(answer: Answer, console: Console) -> None:
    for option in answer.base.options:
        _bill(answer, option, answer.bill_of(option), console)
    _sql("bills", answer, console, answer.base.question_id)


def _pairs(answer: Answer, console: Console) -> None:
    """The bills of the forms that stand in the pairs alone, with every price; then the pairs."""
    say(
        console,
        "Each two options over the traffic, with clusters as each takes them; what stands under bills is not "
        "repeated here.",
    )
    pairs = answer.pairs_question
    there = {(line.formula, line.item) for option in answer.base.options for line in option.lines}
    for option in pairs.options:
        if {(line.formula, line.item) for line in option.lines} <= there:
            continue
        own = [row for row in answer.rows["bills"] if row["question_id"] == pairs.question_id]
        rows = [row for row in own if row["option_id"] == option.option_id]
        _bill(answer, option, rows, console)
    _sql("pair_crossings", answer, console)


def _bill(answer: Answer, option: Option, rows: list[dict[str, Any]], console: Console) -> None:
    say(console, f"{option.label} at {answer.rate:g} msg/s")
    for row in rows:
        say(console, f"  {row['line']}: {row['formula']}")
        usd = "not priced" if row["usd"] is None else f"${row['usd']:,.6f} a month"
        say(console, f"    {row['units']:,.6f} {row['unit']} -> {usd}")
        for price in _prices(answer, option, row):
            say(console, f"    {price}")


def _prices(answer: Answer, option: Option, row: dict[str, Any]) -> list[str]:
    """The price of a line, a line for each tier, as the rows that were asked had it."""
    line = next(line for line in option.lines if line.line == row["line"])
    tiers = [
        price
        for price in answer.asked.rows()["prices"]
        if (price["book"], price["service"], price["item"]) == (row["book"], row["service"], row["item"])
    ]
    factor = f" x {line.factor:g}" if line.factor != 1 else ""
    return [
        f"${tier['usd']:.10g}{factor} per {tier['unit'].replace('_', ' ')}{_tier(tier)}: {tier['book']} "
        f"{tier['service']}/{tier['item']}, {tier['source']}, {tier['as_of']}"
        for tier in tiers
    ]


def _tier(tier: dict[str, Any]) -> str:
    if tier["tier_from"] == 0 and tier["tier_to"] is None:
        return ""
    end = "on" if tier["tier_to"] is None else f"to {tier['tier_to']:,.0f}"
    return f" from {tier['tier_from']:,.0f} {end}"


def _crossings(answer: Answer, console: Console) -> None:
    say(
        console,
        "Both bills over the traffic, line by line as under bills; they cross where their difference is 0.",
    )
    _sql("crossover", answer, console)


def _hours(answer: Answer, console: Console) -> None:
    say(console, "hours = (SQS's bill - the cluster's bill without staff time) / price of an hour")
    _sql("break_even_hours", answer, console, answer.base.question_id, only_asked=True)


def _capacity(answer: Answer, console: Console) -> None:
    capacity, inputs = capacity_of(answer.inputs), answer.inputs
    say(console, f"{answer.capacity_words()}; what binds: {capacity.limit}")
    sent = leader_sends(inputs, hop_share(inputs.nodes, inputs.leader_hop_share), inputs.message_bytes)
    say(
        console,
        f"network = baseline / 8 / {sent:,.6g} B: what the leader's node sends of a message to its copies "
        "and to the consumers that it serves, with what goes beside its body",
    )
    say(
        console,
        "mean of a cluster = lesser of both x utilisation / peak factor = "
        + ("not known" if capacity.mean_msg_per_s is None else f"{capacity.mean_msg_per_s:,.6g} msg/s"),
    )


def _sql(
    name: str, answer: Answer, console: Console, question_id: str = "", *, only_asked: bool = False
) -> None:
    """The query and its rows; those of one question, or those at the rate that was asked for."""
    rows = [row for row in answer.rows[name] if not question_id or row["question_id"] == question_id]
    rows = [row for row in rows if not only_asked or row["asked"]]
    say(console, f"rows of queries/{query_files()[name].relative_to(QUERIES)}:")
    for row in rows:
        say(console, f"  {row}")
    say(console, "\n".join(f"  | {line}" for line in query(name).splitlines()))


SUBJECTS: dict[str, Callable[[Answer, Console], None]] = {
    "inputs": _inputs,
    "bills": _bills,
    "crossings": _crossings,
    "pairs": _pairs,
    "hours": _hours,
    "capacity": _capacity,
}
