"""Calls a second that a FIFO queue takes: they stand in ``fifo_quotas.json``, with their source and date."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import Field, PositiveInt

from breakeven.pricing.prices.price import Finite, IsoDate, Text

PATH = Path(__file__).parent / "fifo_quotas.json"


class FifoQuotas(Finite):
    """Calls a second of each action, of one queue in high-throughput mode."""

    notes: tuple[Text, ...]
    source: Text
    as_of: IsoDate
    elsewhere: PositiveInt = Field(description="in regions that the source does not name")
    regions: dict[str, PositiveInt]

    def of(self, region: str) -> int:
        return self.regions.get(region, self.elsewhere)


@cache
def fifo_quotas() -> FifoQuotas:
    """The file, read once."""
    return FifoQuotas.model_validate_json(PATH.read_text(encoding="utf-8"))
