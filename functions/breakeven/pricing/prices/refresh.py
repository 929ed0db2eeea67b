"""A book brought up to date from the AWS Price List Query API.

Every price that is asked for is either replaced by what the list says, or stays as it is and is named
in the notes with the reason and its age. Nothing that the service answers, or fails to, is an error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.catalogue import (
    Query,
    Wanted,
    lacking_queries,
    regional_queries,
    transfer_queries,
)
from breakeven.pricing.prices.price import Price, Tier
from breakeven.pricing.prices.price_list import Entry, Rates, Unreadable
from breakeven.pricing.prices.price_queries import Answer, Asking, Refused
from breakeven.pricing.prices.refresh_notes import Key, posted_by

#: the state that plans a run may take 60 s; a question in flight at the end takes up to 15 s more
BUDGET_S = 20.0
UNIT_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The book to use, and what its reader must be told of it."""

    book: PriceBook
    notes: tuple[str, ...]


class Unusable(Exception):
    """No entry can stand for the item; says why."""


@dataclass(slots=True)
class _Outcome:
    """What became of each price that was asked for: a new one, or a reason to keep the old one."""

    book: PriceBook
    found: dict[Key, Price] = field(default_factory=dict)
    kept: dict[Key, str] = field(default_factory=dict)

    def keep(self, wanted: Iterable[Wanted], why: str) -> None:
        self.kept |= {(item.service, item.item): why for item in wanted}


def refresh(
    book: PriceBook,
    pricing_client: Any,
    today: date,
    *,
    instance_types: Sequence[str],
    budget_s: float = BUDGET_S,
    clock: Callable[[], float] = time.monotonic,
) -> Refreshed:
    """Ask the Price List for requests, instances, volumes, traffic and Amazon MQ of the book's region.

    And for what else a run is billed for, where the book lacks it.

    :param pricing_client: boto3's ``pricing`` client, with short time-outs
    :param instance_types: the only ones that are asked for; those the book does not have are left out
    :param budget_s: seconds after which nothing more is asked
    """
    if not book.dated:
        return Refreshed(book, (f"prices of {book.name} are those of one point in history; not refreshed",))
    outcome, asking = _Outcome(book), Asking(pricing_client, clock, budget_s)
    location = None
    for query in regional_queries(book, instance_types):
        answer = _settle(outcome, asking, query)
        location = location or _location(answer, book.region)
    for query in lacking_queries(book):
        _settle(outcome, asking, query)
    for query in transfer_queries(book, location or ""):
        if location is None:
            outcome.keep(query.wanted, "the list's name of the region was not learnt")
        else:
            _settle(outcome, asking, query)
    return Refreshed(_with(book, outcome.found, today), posted_by(book, outcome.found, outcome.kept, today))


def _settle(outcome: _Outcome, asking: Asking, query: Query) -> Answer:
    """Put one question and decide on every item that it is about."""
    if not query.wanted:
        return Answer()
    try:
        answer = asking.ask(query)
    except Refused as refused:
        outcome.keep(query.wanted, str(refused))
        return Answer()
    for wanted in query.wanted:
        key = (wanted.service, wanted.item)
        try:
            outcome.found[key] = _priced(outcome.book.price(*key), wanted, answer)
        except Unusable as unusable:
            outcome.kept[key] = str(unusable)
    return answer


def _priced(old: Price, wanted: Wanted, answer: Answer) -> Price:
    """:raises Unusable: no entry prices the item, or several do and differ"""
    choices = [(entry, _rates(entry)) for entry in answer.entries if wanted.matches(entry)]
    if not choices:
        unread = f"; {answer.unreadable} entries could not be read" if answer.unreadable else ""
        raise Unusable(f"the list has no entry for it{unread}")
    billed = [(entry, rates) for entry, rates in choices if not rates.free]
    if not billed:
        raise Unusable("the list has only $0 for it")
    if len({(rates.unit, rates.tiers) for _, rates in billed}) > 1:
        raise Unusable(f"the list has {len(billed)} entries for it, and their prices differ")
    entry, rates = min(billed, key=lambda choice: choice[0].sku)
    tiers = _in_units(rates, wanted)
    fresh = {
        "usd": tiers[0].usd,
        "reason": None,
        "tiers": tiers,
        "source": f"AWS Price List Query API, {entry.service_code}, SKU {entry.sku}",
        "publisher": "aws",
        "as_of": entry.published,
        "mark": "V",
        "note": old.note if wanted.keeps_note else None,
    }
    return Price.model_validate(dict(old) | fresh)


def _rates(entry: Entry) -> Rates:
    """:raises Unusable: the rates of an entry that matches cannot be read, so that they may differ"""
    try:
        return entry.rates()
    except Unreadable as unreadable:
        raise Unusable(f"the list's entry {entry.sku} cannot be read: {unreadable}") from unreadable


def _in_units(rates: Rates, wanted: Wanted) -> tuple[Tier, ...]:
    """Tiers in the book's unit.

    :raises Unusable: the list's unit is none that is known for the item
    """
    holds = wanted.units.get(rates.unit.lower())
    if holds is None:
        raise Unusable(f"the list's unit is {rates.unit[:UNIT_LENGTH]!r}, which is not known for it")
    tiers = [(tier.from_ * holds, tier.to and tier.to * holds, tier.usd / holds) for tier in rates.tiers]
    return tuple(Tier.model_validate({"from": start, "to": end, "usd": usd}) for start, end, usd in tiers)


def _location(answer: Answer, region: str) -> str | None:
    """The list's own name of the region, such as ``EU (Ireland)``; None where no entry tells."""
    names = (e.attributes.get("location") for e in answer.entries if e.attributes.get("regionCode") == region)
    return next((name for name in names if name), None)


def _with(book: PriceBook, found: dict[Key, Price], today: date) -> PriceBook:
    """The book with what was found in place, dated today; the same book when nothing was."""
    if not found:
        return book
    prices = tuple(found.get((price.service, price.item), price) for price in book.prices)
    return book.model_copy(update={"as_of": today.isoformat(), "prices": prices})
