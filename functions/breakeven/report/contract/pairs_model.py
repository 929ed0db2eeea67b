"""The part of ``report.json`` that sets every option of cost beside every other. Rates are monthly means."""

from __future__ import annotations

from pydantic import Field

from breakeven.report.contract.crossing_model import EXACT, CrossingKind
from breakeven.report.contract.strict import Strict


class PairCrossing(Strict):
    """One of the first ten rates at which two options change places or cost the same; null: they never do."""

    first_option: str
    second_option: str
    number: int | None = Field(
        description="of the pair's crossings, from the lowest rate; null: there is none"
    )
    crossings: int = Field(description="that the pair has, those above the tenth among them")
    kind: CrossingKind = Field(description="as of crossovers; at a step either cost jumps past the other")
    cheaper_below: str | None = Field(description="option that is cheaper below; null: no such side")
    cheaper_above: str | None
    msg_per_s: float | None = Field(description="monthly mean; a tie's lowest")
    low_msg_per_s: float | None = Field(description="of the uncertain inputs; null: none moves it")
    high_msg_per_s: float | None
    corners: int = Field(description="combinations of the uncertain inputs' ends that were priced")
    corners_with: int = Field(description="how many of them have such a change within the interval")
    searched_msg_per_s: float | None = Field(description="the end of the search")
    usd_per_month: float | None = Field(description="the first's; the second's is the same but for a step")
    needs_msg_per_s: float | None = Field(
        description="what a cluster of the one that is cheaper above must carry there; null: it has none"
    )

    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends of the crossing's interval; None where nothing uncertain moves it."""
        low, high = self.low_msg_per_s, self.high_msg_per_s
        if low is None or high is None or high - low <= EXACT * high:
            return None
        return low, high

    @property
    def is_change(self) -> bool:
        """Whether the cheaper option changes there."""
        return self.msg_per_s is not None and self.cheaper_below != self.cheaper_above

    @property
    def is_sure(self) -> bool:
        """Whether it is there whatever the uncertain inputs are."""
        return self.corners_with == self.corners


class Pairs(Strict):
    """Where the cheaper of two options changes, at the prices and inputs of the headline question."""

    question_id: str
    options: dict[str, str] = Field(description="option's id -> its name for readers")
    crossings: list[PairCrossing] = Field(description="pair by pair, in the order of the options")
