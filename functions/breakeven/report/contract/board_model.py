"""Boards in ``report.json``: what targets cost for the rates that they held, and rates by a base."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from breakeven.report.contract.strict import Strict
from breakeven.terms import Environment, Provenance


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


class ClusterPrice(Strict):
    """What one of the run's clusters costs: instances, volumes and monitoring, without traffic and work."""

    target: str
    what: str = Field(description="nodes, instance type and volume")
    book: str
    usd: float = Field(description="a month")


class BaseRatio(Strict):
    """The rate of a cell over that of the suite's base on the same target, by Welch on logarithms."""

    scenario: str
    cell: str
    target: str
    base: str = Field(description="the scenario whose rate is 1")
    metric: Literal["consume", "produce"] = Field(description="produce of a cell without consumers")
    environment: Environment
    provenance: Provenance
    repeats: int
    base_repeats: int
    msg_per_s: float | None = Field(description="geometric mean of the repeats")
    base_msg_per_s: float | None
    ratio: float | None
    interval_low: float | None = Field(description="95% interval of the ratio; null: measured once")
    interval_high: float | None
    verdict: Literal["higher", "lower", "no difference shown", "not enough repeats", "not comparable"]
    loader_saturated: bool
    base_loader_saturated: bool
