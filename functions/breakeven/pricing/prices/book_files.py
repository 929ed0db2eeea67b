"""Price books as they are found and read: those that are shipped, and files of a user's."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from breakeven.errors import InputError, check_regular, first_fault
from breakeven.pricing.prices.book import PriceBook
from breakeven.workload.json_text import JsonFault, parse_json
from breakeven.workload.problems import did_you_mean, shown

BOOKS = Path(__file__).parent / "books"
DEFAULT_REGION = "us-east-1"
#: what AWS calls its regions
REGION = re.compile(r"[a-z]{2}(?:-[a-z]+)+-\d+")
WHAT = "give a price book in JSON"
#: what pydantic says of a document, or a part of one, that is no object at all
NO_OBJECT = {"model_type", "model_attributes_type", "dict_type"}
LIKE = (
    f"a price book is an object with {', '.join(PriceBook.model_fields)}: begin with a copy of a shipped "
    f"one, {DEFAULT_REGION}.json in functions/breakeven/pricing/prices/books/"
)


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
        hint = did_you_mean(name, regions()) if name.lower() in regions() else ""
        there = f"{hint}there are {', '.join(regions())}"
        raise InputError("price book", "region", name, f"no such book; {there}")
    return read_book(BOOKS / f"{name}.json")


def book_of(region: str) -> PriceBook:
    """The shipped book of a region; of one that has none a book that lacks every price, and says so.

    :raises InputError: it is none of a region's names, such as eu-north-1
    """
    if region in books() or not REGION.fullmatch(region):
        return load_book(region)
    why = f"no price book of {region} is shipped, and the AWS Price List gave none"
    unknown = {"usd": None, "tiers": (), "reason": why, "region": region, "mark": "M", "note": None}
    nowhere = {"source": "none", "publisher": "aws", "as_of": load_book(DEFAULT_REGION).as_of}
    prices = tuple(price.model_copy(update=unknown | nowhere) for price in load_book(DEFAULT_REGION).prices)
    named = {"name": region, "region": region, "notes": (), "prices": prices}
    return load_book(DEFAULT_REGION).model_copy(update=named)


def read_book(path: Path) -> PriceBook:
    """A book from a file.

    :raises InputError: the file is not a price book; the error names the field
    """
    try:
        check_regular(path)
        data = parse_json(path.read_bytes())
    except OSError as error:
        remedy = f"cannot be read: {error.strerror}; {WHAT}"
        raise InputError(str(path), "file", path.name, remedy) from error
    except JsonFault as fault:
        raise fault.of_file(str(path), WHAT) from None
    try:
        book = PriceBook.model_validate(data)
    except ValidationError as error:
        field, first, remedy = first_fault(error, "book")
        is_short = isinstance(first["input"], str | int | float) or first["type"] in NO_OBJECT
        value = shown(first["input"]) if is_short and first["type"] != "missing" else None
        if len(first["loc"]) < 2 and first["type"] in {"missing", *NO_OBJECT}:  # of the book, not of a price
            remedy = f"{remedy}; {LIKE}"
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
