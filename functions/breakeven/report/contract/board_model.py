"""The board of sizes in ``report.json``: what each target costs for the rates that it was seen to hold."""

from __future__ import annotations

from pydantic import Field

from breakeven.report.contract.strict import Strict


class BoardRate(Strict):
    """What a size costs that holds a rate: dollars that keep its clusters up, without traffic and work."""

    msg_per_s: float = Field(description="that is held")
    clusters: float
    usd: float
    usd_per_1000_msg_per_s: float
    cheapest: bool = Field(description="no other size of the target costs less")


class BoardSize(Strict):
    """A size of a target with the capacity that was measured of it on AWS, and its rates."""

    question_id: str
    target: str
    option: str = Field(description="its name for readers")
    capacity_msg_per_s: float = Field(description="of one cluster, within the objective")
    low_msg_per_s: float
    high_msg_per_s: float | None
    nodes_down: int
    objective_ms: float
    run_id: str
    age_days: int
    rates: list[BoardRate]
