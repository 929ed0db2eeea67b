"""Answer of ``breakeven crossover``: the question, the rows of its queries, and the same as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from typing import Any

from breakeven import words
from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.cluster_capacity import capacity_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.known_capacity import KnownCapacity
from breakeven.pricing.bill.questions import RABBITMQ, Option, Question
from breakeven.pricing.bill.variations import STAFF_HOURS
from breakeven.pricing.prices.book import PriceBook
from breakeven.report.building import money_builder
from breakeven.report.building.money_builder import total
from breakeven.report.building.pairs_builder import build_pairs
from breakeven.report.contract.crossing_model import EXACT, CheaperVariant
from breakeven.report.contract.pairs_model import Pairs
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.money.lookup_tables import in_units
from breakeven.report.money.measured_capacity import MeasuredCapacity
from breakeven.report.money.never_crossing import why_never
from cli.crossover.cheaper_output import lines_of
from cli.crossover.question_assumptions import assumptions
from local.stored.answers import Rows


@dataclass(frozen=True, slots=True)
class Answer:
    """A question with the rows that answer it.

    :param bill: the SQS bill that it began with
    :param capacity: the printed one that it took where none was given, or a run's that was asked for
    :param managed: a run's of Amazon MQ's brokers beside it
    :param variants: cheaper ways to run the cluster
    :param ends: the question at the ends of what is not known, where bills at these were asked for
    """

    base: Question
    asked: Asked
    rows: dict[str, Rows]
    bill: float | None
    capacity: KnownCapacity | MeasuredCapacity | None = None
    managed: MeasuredCapacity | None = None
    variants: tuple[CheaperVariant, ...] = ()
    ends: tuple[Question, ...] = ()

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
        return sorted(self._lines(self.base, option), key=lambda row: -(row["usd"] or 0.0))

    def _lines(self, question: Question, option: Option) -> Rows:
        pair = (question.question_id, option.option_id)
        return [row for row in self.rows["bills"] if (row["question_id"], row["option_id"]) == pair]

    def usd(self, option: Option) -> float | None:
        """None where a line has no price at the rate."""
        return total([row["usd"] for row in self.bill_of(option)])

    def usd_at_ends(self, option: Option) -> list[float]:
        """Dollars a month at the ends of what is not known of the option, of those that have a price."""
        bills = [self._lines(each, option) for each in self.ends]
        return [usd for bill in bills if bill and (usd := total([row["usd"] for row in bill])) is not None]

    def cheapest(self) -> list[Option]:
        """The options that cost least at the rate, in their order; none where nothing has a price."""
        priced = [(option, usd) for option in self.base.options if (usd := self.usd(option)) is not None]
        least = min((usd for _, usd in priced), default=0.0)
        return [option for option, usd in priced if usd <= least * (1 + EXACT)]

    def usd_per_1000(self, option: Option) -> float | None:
        """Dollars a month for each 1000 messages a second."""
        usd = self.usd(option)
        each = usd / self.rate * 1000 if usd is not None and self.rate else None
        return None if each is None or isinf(each) else each

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

    @property
    def pairs_question(self) -> Question:
        """The one that has every option."""
        (question,) = self.asked.of("pairs")
        return question

    @property
    def pairs(self) -> Pairs:
        """Every option against every other."""
        return build_pairs(self.asked.to_json()["pairs"][0], self.rows["pair_crossings"])

    def hours(self) -> Rows:
        own = self.base.question_id
        return [row for row in self.rows["break_even_hours"] if row["asked"] and row["question_id"] == own]

    def pays_from(self) -> Rows:
        """From which rate on our own pays with a working day of staff time, against each of SQS's options."""
        return [row for row in self.rows["pays_from"] if row["purpose"] == "staffed"]

    @property
    def cost_question(self) -> CostQuestion:
        """The question as a report has it."""
        return money_builder.cost_questions(self.asked.to_json())[0]

    def why_never(self, row: dict[str, Any]) -> str:
        question = self.cost_question
        (crossing,) = money_builder.crossovers([row], [question])
        return why_never(crossing, question, money_builder.bills(self.rows["bills"]))

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
            "cheapest": [option.option_id for option in self.cheapest()],
            "crossovers": self.rows["crossover"],
            "pairs": self.pairs.model_dump(mode="json"),
            "cheaper_variants": [
                {**variant.model_dump(mode="json"), "lines": lines_of(variant, self.rows["bills"])}
                for variant in self.variants
            ],
            "break_even_hours": self.hours(),
            "pays_from": [{**row, "hours": STAFF_HOURS} for row in self.pays_from()],
            "capacity": {
                "said": self.capacity_words(),
                "limit": capacity.limit,
                "from": self.capacity_source(),
                "measured": self.measured.document() if self.measured else None,
                "amazon_mq": self.managed.document() if self.managed else None,
                "needed_msg_per_s": self.needed_msg_per_s,
                "notes": list(capacity.notes),
            },
            "assumptions": assumptions(self.base, self.measured, self.managed),
            "notes": [*self.not_priced(), *self.asked.notes],
        }


def _why_not(book: PriceBook, row: dict[str, Any]) -> str:
    """A price that a question needs is known; it may end before the units do."""
    end = book.known(row["service"], row["item"]).tiers[-1].to
    return f"{book.label} has a price for the first {words.amount(end)} only"
