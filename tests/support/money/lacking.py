"""Price books that lack a price, as a region has them that no source was read for."""

from __future__ import annotations

from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.book_files import load_book


def lacking(service: str, item: str, name: str = "us-east-1") -> PriceBook:
    """The shipped book of that name, without one price."""
    book = load_book(name)
    unknown = {"usd": None, "tiers": (), "reason": "it was found in no source"}
    prices = tuple(
        price.model_copy(update=unknown) if (price.service, price.item) == (service, item) else price
        for price in book.prices
    )
    return book.model_copy(update={"prices": prices})
