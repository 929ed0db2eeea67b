"""The money part of ``report.json``. Rates are monthly means, in messages a second; sums are US dollars.

Options are named by their ids (``sqs-as-used``, ``rabbitmq``, ...); ``CostQuestion.options`` has their names
for readers. Lists beside a ``msg_per_s`` list have one entry for each of its rates.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal

from pydantic import Field, ValidationError, field_validator

from breakeven import words
from breakeven.errors import first_fault
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.questions import AS_USED, BATCHED
from breakeven.pricing.bill.uncertainty import (
    FILL_OF_BATCHED,
    MANAGED_CAPACITY,
    MANAGED_TRAFFIC,
    inputs_moving,
)
from breakeven.pricing.cluster_form import cluster_name, form_of_inputs
from breakeven.report.contract.strict import Strict
from breakeven.terms import Provenance

CrossingKind = Literal["meet", "step", "touch", "tie", "never", "unpriced"]
InputValue = str | int | float | bool | None
#: what an uncertain input's ends are, as ``pricing.bill.uncertainty`` has them
ENDS = {
    "empty receives": "empty receives (none to one per message)",
    "batch fill": "batch fill (half to full)",
    FILL_OF_BATCHED: "how full batches of SQS batched are (half to full)",
    "capacity": "cluster capacity (a quarter less to a quarter more)",
    MANAGED_CAPACITY: "Amazon MQ's capacity (a quarter less to a quarter more)",
    MANAGED_TRAFFIC: "what traffic between Amazon MQ's brokers is charged (nothing to "
    "the price across zones)",
}
EXACT = 1e-9  # less than this part apart is the arithmetic's


class CostQuestion(Strict):
    """What was asked: one set of inputs at one book's prices."""

    question_id: str
    purpose: Literal["headline", "size", "history"] = Field(
        description="size: the crossings of one more size of a sweep, and no more"
    )
    price_book: str
    inputs: dict[str, InputValue]
    options: dict[str, str] = Field(description="option's id -> its name for readers")
    uncertain: list[str] = Field(description="inputs that are not known; the intervals span their ends")
    counted_empty_receives: float | None = Field(
        default=None, description="the most a message that the run counted; the interval reaches to it"
    )
    capacity: str = Field(description="what is known of one cluster's capacity, in words")
    capacity_notes: list[str]
    capacity_mean_msg_per_s: float | None = Field(
        description="the mean that one cluster is priced to carry; null: not known, one whatever the rate"
    )

    amazon_mq_capacity: str | None = Field(
        default=None, description="the same of Amazon MQ beside it; null: it is not"
    )

    @field_validator("inputs")
    @classmethod
    def _can_be_priced(cls, inputs: dict[str, InputValue]) -> dict[str, InputValue]:
        """Those of a newer version may have what this one does not know."""
        try:
            Inputs.model_validate(inputs)
        except ValidationError as error:
            field, _, wrong = first_fault(error, "inputs")
            raise ValueError(f"{field}: {wrong}; is it of another version of breakeven?") from error
        return inputs

    def option_name(self, option: str) -> str:
        """For tables and legends; an option of a map is an instance type."""
        return self.options.get(option) or cluster_name(form_of_inputs(self.inputs), option)

    def spoken_option(self, option: str) -> str:
        """In a sentence: SQS; SQS, batched and long-polled; a RabbitMQ pair of m7g.large."""
        if option == AS_USED:
            return "SQS"
        if option == BATCHED:
            return "SQS, batched and long-polled"
        name = self.option_name(option)
        if name.startswith("Amazon MQ cluster"):
            return f"an {name}"
        if name.startswith("Amazon MQ, one "):
            return f"an Amazon MQ broker of {name.removeprefix('Amazon MQ, one ')}"
        return name if name.startswith("RabbitMQ on") or not name.startswith("RabbitMQ") else f"a {name}"

    def uncertain_of(self, *options: str) -> list[str]:
        """Names of the uncertain inputs that move the bill of one of the options."""
        return [name for name in self.uncertain if name in inputs_moving(*options)]

    def uncertain_words(self, *options: str) -> str:
        """What the intervals of the question span.

        :param options: whose crossing it is; none: whatever moves any
        """
        ends = dict(ENDS)
        if (self.counted_empty_receives or 0.0) > 1:
            counted = f"{words.figure(self.counted_empty_receives)} that this run counted"
            ends["empty receives"] = f"empty receives (none to the {counted} per message)"
        if self.inputs.get("capacity_low_msg_per_s") is not None:
            ends["capacity"] = "cluster capacity (the interval that was measured)"
        if self.inputs.get("amazon_mq_low_msg_per_s") is not None:
            ends[MANAGED_CAPACITY] = "Amazon MQ's capacity (the interval that was measured)"
        if self.inputs.get("batch_fill_low") is not None:
            ends[FILL_OF_BATCHED] = "how full batches of SQS batched are (as far as was measured)"
        named = self.uncertain_of(*options) if options else self.uncertain
        return words.listing([ends.get(name, name) for name in named])


class Crossover(Strict):
    """Where SQS and another option change places or cost the same. A null rate: they never do."""

    question_id: str
    targets: list[str] = Field(description="of sqs_option and other_option")
    price_book: str
    sqs_option: str
    other_option: str
    number: int | None = Field(
        description="of the pair's crossings, from the lowest rate; null: there is none"
    )
    kind: CrossingKind = Field(
        description="meet: the lines pass through one point; step: the other's line jumps past SQS's where a "
        "cluster is added; touch: equal at one rate, the same is cheaper on both sides; tie: equal over an "
        "interval; never: not in the range searched; unpriced: a price is not known"
    )
    cheaper_below: str | None = Field(description="option that is cheaper below; null: no such side")
    cheaper_above: str | None
    msg_per_s: float | None = Field(description="monthly mean; a tie's lowest")
    low_msg_per_s: float | None = Field(description="of the uncertain inputs; null: none moves it")
    high_msg_per_s: float | None
    corners: int = Field(description="combinations of the uncertain inputs' ends that were priced")
    corners_with: int = Field(description="how many of them have this crossing")
    equal_until_msg_per_s: float | None = Field(description="of a tie; null: to the end of the search")
    until_msg_per_s: float | None = Field(description="next crossing; null: to the end of the search")
    searched_msg_per_s: float | None = Field(description="the end of the search")
    messages_per_month: float | None
    messages_per_hour: float | None
    usd_per_month: float | None = Field(description="SQS's; the other's is the same but for a step")
    capacity: str = Field(description="what one cluster must carry at that rate, and what is known of it")
    needs_msg_per_s: float | None = Field(
        description="what one cluster must carry at the peak and the given use: with one node down, or with "
        "all brokers of Amazon MQ up"
    )
    assumptions: dict[str, InputValue] = Field(description="the question's inputs")

    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends of the crossing's interval; None where nothing uncertain moves it."""
        low, high = self.low_msg_per_s, self.high_msg_per_s
        if low is None or high is None or high - low <= EXACT * high:
            return None
        return low, high


class SizeCrossing(Strict):
    """Where SQS and our own cluster first change places with messages of another size, or in other zones."""

    question_id: str = Field(description="the question that is varied")
    sqs_option: str
    message_bytes: int
    zones: int = Field(description="of the brokers; in one, clients are there too")
    kind: CrossingKind
    msg_per_s: float | None = Field(description="null: never")
    cheaper_below: str | None
    cheaper_above: str | None

    @property
    def won_by(self) -> set[str]:
        """Options that are cheaper somewhere."""
        return {option for option in (self.cheaper_below, self.cheaper_above) if option}


class FirstCrossing(Strict):
    """Where SQS and a cheaper variant of the cluster first change places; null: they never do."""

    sqs_option: str
    kind: CrossingKind
    msg_per_s: float | None
    cheaper_above: str | None


class CheaperVariant(Strict):
    """A cheaper way to run the headline's cluster, its bill at the rate asked for, and what it gives up."""

    question_id: str
    option: str = Field(description="its name for readers")
    gives_up: str
    capacity: str = Field(description="what is known of one cluster's capacity, in words")
    msg_per_s: float = Field(description="the rate asked for, as a monthly mean")
    usd: float | None = Field(description="a month at that rate; null: a price is not known")
    crossings: list[FirstCrossing]


class EmptyReceives(Strict):
    """The most empty receives that a case on SQS counted, and the crossing of SQS as used with as many."""

    question_id: str
    case_id: str
    per_message: float
    provenance: Provenance = Field(
        default="measured", description="emulated: an emulator's, which moves no interval"
    )
    msg_per_s: float | None = Field(
        description="between those of the nearest numbers that were priced; null: not between two crossings"
    )


class CostCurve(Strict):
    """What one option costs a month, over the traffic."""

    question_id: str
    option_id: str
    price_book: str
    msg_per_s: list[float]
    clusters: list[float] = Field(description="1 where a cluster's capacity is not known")
    usd: list[float]
    usd_per_1000_msg_per_s: list[float]

    def usd_at(self, msg_per_s: float) -> float | None:
        """Dollars a month at one of the curve's rates; None: it is none of them."""
        place = place_of(self.msg_per_s, msg_per_s)
        return None if place is None else self.usd[place]


class PriceTier(Strict):
    """A price that the figures stand on: of one unit, in one tier of a month's use."""

    book: str
    region: str
    service: str
    item: str
    unit: str
    tier_from: float = Field(description="units a month")
    tier_to: float | None = Field(description="null: no end")
    usd: float | None = Field(description="of one unit; null: not known")
    source: str
    as_of: str = Field(description="the source's date")


class BillLine(Strict):
    line: str
    formula: str = Field(description="how the units come about")
    service: str
    item: str
    unit: str | None
    units: float = Field(description="a month, free ones among them")
    usd: float | None = Field(description="a month; null: a price is not known")
    usd_per_million_messages: float | None = Field(description="what the next million adds, clusters apart")


class Bill(Strict):
    """One option's bill at the traffic that was asked for."""

    question_id: str
    option_id: str
    price_book: str
    msg_per_s: float
    clusters: float
    usd: float | None
    usd_per_million_messages: float | None
    lines: list[BillLine]


class OfferedRate(Strict):
    """What the rate of the run's open loops costs a month, as if it were the monthly mean."""

    msg_per_s: float
    message_bytes: int
    usd: dict[str, float | None] = Field(description="by option")


class BreakEvenHours(Strict):
    """Below how many hours of staff time a month running the broker is cheaper."""

    question_id: str
    sqs_option: str
    other_option: str
    hour_usd: float | None = Field(description="an hour of staff time")
    msg_per_s: list[float]
    saved_usd: list[float] = Field(description="a month, before staff time; negative: it costs more")
    hours: list[float | None] = Field(description="0: it never wins; null: an hour has no price")

    def at(self, msg_per_s: float) -> tuple[float, float | None] | None:
        """What is saved and the hours at one of the rates; None: it is none of them."""
        place = place_of(self.msg_per_s, msg_per_s)
        return None if place is None else (self.saved_usd[place], self.hours[place])

    def up_to(self, msg_per_s: float | None) -> BreakEvenHours:
        """The same without the higher rates; None leaves all."""
        end = len(self.msg_per_s) if msg_per_s is None else bisect_right(self.msg_per_s, msg_per_s)
        lists = ("msg_per_s", "saved_usd", "hours")
        return self.model_copy(update={name: getattr(self, name)[:end] for name in lists})


class MapRow(Strict):
    """For one number of hours: ``cheapest[i]`` from ``from_msg_per_s[i]`` up to the next."""

    hours: float
    from_msg_per_s: list[float]
    cheapest: list[str]

    def at(self, msg_per_s: float) -> str:
        """The cheapest option at a rate within the map."""
        return self.cheapest[max(0, bisect_right(self.from_msg_per_s, msg_per_s) - 1)]


class DecisionMap(Strict):
    """The cheapest option over traffic and staff time, for one of SQS's prices."""

    question_id: str
    sqs_option: str
    msg_per_s: list[float] = Field(description="the rates that were priced")
    sqs_usd: list[float]
    best_other: list[str] = Field(description="instance type of the cheapest cluster at equal service")
    other_usd: list[float] = Field(description="of best_other without staff time")
    rows: list[MapRow]


class SensitivityEnd(Strict):
    factor: float = Field(description="by which the input is multiplied")
    kind: CrossingKind
    msg_per_s: float | None
    cheaper_above: str | None


class Sensitivity(Strict):
    """How far a pair's first crossing moves when one input is a quarter lower or higher."""

    question_id: str
    sqs_option: str
    other_option: str
    varied: str
    base_msg_per_s: float | None
    ends: list[SensitivityEnd]


def place_of(rates: list[float], msg_per_s: float) -> int | None:
    """Where a rate stands in a list of them; the arithmetic's last digits apart."""
    return next((n for n, rate in enumerate(rates) if abs(rate - msg_per_s) <= EXACT * msg_per_s), None)
