"""What ``breakeven crossover`` answers, on the terminal and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import Console

from breakeven import words
from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.cluster_capacity import CREDITS, capacity_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.known_capacity import KnownCapacity
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, RABBITMQ, Option, Question
from breakeven.pricing.prices.book import PriceBook
from breakeven.report.building import money_builder
from breakeven.report.building.money_builder import total
from breakeven.report.contract.money_model import CheaperVariant
from breakeven.report.money.lookup_tables import in_units
from breakeven.report.money.managed import conditions
from breakeven.report.money.measured_capacity import MeasuredCapacity
from breakeven.report.money.never_crossing import why_never
from cli.crossover.cheaper_output import lines_of, print_variants
from cli.crossover.question_assumptions import assumptions
from cli.terminal import columns, print_table, say
from local.stored.answers import Rows

CONSUMERS = {None: "queue only", "containers": "consumed by containers", "lambda": "consumed by Lambda"}
#: sides whose options grow by whole clusters
CLUSTERS = ("self-hosted", "amazon-mq")
DECADES = (1.0, 10.0, 100.0, 1000.0, 10_000.0)
KINDS = {"step": " (where a cluster is added)", "touch": " (they touch)", "tie": " (equal from there)"}


@dataclass(frozen=True, slots=True)
class Answer:
    """A question with the rows that answer it.

    :param bill: the SQS bill that it began with
    :param capacity: the printed one that it took where none was given, or a run's that was asked for
    :param variants: cheaper ways to run the cluster
    """

    base: Question
    asked: Asked
    rows: dict[str, Rows]
    bill: float | None
    capacity: KnownCapacity | MeasuredCapacity | None = None
    variants: tuple[CheaperVariant, ...] = ()

    @property
    def inputs(self) -> Inputs:
        return self.base.inputs

    @property
    def rate(self) -> float:
        """Messages a second that were asked for."""
        return self.inputs.msg_per_s or 0.0

    def label(self, option_id: str | None) -> str:
        return next((o.label for o in self.base.options if o.option_id == option_id), "neither")

    def bill_of(self, option: Option) -> Rows:
        """The option's lines at the rate asked for, dearest first."""
        pair = (self.base.question_id, option.option_id)
        own = [row for row in self.rows["bills"] if (row["question_id"], row["option_id"]) == pair]
        return sorted(own, key=lambda row: -(row["usd"] or 0.0))

    def usd(self, option: Option) -> float | None:
        """None where a line has no price at the rate."""
        return total([row["usd"] for row in self.bill_of(option)])

    def usd_per_1000(self, option: Option) -> float | None:
        """Dollars a month for each 1000 messages a second."""
        usd = self.usd(option)
        return usd / self.rate * 1000 if usd is not None and self.rate else None

    def not_priced(self) -> list[str]:
        """Lines that have no price at the rate asked for, and why."""
        return [
            f"Not priced at {words.figure(self.rate)} msg/s: {option.label}, {row['line']}: "
            f"{words.amount(row['units'])} {in_units(row['unit'])} a month; {_why_not(self.base.book, row)}."
            for option in self.base.options
            for row in self.bill_of(option)
            if row["usd"] is None
        ]

    def capacity_source(self) -> str:
        """Where the capacity that was priced comes from."""
        if self.capacity is not None:
            return self.capacity.describe()
        return "given with the question" if self.inputs.capacity_msg_per_s else "none is known"

    def capacity_words(self) -> str:
        """What one cluster carries."""
        return (self.capacity or capacity_of(self.inputs)).describe()

    @property
    def measured(self) -> MeasuredCapacity | None:
        """The run's capacity, where it took one."""
        return self.capacity if isinstance(self.capacity, MeasuredCapacity) else None

    @property
    def clusters(self) -> float:
        """How many of our own the rate takes."""
        (cluster,) = [option for option in self.base.options if option.option_id == RABBITMQ]
        return float(max(row["clusters"] for row in self.bill_of(cluster)))

    @property
    def needed_msg_per_s(self) -> float:
        """What each of them must carry."""
        return capacity_of(self.inputs).needed(self.rate) / self.clusters

    def hours(self) -> Rows:
        own = self.base.question_id
        return [row for row in self.rows["break_even_hours"] if row["asked"] and row["question_id"] == own]

    def why_never(self, row: dict[str, Any]) -> str:
        questions = money_builder.cost_questions(self.asked.to_json())
        (crossing,) = money_builder.crossovers([row], questions)
        return why_never(crossing, questions[0], money_builder.bills(self.rows["bills"]))

    def document(self) -> dict[str, Any]:
        """The answer as JSON."""
        capacity = capacity_of(self.inputs)
        return {
            "question": self.inputs.model_dump(mode="json"),
            "price_book": self.base.book.label,
            "sqs_bill_usd": self.bill,
            "messages_per_month": self.rate * self.inputs.seconds_per_month,
            "options": [
                {
                    "option": option.option_id,
                    "label": option.label,
                    "usd_per_month": self.usd(option),
                    "usd_per_1000_msg_per_s": self.usd_per_1000(option),
                    "lines": self.bill_of(option),
                }
                for option in self.base.options
            ],
            "crossovers": self.rows["crossover"],
            "cheaper_variants": [
                {**variant.model_dump(mode="json"), "lines": lines_of(variant, self.rows["bills"])}
                for variant in self.variants
            ],
            "break_even_hours": self.hours(),
            "capacity": {
                "said": self.capacity_words(),
                "limit": capacity.limit,
                "from": self.capacity_source(),
                "measured": self.measured.document() if self.measured else None,
                "needed_msg_per_s": self.needed_msg_per_s,
                "notes": list(capacity.notes),
            },
            "assumptions": assumptions(self.base, self.measured),
            "notes": [*self.not_priced(), *self.asked.notes],
        }


def _why_not(book: PriceBook, row: dict[str, Any]) -> str:
    """A price that a question needs is known; it may end before the units do."""
    end = book.known(row["service"], row["item"]).tiers[-1].to
    return f"{book.label} has a price for the first {words.amount(end)} only"


def print_answer(answer: Answer, console: Console) -> None:
    """Prices at the rate, over the decades, crossings, hours, capacity, assumptions: in that order."""
    inputs = answer.inputs
    cluster = answer.label(RABBITMQ)
    say(
        console,
        f"Amazon SQS against a {cluster}, {words.size(inputs.message_bytes)} messages, "
        f"{CONSUMERS[inputs.consumer]}, prices of {answer.base.book.label}",
    )
    messages = words.amount(answer.rate * inputs.seconds_per_month)
    if answer.bill is not None:
        say(
            console,
            f"An SQS bill of {words.dollars(answer.bill)} a month is {messages} messages a month, "
            f"{words.figure(answer.rate)} a second, as assumed below{_beside_the_bill(answer)}",
        )
    if answer.measured:
        say(console, f"What clusters are priced to carry: {answer.measured.describe()}")
    say(console)
    _prices(answer, console)
    say(console)
    _crossings(answer, console)
    say(console)
    print_variants(answer.variants, answer.rate, console)
    for line in [*_hours(answer), *_capacity(answer)]:
        say(console, line)
    say(console)
    for line in [*answer.not_priced(), *assumptions(answer.base, answer.measured), *answer.asked.notes]:
        say(console, f"- {line}")


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
        right=(asked, "for each 1000", "clusters", *(f"{words.figure(each)} msg/s" for each in DECADES)),
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


def _at(answer: Answer, option: Option, rate: float) -> str:
    curve = [row for row in answer.rows["cost_curves"] if row["option_id"] == option.option_id]
    found = next((row["usd"] for row in curve if abs(row["msg_per_s"] / rate - 1) < 1e-9), None)
    return words.dollars(found)


def _crossings(answer: Answer, console: Console) -> None:
    """Those with our own cluster first."""
    for row in sorted(answer.rows["crossover"], key=lambda row: row["other_option"] != RABBITMQ):
        for line in _never(answer, row) if row["kind"] == "never" else [_crossing(answer, row)]:
            say(console, line)


def _never(answer: Answer, row: dict[str, Any]) -> list[str]:
    both = f"{answer.label(row['sqs_option'])} and {answer.label(row['other_option'])}"
    searched, cheaper = words.figure(row["searched_msg_per_s"]), answer.label(row["cheaper_above"])
    never = f"Never: {both} do not cost the same up to {searched} msg/s; {cheaper} is cheaper throughout."
    why = answer.why_never(row)
    return [never, f"  {why}"] if why else [never]


def _crossing(answer: Answer, row: dict[str, Any]) -> str:
    until = row["until_msg_per_s"]
    end = f" up to {words.figure(until)}" if until is not None else ""
    where = f"{words.figure(row['msg_per_s'])} msg/s{_interval(row)}{KINDS.get(row['kind'], '')}"
    if row["cheaper_above"] == AMAZON_MQ:
        end += f", if {conditions(answer.inputs, row['msg_per_s'])}"
    messages, usd = words.amount(row["messages_per_month"]), words.dollars(row["usd_per_month"])
    below, above = answer.label(row["cheaper_below"]), answer.label(row["cheaper_above"])
    return f"{below} is cheaper below {where}; {above} above it{end}: {messages} messages and {usd} a month."


def _interval(row: dict[str, Any]) -> str:
    """The crossing's interval; nothing where the uncertain inputs do not move it."""
    low, high = row["low_msg_per_s"], row["high_msg_per_s"]
    if low is None or high - low < 1e-6 * high:
        return ""
    some = "" if row["corners"] == row["corners_with"] else ", if at all"
    return f" (between {words.figure(low)} and {words.figure(high)}{some})"


def _hours(answer: Answer) -> list[str]:
    return [_hours_against(answer.label(row["sqs_option"]), row) for row in answer.hours()]


def _hours_against(sqs: str, row: dict[str, Any]) -> str:
    saved = row["saved_usd"]
    if saved <= 0:
        more = f"self-hosting costs {words.dollars(-saved)} a month more before any work"
        return f"Against {sqs}, {more}: no hours are left for it."
    line = f"Against {sqs}, self-hosting saves {words.dollars(saved)} a month before work"
    if row["hours"] is None:
        return f"{line}."
    hours, rate = words.figure(row["hours"]), words.dollars(row["hour_usd"])
    return f"{line}: it wins while it takes under {hours} hours of work a month at {rate} an hour."


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
        lines.append(f"{each} needs at least {needed} msg/s with one node down: {peak}.")
    return lines
