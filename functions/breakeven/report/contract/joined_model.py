"""The part of ``report.json`` in which measuring and money meet. Rates are messages a second."""

from __future__ import annotations

from pydantic import Field

from breakeven.pricing.bill.run_capacities import RunCapacity
from breakeven.report.contract.strict import Strict
from breakeven.terms import Provenance


class PricedCapacity(RunCapacity):
    """What a run on AWS measured of a cluster, and whether a question is priced with it."""

    age_days: int = Field(description="since the run that measured it; 0: this run")
    prices_question_id: str | None = Field(description="null: no question is priced with it")


class MeasuredSide(Strict):
    """The case on one side of a crossing whose rate is nearest to it, end to end; null: none was near."""

    target: str
    case_id: str | None = None
    provenance: Provenance | None = None
    msg_per_s: float | None = Field(default=None, description="that was sent")
    p50_ms: float | None = None
    p99_ms: float | None = None


class CrossingLatency(Strict):
    """What the run measured of both options near the rate at which a pair first changes places."""

    question_id: str
    sqs_option: str
    other_option: str
    msg_per_s: float
    sides: list[MeasuredSide]
