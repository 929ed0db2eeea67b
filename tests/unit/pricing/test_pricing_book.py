"""The shipped price books, and what a book refuses."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from breakeven.errors import InputError
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.book_files import BOOKS, books, load_book, read_book
from breakeven.report.contract.json_schema import REGENERATE, schema
from breakeven.report.contract.json_schema import path as schema_path
from breakeven.results import schemas

REGIONS = ("us-east-1", "eu-west-1", "eu-central-1", "ap-southeast-1")
SHIPPED = (*REGIONS, "2012-12")


def test_the_books_that_are_shipped() -> None:
    assert set(books()) == set(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_price_has_its_origin(name: str) -> None:
    book = load_book(name)
    assert book.name == name
    assert book.prices
    for price in book.prices:
        assert price.source
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", price.as_of)
        assert price.as_of <= book.as_of
        assert price.mark in {"V", "V2", "D"}
        assert "memory" not in f"{price.source} {price.note}"
        assert (price.usd is None) == (price.reason is not None)
        assert price.region == book.region


@pytest.mark.parametrize("name", SHIPPED)
def test_the_date_of_a_price_is_none_between_those_that_its_source_names(name: str) -> None:
    """The newest of them; or older than all, where they only confirm a source of a month."""
    for price in load_book(name).prices:
        named = re.findall(r"\d{4}-\d{2}-\d{2}", price.source)
        newest = max(named, default=price.as_of)
        whole_price = len(price.tiers) < 2  # else of the tier whose source is the oldest
        where = (name, price.service, price.item)
        assert price.as_of <= newest, where
        assert not whole_price or price.as_of in {newest, min([price.as_of, *named])}, where


@pytest.mark.parametrize("name", SHIPPED)
def test_a_book_is_small_and_names_no_machine_and_no_private_reference(name: str) -> None:
    text = (BOOKS / f"{name}.json").read_text(encoding="utf-8")
    assert len(text) < 150_000
    assert not re.search(r"(?<!\w)/(work|root|home|tmp)\b|\(id \d+|\bids? \d{6,}", text)


def test_the_article_has_no_free_tier_and_says_what_else_was_seen() -> None:
    book = load_book("2012-12")
    assert book.label == "2012-12"
    assert book.free_sqs_requests == 0
    note = book.price("ec2", "m1.small").note
    assert note is not None
    assert "$0.085" in note
    assert "$0.065" in note


def test_an_unknown_price_says_why_and_is_refused_only_when_needed() -> None:
    book = load_book("ap-southeast-1")
    price = book.price("ec2", "m8g.large")
    assert price.usd is None
    assert "2025-04-04" in (price.reason or "")
    assert "m8g.large" not in book.items("ec2")
    with pytest.raises(InputError, match=r"ap-southeast-1@2026-11-20: ec2/m8g\.large: not in .*m7g\.large"):
        book.known("ec2", "m8g.large")
    with pytest.raises(InputError, match="not known"):
        price.cost(1)


@pytest.mark.parametrize(
    ("service", "item", "says"),
    [
        (
            "ec2",
            "m99.huge",
            "us-east-1@2026-11-20: ec2/m99.huge: 'm99.huge': no such price; ec2 has c3.2xlarge",
        ),
        (
            "mq",
            "broker",
            "no such price; there are amazonmq, athena, cloudwatch, codebuild, dynamodb, ebs, ec2, ",
        ),
    ],
)
def test_a_missing_price_names_book_item_and_what_there_is(service: str, item: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        load_book("us-east-1").price(service, item)
    assert says in str(caught.value)


def test_a_missing_book_says_which_there_are() -> None:
    with pytest.raises(InputError, match="'mars-1': no such book; there are ap-southeast-1"):
        load_book("mars-1")


def test_cost_goes_through_the_tiers() -> None:
    price = load_book("us-east-1").price("sqs", "standard_request")
    assert price.cost(0) == 0
    assert price.cost(1e6) == pytest.approx(0.4)
    assert price.cost(1e11) == pytest.approx(40_000)
    assert price.cost(2.5e11) == pytest.approx(40_000 + 30_000 + 12_000)
    assert load_book("us-east-1").price("ec2", "m7g.large").cost(730) == pytest.approx(59.568)
    with pytest.raises(InputError, match="not priced"):
        price.cost(-1)
    with pytest.raises(InputError, match="not priced"):
        load_book("us-east-1").price("sqs", "free_request").cost(1_000_001)


@pytest.mark.parametrize("name", SHIPPED)
def test_rows_are_those_of_the_schema(name: str) -> None:
    book = load_book(name)
    rows = book.rows()
    for row in rows:
        assert list(row) == list(schemas.PRICES.columns)
        assert row["book"] == book.label
    assert len(rows) == sum(max(1, len(price.tiers)) for price in book.prices)
    standard = [(r["tier_from"], r["tier_to"], r["usd"]) for r in rows if r["item"] == "standard_request"]
    assert standard == [(t.from_, t.to, t.usd) for t in book.price("sqs", "standard_request").tiers]


def test_an_unknown_price_is_a_row_with_null_dollars() -> None:
    rows = load_book("ap-southeast-1").rows()
    (row,) = [r for r in rows if (r["service"], r["item"]) == ("ec2", "m8g.large")]
    assert (row["tier_from"], row["tier_to"], row["usd"]) == (0.0, None, None)


GOOD: dict[str, Any] = {
    "name": "x",
    "region": "x",
    "as_of": "2026-11-20",
    "dated": True,
    "prices": [
        {
            "service": "sqs",
            "item": "standard_request",
            "unit": "request",
            "region": "x",
            "tiers": [{"from": 0, "to": 10, "usd": 2}, {"from": 10, "to": None, "usd": 1}],
            "source": "s",
            "as_of": "2026-11-20",
            "mark": "V",
        }
    ],
}


def test_a_flat_price_is_one_tier_and_a_tiered_one_starts_with_the_first() -> None:
    book = deepcopy(GOOD)
    book["prices"].append({**book["prices"][0], "item": "flat", "usd": 3.0})
    del book["prices"][1]["tiers"]
    tiered, flat = PriceBook.model_validate(book).prices
    assert tiered.usd == 2
    assert [(t.from_, t.to, t.usd) for t in flat.tiers] == [(0, None, 3.0)]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"source": ""}, "source"),
        ({"as_of": "yesterday"}, "as_of"),
        ({"as_of": "2026-02-30"}, "as_of"),
        ({"mark": "guess"}, "mark"),
        ({"usd": None, "tiers": []}, "the reason why there is none"),
        ({"reason": "who knows"}, "the reason why there is none"),
        ({"usd": -1, "tiers": []}, "usd"),
        ({"usd": "cheap", "tiers": []}, "usd"),
        ({"usd": 5}, "not that of the first tier"),
        ({"usd": None, "reason": "why"}, "no tiers"),
        ({"tiers": [{"from": 1, "to": None, "usd": 1}]}, "follow one another from 0"),
        (
            {"tiers": [{"from": 0, "to": 5, "usd": 1}, {"from": 6, "to": None, "usd": 1}]},
            "follow one another",
        ),
        (
            {"tiers": [{"from": 0, "to": None, "usd": 1}, {"from": 6, "to": 9, "usd": 1}]},
            "follow one another",
        ),
        ({"tiers": [{"from": 0, "to": 0, "usd": 1}]}, "follow one another"),
        ({"tiers": [{"from": 0, "to": None, "usd": float("nan")}]}, "usd"),
        ({"colour": "red"}, "colour"),
        ({"tiers": "none"}, "tiers"),
        ({"as_of": "2999-01-01"}, "prices.0.as_of: '2999-01-01': is in the future"),
        ({"tiers": [1]}, "tiers"),
    ],
)
def test_a_damaged_book_is_refused_by_field(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    book = deepcopy(GOOD)
    book["prices"][0].update(change)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(book))
    with pytest.raises(InputError) as caught:
        read_book(path)
    assert says in str(caught.value)
    assert caught.value.where == str(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"name": "x"}'])
def test_a_file_that_is_no_book_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"mine\.json"):
        read_book(path)


def test_a_price_given_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({**GOOD, "prices": GOOD["prices"] * 2}))
    with pytest.raises(InputError, match="sqs/standard_request is priced twice"):
        read_book(path)


def test_the_schema_in_docs_is_current() -> None:
    current = schema_path("price-book").read_text(encoding="utf-8")
    assert current == schema("price-book"), f"run {REGENERATE}"


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_book_keeps_the_schema(name: str) -> None:
    document = json.loads((BOOKS / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, json.loads(schema("price-book")))


@pytest.mark.parametrize("change", [{"usd": "cheap"}, {"mark": "guess"}, {"colour": "red"}, {"tiers": [1]}])
def test_the_schema_refuses_what_a_book_cannot_hold(change: dict[str, Any]) -> None:
    book = deepcopy(GOOD)
    jsonschema.validate(book, json.loads(schema("price-book")))
    book["prices"][0].update(change)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(book, json.loads(schema("price-book")))
