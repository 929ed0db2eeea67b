"""Inputs of a question as a report has them: today's, or such as an earlier version took."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field, ValidationError

from breakeven.pricing.bill.inputs import GP3_MIBPS_PER_IOPS, Inputs


class EarlierInputs(Inputs):
    """Within the bounds of earlier versions, at which bills were computed. Nothing new is asked with them."""

    containers: float = Field(default=2, gt=0, le=10_000)  # type: ignore[assignment] # parts were taken
    lambda_ms: float = Field(default=10, gt=0, le=900_000)
    utilisation: float = Field(default=0.7, gt=0, le=1)

    def _traffic_problem(self) -> str:
        """None: any rate above 0 was taken."""
        return ""

    def _throughput_problem(self) -> str:
        """None: any that a volume can have was taken, whatever its IOPS."""
        return ""

    def but(self, **changes: Any) -> Inputs:
        """:raises ValidationError: a change is out of the bounds of earlier versions"""
        return EarlierInputs.model_validate({**self.model_dump(), **changes})

    def of_today(self) -> Inputs:
        """With the nearest value that is taken today in the place of each that is not."""
        return Inputs.model_validate({**self.model_dump(), **dict(self._nearest())})

    def notes(self) -> Iterator[str]:
        """A sentence for each value that is no longer taken."""
        for field, value in self._nearest():
            yield (
                f"An earlier version priced with {field} {getattr(self, field):.12g}, out of today's bounds: "
                f"the figures are that version's. The page's controls begin with {value:.12g}."
            )

    def _nearest(self) -> Iterator[tuple[str, float]]:
        if self.containers != int(self.containers):
            yield "containers", math.ceil(self.containers)
        for field in ("lambda_ms", "utilisation"):
            least = _least(field)
            if getattr(self, field) < least:
                yield field, least
        if Inputs._throughput_problem(self):
            yield "volume_mibps", self.volume_iops * GP3_MIBPS_PER_IOPS
        if Inputs._traffic_problem(self):
            yield "msg_per_s", 1 / self.seconds_per_month


def _least(field: str) -> float:
    return float(Inputs.model_json_schema()["properties"][field]["minimum"])


def stored_inputs(inputs: Mapping[str, Any]) -> Inputs:
    """The inputs of a stored question.

    :raises ValidationError: no version took them
    """
    try:
        return Inputs.model_validate(inputs)
    except ValidationError:
        return EarlierInputs.model_validate(inputs)
