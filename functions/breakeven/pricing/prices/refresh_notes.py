"""Notes of a run on the prices that it used: which are fresh, which are not, why, and how old they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.price import Price
from breakeven.words import listing, unit_price

#: service and item
Key = tuple[str, str]
#: of the oldest prices, more are counted
MOST_NAMES = 3


def posted_by(
    book: PriceBook, found: Mapping[Key, Price], kept: Mapping[Key, str], today: date
) -> tuple[str, ...]:
    """In words, what became of a book's prices.

    :param book: as it was before
    :param found: the new prices
    :param kept: why prices that were asked for stay as they were
    """
    notes = [
        f"{len(found)} of {len(found) + len(kept)} prices of {book.region} that were asked for came from "
        f"the AWS Price List on {today.isoformat()}"
    ]
    notes += _changes(book, found)
    for why in dict.fromkeys(kept.values()):
        items = [_aged(book.price(*key), today) for key, reason in kept.items() if reason == why]
        notes.append(f"not refreshed: {', '.join(items)}: {why}")
    rest = [p for p in book.prices if (p.service, p.item) not in found and (p.service, p.item) not in kept]
    if rest:
        notes.append(
            f"{len(rest)} further prices were not asked for and are those of the book; {_oldest(rest, today)}"
        )
    return tuple(notes)


def not_refreshed(book: PriceBook, today: date) -> str:
    """What is said of a book where there is no AWS account to ask."""
    return (
        "prices were not refreshed: this run had no AWS account to ask; "
        f"those of the book of {book.as_of}, {_age(book.as_of, today)}; {_oldest(book.prices, today)}; "
        "“Prices used” lists those behind this report's figures"
    )


def _changes(book: PriceBook, found: Mapping[Key, Price]) -> Iterator[str]:
    """Prices that are no longer what the book had."""
    pairs = [(book.price(*key), new) for key, new in found.items()]
    changed = [f"{_name(new)} {_usd(old)} to {_usd(new)}" for old, new in pairs if old.tiers != new.tiers]
    if changed:
        yield f"changed since the book of {book.as_of}: {', '.join(changed)}"


def _usd(price: Price) -> str:
    """The price, or that of each tier."""
    return " / ".join(unit_price(tier.usd) for tier in price.tiers) or "not known"


def _name(price: Price) -> str:
    return f"{price.service}/{price.item}"


def _aged(price: Price, today: date) -> str:
    age = "not known" if price.usd is None else _age(price.as_of, today)
    return f"{_name(price)} ({age})"


def _age(as_of: str, today: date) -> str:
    days = max(0, (today - date.fromisoformat(as_of)).days)
    return "1 day old" if days == 1 else f"{days} days old"


def _oldest(prices: Iterable[Price], today: date) -> str:
    known = [price for price in prices if price.usd is not None]
    if not known:
        return "none of them is known"
    day = min(price.as_of for price in known)
    names = [_name(price) for price in known if price.as_of == day]
    return f"the oldest, {listing(names, MOST_NAMES)}, of {day}, {_age(day, today)}"
