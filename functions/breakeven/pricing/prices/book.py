"""Price books: every price that is used, with its unit, region, source, date and mark.

A book is a JSON file in ``pricing/prices/books/``, made once from public price lists and dated. A price that
is not known is null and says why; only the question that needs it is refused.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Self

from pydantic import Field, model_validator

from breakeven.errors import InputError
from breakeven.pricing.prices.price import Finite, IsoDate, Price, Text

FEW_NAMES, CLOSE_NAMES = 8, 6
#: service and item of the requests that SQS does not bill
FREE_REQUEST = ("sqs", "free_request")
#: service -> item -> its entry
ByItem = Mapping[str, Mapping[str, Price]]


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
                raise ValueError(f"{price.service}/{price.item} is priced twice; leave one of them out")
            seen.add(key)
        return self

    @property
    def label(self) -> str:
        """The book's name in rows and reports: ``us-east-1@2026-11-20``, ``2012-12``."""
        return f"{self.name}@{self.as_of}" if self.dated else self.name

    @property
    def free_sqs_requests(self) -> float:
        """Requests a month that SQS does not bill, all queue types together; they come before the tiers."""
        service, item = FREE_REQUEST
        free = self._by_item.get(service, {}).get(item)
        return (free.tiers[-1].to or 0.0) if free and free.tiers else 0.0

    @cached_property
    def _indexed(self) -> tuple[tuple[Price, ...], ByItem]:
        """Entries by service and item, and of which prices they are: a plan looks thousands of them up."""
        found: dict[str, dict[str, Price]] = {}
        for price in self.prices:
            found.setdefault(price.service, {})[price.item] = price
        return self.prices, found

    @property
    def _by_item(self) -> ByItem:
        if self._indexed[0] is not self.prices:  # a copy with other prices has the original's
            self.__dict__.pop("_indexed", None)
        return self._indexed[1]

    def price(self, service: str, item: str) -> Price:
        """The entry of an item; its ``usd`` is null where the price is not known.

        :raises InputError: the book has no such entry; the error says what there is
        """
        items = self._by_item.get(service, {})
        if item in items:
            return items[item]
        services = sorted(self._by_item)
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
                "publisher": price.publisher,
                "as_of": price.as_of,
            }
            for start, end, usd in tiers
        ]


def near(name: str, names: Iterable[str]) -> str:
    """For an error: all names where they are few, else those like the one that was asked for."""
    known, name = sorted(names), name.lower()
    if len(known) <= FEW_NAMES:
        return ", ".join(known)
    family = [each for each in known if each.partition(".")[0] == name.partition(".")[0]]
    close = [*difflib.get_close_matches(name, known, CLOSE_NAMES), *family]
    shown = list(dict.fromkeys(close))[:CLOSE_NAMES] or known[:CLOSE_NAMES]
    return f"{', '.join(shown)} and {len(known) - len(shown)} more"
