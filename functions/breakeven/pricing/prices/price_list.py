"""Entries of the AWS Price List Query API, each a JSON text, read into products and their on-demand rates.

All numbers in an entry are strings, and the ranges of tiered prices come in no order.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from breakeven.pricing.prices.price import Tier

CURRENCY = "USD"


class Unreadable(Exception):
    """An entry that is not what the Price List describes; says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Rates:
    """An on-demand price in ``unit`` as the list spells it; tiers in order from 0."""

    unit: str
    tiers: tuple[Tier, ...]

    @property
    def free(self) -> bool:
        return all(tier.usd == 0 for tier in self.tiers)


@dataclass(frozen=True, slots=True)
class Entry:
    """A product and its terms. ``attributes`` holds its product family too; ``published`` is a date."""

    service_code: str
    sku: str
    attributes: Mapping[str, str]
    published: str
    terms: Mapping[str, Any]

    def rates(self) -> Rates:
        """:raises Unreadable: the on-demand terms hold no price that can be used"""
        terms = _mapping(self.terms, "OnDemand")
        if len(terms) != 1:
            raise Unreadable(f"{len(terms)} on-demand terms")
        (term,) = terms.values()
        dimensions = [_object(raw, "price") for raw in _mapping(term, "priceDimensions").values()]
        units = {_text(raw, "unit") for raw in dimensions}
        if len(units) != 1:
            raise Unreadable(f"{len(units)} units in one price")
        return Rates(units.pop(), _in_order([_tier(raw) for raw in dimensions]))


def read_entry(text: object) -> Entry:
    """One element of an answer's ``PriceList``.

    :raises Unreadable: it is no such element; its rates are read when they are asked for
    """
    try:
        document = json.loads(text) if isinstance(text, str) else None
    except ValueError as error:
        raise Unreadable("it is no JSON") from error
    document = _object(document, "JSON object")
    product = _mapping(document, "product")
    attributes = {
        name: value for name, value in _mapping(product, "attributes").items() if isinstance(value, str)
    }
    family = product.get("productFamily")
    return Entry(
        service_code=_text(document, "serviceCode"),
        sku=_text(product, "sku"),
        attributes=attributes | ({"productFamily": family} if isinstance(family, str) else {}),
        published=_day(_text(document, "publicationDate")),
        terms=_mapping(document, "terms"),
    )


def _object(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Unreadable(f"it has no {what}")
    return value


def _mapping(holder: object, name: str) -> Mapping[str, Any]:
    return _object(holder.get(name) if isinstance(holder, dict) else None, name)


def _text(holder: Mapping[str, Any], name: str) -> str:
    found = holder.get(name)
    if not isinstance(found, str) or not found:
        raise Unreadable(f"it has no {name}")
    return found


def _day(instant: str) -> str:
    try:
        return date.fromisoformat(instant[:10]).isoformat()
    except ValueError as error:
        raise Unreadable("its publication date is none") from error


def _tier(dimension: Mapping[str, Any]) -> Tier:
    end = _text(dimension, "endRange")
    dollars = _text(_mapping(dimension, "pricePerUnit"), CURRENCY)
    bounds = {"from": _number(_text(dimension, "beginRange")), "to": None if end == "Inf" else _number(end)}
    return Tier.model_validate({**bounds, "usd": _number(dollars)})


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError as error:
        raise Unreadable("a price or range is no number") from error
    if not math.isfinite(number) or number < 0:
        raise Unreadable("a price or range is negative or has no end")
    return number


def _in_order(tiers: list[Tier]) -> tuple[Tier, ...]:
    """Tiers by where they begin.

    :raises Unreadable: they leave a gap, overlap, or do not start at 0
    """
    ordered = sorted(tiers, key=lambda tier: tier.from_)
    starts = [0.0, *(tier.to for tier in ordered[:-1])]
    rising = all(tier.to is None or tier.to > tier.from_ for tier in ordered)
    if not ordered or not rising or [tier.from_ for tier in ordered] != starts:
        raise Unreadable("its ranges do not follow one another from 0")
    return tuple(ordered)
