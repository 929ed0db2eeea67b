"""The shipped price books, and what a book refuses."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.pricing.book import BOOKS, PriceBook, books, load_book, read_book
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
        assert price.mark in {"V", "V2", "D", "M"}
        assert (price.usd is None) == (price.reason is not None)
        assert price.region == book.region


@pytest.mark.parametrize("name", SHIPPED)
def test_a_book_is_small_and_names_no_machine_and_no_private_reference(name: str) -> None:
    text = (BOOKS / f"{name}.json").read_text(encoding="utf-8")
    assert len(text) < 100_000
    assert not re.search(r"(?<!\w)/(work|root|home|tmp)\b|\(id \d+|\bids? \d{6,}", text)


@pytest.mark.parametrize("name", REGIONS)
def test_what_a_region_must_price(name: str) -> None:
    book = load_book(name)
    for service, item in [
        ("sqs", "standard_request"),
        ("sqs", "fifo_request"),
        ("ebs", "gp3_gb_month"),
        ("ec2", "m7g.large"),
    ]:
        assert book.known(service, item).usd
    for service, item in [
        ("lambda", "request"),
        ("lambda", "gb_second_arm"),
        ("states", "transition"),
        ("s3", "put"),
        ("s3", "get"),
        ("dynamodb", "write"),
        ("dynamodb", "read"),
        ("athena", "tb"),
    ]:
        price = book.price(service, item)
        assert price.usd or price.reason
    assert book.free_sqs_requests == 1_000_000


@pytest.mark.parametrize(
    ("name", "service", "item", "usd", "mark", "as_of"),
    [
        ("us-east-1", "ec2", "m7g.large", 0.0816, "V2", "2026-07-20"),
        ("us-east-1", "ec2", "m9g.xlarge", 0.19568, "V", "2026-07-20"),
        ("eu-west-1", "ec2", "m7g.large", 0.091, "V", "2025-04-04"),
        ("eu-west-1", "ec2", "m5.xlarge", 0.214, "V2", "2025-04-04"),
        ("eu-central-1", "ec2", "m7g.large", 0.0978, "V2", "2025-04-04"),
        ("ap-southeast-1", "ec2", "r3.xlarge", 0.399, "V", "2025-04-04"),
        ("us-east-1", "ebs", "gp3_gb_month", 0.08, "V2", "2026-09-09"),
        ("eu-west-1", "ebs", "gp3_gb_month", 0.088, "V", "2024-07-18"),
        ("eu-central-1", "ebs", "gp3_gb_month", 0.0952, "V2", "2026-09-01"),
        ("ap-southeast-1", "ebs", "gp3_gb_month", 0.096, "V2", "2026-09-09"),
        ("us-east-1", "lambda", "request", 2e-7, "V2", "2026-09-29"),
        ("eu-west-1", "lambda", "gb_second_arm", 1.33334e-5, "V", "2026-10-01"),
        ("us-east-1", "states", "transition", 2.5e-5, "V", "2024-07-01"),
        ("eu-west-1", "s3", "put", 5e-6, "V2", "2026-09-28"),
        ("eu-west-1", "s3", "get", 4e-7, "V2", "2026-09-28"),
        ("us-east-1", "dynamodb", "write", 6.25e-7, "V2", "2026-09-29"),
        ("eu-west-1", "dynamodb", "read", 1.415e-7, "V", "2026-09-11"),
        ("us-east-1", "athena", "tb", 5.0, "V", "2026-11-20"),
        ("eu-central-1", "sqs", "fifo_request", 5e-7, "D", "2026-10-08"),
        ("2012-12", "ec2", "m1.small", 0.08, "V", "2012-12-07"),
        ("2012-12", "sqs", "standard_request", 1e-6, "V2", "2012-12-07"),
    ],
)
def test_spot_figures(name: str, service: str, item: str, usd: float, mark: str, as_of: str) -> None:
    price = load_book(name).price(service, item)
    assert (price.usd, price.mark, price.as_of) == (usd, mark, as_of)


@pytest.mark.parametrize("name", REGIONS)
def test_sqs_tiers(name: str) -> None:
    def tiers(item: str) -> list[tuple[float, float | None, float]]:
        return [(t.from_, t.to, t.usd) for t in load_book(name).price("sqs", item).tiers]

    assert tiers("standard_request") == [(0, 1e11, 4e-7), (1e11, 2e11, 3e-7), (2e11, None, 2.4e-7)]
    assert tiers("fifo_request") == [(0, 1e11, 5e-7), (1e11, 2e11, 4e-7), (2e11, None, 3.5e-7)]


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
    with pytest.raises(
        InputError, match=r"ap-southeast-1@2026-11-20: ec2/m8g\.large: None: not in .*m7g\.large"
    ):
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
        ("mq", "broker", "no such price; there are athena, dynamodb, ebs, ec2, lambda, s3, sqs, states"),
    ],
)
def test_a_missing_price_names_book_item_and_what_there_is(service: str, item: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        load_book("us-east-1").price(service, item)
    assert says in str(caught.value)


def test_a_missing_book_says_which_there_are() -> None:
    with pytest.raises(InputError, match="'mars-1': no such book; there are 2012-12, ap-southeast-1"):
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
    (row,) = [r for r in load_book("ap-southeast-1").rows() if r["item"] == "m8g.large"]
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
    assert caught.value.where == "mine.json"


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
