"""Price books: every price that is used, with its unit, region, source, date and mark.

A book is a JSON file in ``pricing/prices/books/``, made once from public price lists and dated. A price that
is not known is null and says why; only the question that needs it is refused.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationError, model_validator

from breakeven.errors import InputError, check_regular, first_fault
from breakeven.terms import Frozen

BOOKS = Path(__file__).parent / "books"
DEFAULT_REGION = "us-east-1"
FEW_NAMES, CLOSE_NAMES = 8, 6
#: service and item of the requests that SQS does not bill
FREE_REQUEST = ("sqs", "free_request")

#: V: read in the named source. V2: read in two or more independent sources. D: derived from such
#: figures. M: found in no source; no book that is shipped has it.
Mark = Literal["V", "V2", "D", "M"]


#: of one unit of anything, so that no bill grows beyond what a number can hold
MOST_USD = 1e6


def _is_day(text: str) -> str:
    """:raises ValueError: there is no such day"""
    date.fromisoformat(text)
    return text


IsoDate = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_is_day)]
#: what AWS calls its regions
REGION = re.compile(r"[a-z]{2}(?:-[a-z]+)+-\d+")
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
    as_of: IsoDate = Field(description="the source's date")
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
        if self.usd != self.tiers[0].usd:
            raise ValueError(f"{self.service}/{self.item}: usd is not that of the first tier")
        bounds = [0.0, *(tier.to for tier in self.tiers)]
        for tier, start in zip(self.tiers, bounds[:-1], strict=True):
            if tier.from_ != start or (tier.to is not None and tier.to <= tier.from_):
                raise ValueError(f"{self.service}/{self.item}: tiers do not follow one another from 0")
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


class PriceBook(Finite):
    """All prices of one region (or of the 2012 article), in US dollars before tax."""

    name: Text = Field(description="the file's name: us-east-1, 2012-12")
    region: Text
    as_of: IsoDate = Field(description="when the book was put together; each price has a date of its own")
    dated: bool = Field(description="the label carries the date; false for a book of one point in history")
    notes: tuple[Text, ...] = ()
    prices: tuple[Price, ...]

    @model_validator(mode="after")
    def _unique(self) -> Self:
        seen: set[tuple[str, str]] = set()
        for price in self.prices:
            key = (price.service, price.item)
            if key in seen:
                raise ValueError(f"{price.service}/{price.item} is priced twice")
            seen.add(key)
        return self

    @property
    def label(self) -> str:
        """The book's name in rows and reports: ``us-east-1@2026-11-20``, ``2012-12``."""
        return f"{self.name}@{self.as_of}" if self.dated else self.name

    @property
    def free_sqs_requests(self) -> float:
        """Requests a month that SQS does not bill, all queue types together; they come before the tiers."""
        tiers = next((p.tiers for p in self.prices if (p.service, p.item) == FREE_REQUEST), ())
        return (tiers[-1].to or 0.0) if tiers else 0.0

    def price(self, service: str, item: str) -> Price:
        """The entry of an item; its ``usd`` is null where the price is not known.

        :raises InputError: the book has no such entry; the error says what there is
        """
        items = {p.item: p for p in self.prices if p.service == service}
        if item in items:
            return items[item]
        services = sorted({p.service for p in self.prices})
        others = f"there are {', '.join(services)}" if services else "the book has no prices at all"
        there = f"{service} has {near(item, items)}" if items else others
        raise InputError(f"price book {self.label}", f"{service}/{item}", item, f"no such price; {there}")

    def known(self, service: str, item: str) -> Price:
        """The entry of an item whose price is known.

        :raises InputError: no such entry, or its price is null (with the entry's reason)
        """
        price = self.price(service, item)
        if price.usd is None:
            there = near(item, self.items(service))
            choose = f"choose one that is: {there}" if there else "take the price book of another region"
            remedy = f"{price.reason}; {choose}"
            raise InputError(f"price book {self.label}", f"{service}/{item}", None, remedy)
        return price

    def items(self, service: str) -> list[str]:
        """The items of a service whose price is known, sorted."""
        return sorted(p.item for p in self.prices if p.service == service and p.usd is not None)

    def rows(self) -> list[dict[str, Any]]:
        """Rows of ``schemas.PRICES``: one a tier, and one with null dollars where a price is not known."""
        return [row for price in self.prices for row in self._rows(price)]

    def rows_of(self, service: str, item: str) -> list[dict[str, Any]]:
        """The rows of one item.

        :raises InputError: the book has no such entry
        """
        return self._rows(self.price(service, item))

    def _rows(self, price: Price) -> list[dict[str, Any]]:
        tiers: list[tuple[float, float | None, float | None]]
        tiers = [(tier.from_, tier.to, tier.usd) for tier in price.tiers] or [(0.0, None, None)]
        return [
            {
                "book": self.label,
                "region": price.region,
                "service": price.service,
                "item": price.item,
                "unit": price.unit,
                "tier_from": start,
                "tier_to": end,
                "usd": usd,
                "source": price.source,
                "as_of": price.as_of,
            }
            for start, end, usd in tiers
        ]


def near(name: str, names: Iterable[str]) -> str:
    """For an error: all names where they are few, else those like the one that was asked for."""
    known = sorted(names)
    if len(known) <= FEW_NAMES:
        return ", ".join(known)
    family = [each for each in known if each.partition(".")[0] == name.partition(".")[0]]
    close = [*difflib.get_close_matches(name, known, CLOSE_NAMES), *family]
    shown = list(dict.fromkeys(close))[:CLOSE_NAMES] or known[:CLOSE_NAMES]
    return f"{', '.join(shown)} and {len(known) - len(shown)} more"


def books() -> list[str]:
    """Names of the books that are shipped, sorted."""
    return sorted(path.stem for path in BOOKS.glob("*.json"))


def regions() -> list[str]:
    """Names of those that are of a region: all but the article's, which is called by its date."""
    return [name for name in books() if not name[0].isdigit()]


@cache
def load_book(name: str) -> PriceBook:
    """The shipped book of that name.

    :raises InputError: there is no such book, or its file is damaged
    """
    if name not in books():
        raise InputError("price book", "region", name, f"no such book; there are {', '.join(regions())}")
    return read_book(BOOKS / f"{name}.json")


def book_of(region: str) -> PriceBook:
    """The shipped book of a region; of one that has none a book that lacks every price, and says so.

    :raises InputError: it is none of a region's names, such as eu-north-1
    """
    if region in books() or not REGION.fullmatch(region):
        return load_book(region)
    why = f"no price book of {region} is shipped, and the AWS Price List gave none"
    unknown = {"usd": None, "tiers": (), "reason": why, "region": region, "mark": "M", "note": None}
    nowhere = {"source": "none", "as_of": load_book(DEFAULT_REGION).as_of}
    prices = tuple(price.model_copy(update=unknown | nowhere) for price in load_book(DEFAULT_REGION).prices)
    named = {"name": region, "region": region, "notes": (), "prices": prices}
    return load_book(DEFAULT_REGION).model_copy(update=named)


def read_book(path: Path) -> PriceBook:
    """A book from a file.

    :raises InputError: the file is not a price book; the error names the field
    """
    try:
        check_regular(path)
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(str(path), "file", path.name, f"cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        remedy = f"give a price book in JSON; {error}"
        raise InputError(str(path), "file", path.name, remedy) from error
    try:
        book = PriceBook.model_validate(data)
    except ValidationError as error:
        field, first, remedy = first_fault(error, "book")
        value = first["input"] if isinstance(first["input"], str | int | float) else None
        raise InputError(str(path), field, value, remedy) from error
    if path.parent != BOOKS:
        _check_units(book, path)
        _check_dates(book, path)
    return book


def _check_dates(book: PriceBook, path: Path) -> None:
    """No list price is of a day that has not come; a day is left for zones whose date is ahead of UTC's.

    :raises InputError: naming the first date at fault
    """
    last = datetime.now(UTC).date() + timedelta(days=1)
    dates = {"as_of": book.as_of} | {f"prices.{n}.as_of": price.as_of for n, price in enumerate(book.prices)}
    for field, text in dates.items():
        if date.fromisoformat(text) > last:
            raise InputError(str(path), field, text, "is in the future; give the day on which it was read")


def _check_units(book: PriceBook, path: Path) -> None:
    """Bills count in the units of the shipped books: another would be priced as if it were one of those.

    :raises InputError: naming the first price at fault
    """
    for number, price in enumerate(book.prices):
        units = _units().get((price.service, price.item)) or _units().get((price.service, "")) or {price.unit}
        if price.unit not in units:
            remedy = (
                f"bills count {price.service}/{price.item} by {' or '.join(sorted(units))}; convert the price"
            )
            raise InputError(str(path), f"prices.{number}.unit", price.unit, remedy)


@cache
def _units() -> dict[tuple[str, str], set[str]]:
    """Units of each service and item in the shipped books, and of each service under an empty item."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for price in (price for name in books() for price in load_book(name).prices):
        for item in (price.item, ""):
            found[price.service, item].add(price.unit)
    return found
