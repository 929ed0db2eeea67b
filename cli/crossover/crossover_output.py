"""Terminal output of ``breakeven crossover``."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from breakeven import words
from breakeven.pricing.bill.cluster_capacity import CREDITS, capacity_of
from breakeven.pricing.bill.questions import AS_USED, RABBITMQ, Option
from breakeven.pricing.bill.variations import STAFF_HOURS
from breakeven.pricing.cluster_form import mirroring_note
from breakeven.report.contract.cost_model import PaysFrom
from breakeven.report.money.option_words import own_kind
from breakeven.report.money.priced.staffed_words import pays_somewhere, pays_words
from cli.crossover.cheaper_output import print_variants
from cli.crossover.crossings_output import conditions_of, print_crossings
from cli.crossover.moving_words import moving
from cli.crossover.pairs_output import print_pairs
from cli.crossover.priced_answer import Answer
from cli.crossover.question_assumptions import assumptions
from cli.terminal import columns, print_table, say

CONSUMERS = {None: "queue only", "containers": "consumed by containers", "lambda": "consumed by Lambda"}
#: sides whose options grow by whole clusters
CLUSTERS = ("self-hosted", "amazon-mq")
DECADES = (1.0, 10.0, 100.0, 1000.0, 10_000.0)


def print_answer(answer: Answer, console: Console) -> None:
    """What is cheapest at the rate; prices, crossings, pairs, hours, capacity, assumptions: in that order."""
    inputs = answer.inputs
    cluster = f"{'' if inputs.nodes == 1 else 'a '}{answer.label(RABBITMQ)}"
    say(console, _cheapest(answer))
    say(
        console,
        f"Amazon SQS against {cluster}, {words.size(inputs.message_bytes)} messages, "
        f"{CONSUMERS[inputs.consumer]}, prices of {answer.base.book.label}",
    )
    if note := mirroring_note(inputs):
        say(console, note)
    if answer.bill is not None:
        say(
            console,
            f"An SQS bill of {words.dollars(answer.bill)} a month is {_a_month(answer)} messages a month, "
            f"{words.figure(answer.rate)} a second, as assumed below{_beside_the_bill(answer)}",
        )
    if answer.measured:
        say(console, f"What clusters are priced to carry: {answer.measured.describe()}")
    if answer.managed:
        say(console, f"What Amazon MQ is priced to carry: {answer.managed.describe()}")
    say(console)
    _prices(answer, console)
    say(console)
    print_crossings(answer, console)
    say(console)
    print_pairs(answer.pairs, answer.inputs, console)
    say(console)
    print_variants(answer.variants, answer.rate, console)
    for line in [*_hours(answer), *_with_staff(answer), *moving(answer), *_capacity(answer)]:
        say(console, line)
    say(console)
    for line in [*answer.not_priced(), *_assumptions(answer), *answer.asked.notes]:
        say(console, f"- {line}")


def _assumptions(answer: Answer) -> list[str]:
    return assumptions(answer.base, answer.measured, answer.managed)


def _beside_the_bill(answer: Answer) -> str:
    """What "SQS as used" costs beside the bill that was given, which is of SQS alone."""
    (used,) = [option for option in answer.base.options if option.option_id == AS_USED]
    others = [row for row in answer.bill_of(used) if row["service"] != "sqs"]
    listed = words.listing([f"{row['line']} {words.dollars(row['usd'])}" for row in others])
    return f"; other services bill what is added to it: {listed}" if others else ""


def _prices(answer: Answer, console: Console) -> None:
    asked = f"{words.figure(answer.rate)} msg/s"
    table = columns(
        "dollars a month at",
        right=(asked, "per 1,000 msg/s", "clusters", *(f"{words.figure(each)} msg/s" for each in DECADES)),
    )
    for option in answer.base.options:
        usd, bill = answer.usd(option), answer.bill_of(option)
        clusters = f"{max(row['clusters'] for row in bill):,.0f}" if option.side in CLUSTERS else ""
        table.add_row(
            option.label,
            "not priced" if usd is None else words.dollars(usd),
            words.dollars(answer.usd_per_1000(option)),
            clusters,
            *(_at(answer, option, rate) for rate in DECADES),
        )
    print_table(console, table)


def _a_month(answer: Answer) -> str:
    return words.amount(answer.rate * answer.inputs.seconds_per_month)


def _cheapest(answer: Answer) -> str:
    """Which option costs least at the rate, and what that supposes."""
    found = answer.cheapest()
    if not found:
        return f"At {words.figure(answer.rate)} msg/s no option has a price."
    first, *others = found
    costs = "cost" if len(others) > 1 else "costs"
    same = f"; {words.listing([one.label for one in others])} {costs} the same" if others else ""
    staff = "before staff time" if answer.inputs.hours is None else "with staff time"
    supposes = conditions_of(first.option_id, answer.inputs, answer.rate)
    at, usd = words.figure(answer.rate), words.dollars(answer.usd(first))
    return (
        f"Cheapest at {at} msg/s, {_a_month(answer)} messages a month: {first.label}, {usd} a month"
        f"{f' {staff}' if first.side == 'self-hosted' else ''}{f', if {supposes}' if supposes else ''}{same}."
    )


def _at(answer: Answer, option: Option, rate: float) -> str:
    curve = [row for row in answer.rows["cost_curves"] if row["option_id"] == option.option_id]
    found = next((row["usd"] for row in curve if abs(row["msg_per_s"] / rate - 1) < 1e-9), None)
    return words.dollars(found)


def _hours(answer: Answer) -> list[str]:
    """Of our own cluster, then of Amazon MQ."""
    own_first = sorted(answer.hours(), key=lambda row: row["other_option"] != RABBITMQ)
    return [_hours_against(answer.label(row["sqs_option"]), row) for row in own_first]


def _with_staff(answer: Answer) -> list[str]:
    """From which rate on our own pays with a working day of staff time; nothing if an hour has no price."""
    found = [
        (answer.label(row["sqs_option"]), PaysFrom.of(row, hours=STAFF_HOURS)) for row in answer.pays_from()
    ]
    if not found:
        return []
    said = [f"than {sqs} {pays_words(one, ' msg/s', 'at no rate', in_full=True)}" for sqs, one in found]
    staff = f"{STAFF_HOURS:g} hours of staff time a month at {words.dollars(answer.inputs.hour_rate)} an hour"
    is_known = bool(answer.inputs.capacity_msg_per_s) or not pays_somewhere(one for _, one in found)
    carried = "" if is_known else f", if its {own_kind(answer.inputs)}s carry the load"
    return [f"With {staff}, self-hosting is cheaper {words.listing(said)}{carried}."]


def _hours_against(sqs: str, row: dict[str, Any]) -> str:
    saved, who = row["saved_usd"], "self-hosting" if row["other_option"] == RABBITMQ else "Amazon MQ"
    if saved <= 0:
        more = f"{who} costs {words.dollars(-saved)} a month more before any work"
        return f"Against {sqs}, {more}: no hours are left for it."
    line = f"Against {sqs}, {who} saves {words.dollars(saved)} a month before work"
    if row["hours"] is None:
        return f"{line}."
    hours, rate = words.figure(row["hours"]), words.dollars(row["hour_usd"])
    return f"{line}: it wins while it takes under {hours} hours of staff time a month at {rate} an hour."


def _capacity(answer: Answer) -> list[str]:
    capacity, inputs = capacity_of(answer.inputs), answer.inputs
    needed, clusters = words.figure(answer.needed_msg_per_s), answer.clusters
    lines = [f"Capacity of one cluster: {answer.capacity_words()}."]
    if answer.capacity is not None and capacity.limit == "network":
        lines.append(f"It is capped at {words.figure(capacity.network)} msg/s by the network baseline.")
    if answer.capacity is not None and capacity.limit == CREDITS:
        lines.append(f"It is capped at {words.figure(capacity.credits)} msg/s by what CPU credits sustain.")
    if capacity.stated is None:
        peak = f"a peak of {inputs.peak_factor:g} times the mean, {inputs.utilisation:.0%} used"
        each = "One cluster" if clusters == 1 else f"Each of the {clusters:,.0f} clusters"
        down = " with one node down" if inputs.nodes > 1 else ""
        lines.append(f"{each} needs at least {needed} msg/s{down}: {peak}.")
    return lines
