"""A price: of one unit, in tiers of a month's use, with its source, date and mark."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from breakeven.errors import InputError
from breakeven.terms import Frozen

#: V: read in the named source. V2: read in two or more independent sources. D: derived from such
#: figures. M: found in no source; no book that is shipped has it.
Mark = Literal["V", "V2", "D", "M"]
#: whose list a price stands in: AWS's own, read there or in a copy of it, or only one of somebody else's
Publisher = Literal["aws", "third-party"]

#: of one unit of anything, so that no bill grows beyond what a number can hold
MOST_USD = 1e6
#: of one that is not free: less is a slip of the pen, as the least of the shipped books is 1e-07
LEAST_USD = 1e-12


def _is_day(text: str) -> str:
    """:raises ValueError: there is no such day"""
    date.fromisoformat(text)
    return text


IsoDate = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_is_day)]
Text = Annotated[str, Field(min_length=1)]


class Finite(Frozen, allow_inf_nan=False):
    """A record whose numbers are finite."""


class Tier(Finite):
    """The price of one unit for the part of a month's use above ``from`` and up to ``to``."""

    from_: float = Field(alias="from", ge=0)
    to: float | None = Field(description="null: no end")
    usd: float = Field(ge=0, le=MOST_USD, strict=True)


class Price(Finite):
    """One priced thing. ``usd`` is the flat price of one unit, or the first tier's."""

    service: Text
    item: Text
    unit: Text
    region: Text
    usd: float | None = Field(
        default=None, ge=0, le=MOST_USD, strict=True, description="optional if tiers are given"
    )
    reason: Text | None = Field(default=None, description="why the price is not known; null when it is")
    tiers: tuple[Tier, ...] = Field(default=(), description="by a month's use; one when flat")
    source: Text
    publisher: Publisher = Field(
        default="aws",
        description="whose list has the price: aws, read there or in a copy; third-party: in no AWS data "
        "that was read. Answers name prices of third parties with source and date",
    )
    as_of: IsoDate = Field(description="of the newest source that has the price")
    mark: Mark = Field(
        description="V: read in the named source; V2: read in two or more independent sources; D: derived "
        "from such figures; M: found in no source"
    )
    note: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, data: Any) -> Any:
        """Files give ``usd`` or ``tiers``; the other follows from it."""
        if not isinstance(data, dict):
            return data
        tiers, usd = data.get("tiers"), data.get("usd")
        if usd is not None and not tiers:
            return {**data, "tiers": ({"from": 0, "to": None, "usd": usd},)}
        first = tiers[0] if isinstance(tiers, list | tuple) and tiers else None
        return {"usd": first.get("usd") if isinstance(first, dict) else None, **data}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.usd is None) != (self.reason is not None):
            raise ValueError(f"{self.service}/{self.item}: give a price, or the reason why there is none")
        if self.usd is None:
            if self.tiers:
                raise ValueError(f"{self.service}/{self.item}: a price that is not known has no tiers")
            return self
        for usd in [tier.usd for tier in self.tiers if 0 < tier.usd < LEAST_USD]:
            least = f"give at least {LEAST_USD:g} dollars, or 0 where it is free"
            raise ValueError(f"{self.service}/{self.item}: {usd:g} is next to nothing; {least}")
        if self.usd != self.tiers[0].usd:
            raise ValueError(f"{self.service}/{self.item}: usd is not that of the first tier")
        bounds = [0.0, *(tier.to for tier in self.tiers)]
        for tier, start in zip(self.tiers, bounds[:-1], strict=True):
            if tier.from_ != start or (tier.to is not None and tier.to <= tier.from_):
                found = f"a tier from {tier.from_:g} to {'any' if tier.to is None else f'{tier.to:g}'}"
                place = "follows one without an end" if start is None else f"stands where {start:g} is next"
                remedy = "let tiers follow one another from 0"
                raise ValueError(f"{self.service}/{self.item}: {found} {place}; {remedy}")
        return self

    def cost(self, quantity: float) -> float:
        """Dollars for ``quantity`` units used in one month, through the tiers.

        :raises InputError: the price is not known, or the quantity lies outside the tiers
        """
        if self.usd is None:
            raise InputError("price book", f"{self.service}/{self.item}", None, f"not known: {self.reason}")
        end = self.tiers[-1].to
        if quantity < 0 or (end is not None and quantity > end):
            raise InputError("price book", f"{self.service}/{self.item}", quantity, "not priced")
        return sum(tier.usd * _within(quantity, tier) for tier in self.tiers)


def _within(quantity: float, tier: Tier) -> float:
    """How much of ``quantity`` lies in the tier."""
    end = quantity if tier.to is None else min(quantity, tier.to)
    return max(0.0, end - tier.from_)
