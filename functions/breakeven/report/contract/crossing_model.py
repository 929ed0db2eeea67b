"""Crossings of the options in ``report.json``, and how far they move.

Rates are monthly means, in messages a second; sums are US dollars. Options are named by their ids
(``sqs-as-used``, ``rabbitmq``, ...); ``CostQuestion.options`` has their names for readers.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from breakeven.report.contract.question_model import InputValue
from breakeven.report.contract.strict import Strict
from breakeven.terms import Provenance

CrossingKind = Literal["meet", "step", "touch", "tie", "never", "unpriced"]
EXACT = 1e-9  # less than this part apart is the arithmetic's


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
    corners_with: int = Field(description="how many of them have such a change within the interval")
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

    @property
    def is_sure(self) -> bool:
        """Whether it is there whatever the uncertain inputs are."""
        return self.corners_with == self.corners


class SizeCrossing(Strict):
    """Where SQS and our own cluster first change places with messages of another size, or in other zones."""

    question_id: str = Field(description="the question that is varied")
    sqs_option: str
    message_bytes: int
    zones: int = Field(description="of the brokers; in one, clients are there too")
    kind: CrossingKind
    msg_per_s: float | None = Field(description="null: never")
    again_msg_per_s: float | None = Field(
        default=None, description="where they next change places; null: nowhere that was searched"
    )
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
