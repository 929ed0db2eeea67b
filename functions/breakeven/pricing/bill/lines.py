"""The lines of a bill: how many units of which price, fixed, by the message and by the cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from breakeven.pricing.prices.price import Price, Publisher

#: AWS counts a gigabyte of traffic as 2^30 bytes: its tier of 10 TB ends at 10,240 GB
BYTES_PER_GB = 2.0**30
#: to which the queries search, and which a question may ask for
MAX_MSG_PER_S = 1e7
#: columns of a line's row, after ``units_``
UNITS = ("fixed", "per_message", "per_cluster", "free", "used")


class OwnTier(NamedTuple):
    """Dollars of a unit, for the units of a month above ``start`` and up to ``end``; None: no end."""

    start: float
    end: float | None
    usd: float


@dataclass(frozen=True, slots=True)
class OwnPrice:
    """A price that no book has as it is: given by the asker, or derived from a book's.

    ``tiers`` is empty of a flat one.

    :param derived_from: the book's price; None: it is the asker's
    """

    unit: str
    usd: float
    source: str
    tiers: tuple[OwnTier, ...] = ()
    derived_from: Price | None = None

    @property
    def publisher(self) -> Publisher | None:
        """Whose list has it; None: it is the asker's."""
        return self.derived_from.publisher if self.derived_from else None


@dataclass(frozen=True, slots=True)
class Line:
    """Units a month = ``fixed + per_cluster x clusters + per_message x messages``.

    :param formula: how the units come about, in words and figures
    :param factor: of the price
    :param free: units a month that cost nothing, before the price's tiers
    :param used: units a month that the account uses elsewhere; they take the free ones and the first tiers
    :param own: the price, where it is not the book's
    """

    line: str
    formula: str
    service: str
    item: str
    fixed: float = 0.0
    per_message: float = 0.0
    per_cluster: float = 0.0
    factor: float = 1.0
    free: float = 0.0
    used: float = 0.0
    own: OwnPrice | None = None

    @property
    def bills(self) -> bool:
        return bool(self.fixed or self.per_message or self.per_cluster)

    def row(self, question_id: str, option_id: str, book: str) -> dict[str, Any]:
        """A row of ``schemas.COST_ITEMS``; ``book`` is the label under which the price stands."""
        return {
            "question_id": question_id,
            "option_id": option_id,
            "line": self.line,
            "formula": self.formula,
            "book": book,
            "service": self.service,
            "item": self.item,
            "price_factor": self.factor,
            **{f"units_{name}": getattr(self, name) for name in UNITS},
        }


def number(value: float) -> str:
    """For a formula: up to six figures, no trailing zeros."""
    return f"{value:,.6g}" if abs(value) < 999_999.5 else f"{value:,.0f}"
