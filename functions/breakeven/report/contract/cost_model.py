"""Costs of the options in ``report.json``: curves, prices, bills, the cheapest over traffic and staff time.

Rates are monthly means, in messages a second; sums are US dollars. Options are named by their ids, as where
they cost the same. Lists beside a ``msg_per_s`` list have one entry for each of its rates.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from pydantic import Field

from breakeven.pricing.prices.price import Publisher
from breakeven.report.contract.crossing_model import EXACT
from breakeven.report.contract.strict import Strict


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
    publisher: Publisher | None = Field(
        default=None,
        description="whose list has it; null: none, it is the question's own (or the report is of an earlier "
        "version)",
    )
    as_of: str = Field(description="of the newest source that has the price")


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


class VolumePrice(Strict):
    """What each option costs a month at a volume, with messages of a size."""

    messages_per_month: int
    msg_per_s: float
    message_bytes: int
    usd: dict[str, float | None] = Field(description="by option")


class PaysFrom(Strict):
    """From which rate on running one's own broker is cheaper with some hours of staff time, and how sure."""

    hours: float = Field(description="of staff time a month")
    msg_per_s: float | None = Field(
        description="where the longest range of rates begins; 0: from the first message; null: at none"
    )
    until_msg_per_s: float | None = Field(
        default=None, description="where SQS is cheaper again; null: nowhere in the charts"
    )
    low_msg_per_s: float | None = Field(description="of the uncertain inputs; null: none, or none of them")
    high_msg_per_s: float | None
    low_until_msg_per_s: float | None = Field(
        default=None, description="the lowest end of such a range over the uncertain inputs; null: none ends"
    )
    corners: int = Field(description="combinations of the uncertain inputs' ends that were priced")
    corners_with: int = Field(description="how many of them have such a rate")

    @property
    def interval(self) -> tuple[float, float] | None:
        """None where nothing uncertain moves the rate."""
        low, high = self.low_msg_per_s, self.high_msg_per_s
        return None if low is None or high is None or high - low <= EXACT * high else (low, high)

    @property
    def is_sure(self) -> bool:
        """Whether there is such a rate whatever the uncertain inputs are."""
        return self.corners_with == self.corners


class BreakEvenHours(Strict):
    """Below how many hours of staff time a month running the broker is cheaper."""

    question_id: str
    sqs_option: str
    other_option: str
    hour_usd: float | None = Field(description="an hour of staff time")
    msg_per_s: list[float]
    saved_usd: list[float] = Field(description="a month, before staff time; negative: it costs more")
    hours: list[float | None] = Field(description="0: it never wins; null: an hour has no price")
    pays_from: PaysFrom | None = Field(
        default=None,
        description="with a working day a month; null: of Amazon MQ, where an hour has no price, and of "
        "earlier versions",
    )

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


def place_of(rates: list[float], msg_per_s: float) -> int | None:
    """Where a rate stands in a list of them, which ascend; the arithmetic's last digits apart."""
    place = bisect_left(rates, msg_per_s * (1 - EXACT))
    return place if place < len(rates) and rates[place] <= msg_per_s * (1 + EXACT) else None
