"""A refresh that is refused, cut short or answered with rubbish keeps the old prices, and says so."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from datetime import date
from itertools import count
from typing import Any

import boto3
import pytest
from botocore.config import Config

from breakeven.pricing.prices.book_files import load_book
from breakeven.pricing.prices.refresh import Refreshed, refresh
from breakeven.steps.run.account_capacity import QUICK
from tests.support.money.price_list import ALL, Entry, PriceList, Reply, entries, refused

TODAY = date(2026, 11, 20)
BOOK = load_book("us-east-1")
#: of a refresh with one instance type: requests, instance, volumes, NAT, VPC, MQ, and two of traffic
QUESTIONS = 8


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")


def refreshed(listed: PriceList, **options: Any) -> Refreshed:
    return refresh(BOOK, listed.client(), TODAY, instance_types=["t3.micro"], **options)


def answered(body: object) -> Callable[[dict[str, Any], int], Reply]:
    text = body if isinstance(body, str) else json.dumps(body)
    return lambda question, number: (200, text)


def of(service_code: str, reply: Callable[[dict[str, Any], int], Reply | None]) -> Callable[..., Any]:
    """The reply, to questions about that service only."""
    return lambda question, number: (
        reply(question, number) if question["ServiceCode"] == service_code else None
    )


def reason(made: Refreshed, item: str) -> str:
    """Why an item was not refreshed, with the age of the figure that is used."""
    (note,) = [n for n in made.notes if n.startswith("not refreshed: ") and f"{item} (" in n]
    age = note.split(f"{item} (")[1].split(")")[0]
    return f"{age}: {note.rpartition('): ')[2]}"


@pytest.mark.parametrize(
    ("code", "status"),
    [("AccessDeniedException", 400), ("UnrecognizedClientException", 400), ("ExpiredTokenException", 403)],
)
def test_a_refusal_that_holds_for_all_ends_the_asking(code: str, status: int) -> None:
    listed = PriceList(entries(*ALL), reply=refused(code, status))
    made = refreshed(listed)
    assert made.book is BOOK
    assert len(listed.asked) == 1
    assert made.notes[0].startswith("0 of 39 prices of us-east-1 that were asked for came from")
    assert reason(made, "ec2/t3.micro") == f"123 days old: AWS refused the question ({code})"
    assert reason(made, "ebs/gp3_iops_month") == f"855 days old: AWS refused the question ({code})"
    assert not any("123456789012" in note for note in made.notes)


@pytest.mark.parametrize("code", ["ThrottlingException", "InternalErrorException", "NotFoundException"])
def test_a_refusal_of_one_question_leaves_the_others(code: str) -> None:
    made = refreshed(PriceList(entries(*ALL), reply=of("AWSQueueService", refused(code))))
    assert reason(made, "sqs/fair_surcharge") == f"43 days old: AWS refused the question ({code})"
    assert made.book.price("sqs", "fifo_request") == BOOK.price("sqs", "fifo_request")
    assert made.book.price("ec2", "t3.micro").source.startswith("AWS Price List Query API")


def test_a_throttled_question_is_put_again_once() -> None:
    def once(question: dict[str, Any], number: int) -> Reply | None:
        return refused("ThrottlingException")(question, number) if number == 1 else None

    listed = PriceList(entries(*ALL), reply=once)
    made = refreshed(listed)
    assert made.book.price("sqs", "standard_request").as_of == "2026-10-28"
    assert len(listed.asked) == QUESTIONS + 1
    listed = PriceList(entries(*ALL), reply=of("AWSQueueService", refused("ThrottlingException")))
    refreshed(listed)
    assert len(listed.filters("AWSQueueService")) == 2


def test_nobody_at_the_address() -> None:
    nowhere = "http://127.0.0.1:1"
    client = boto3.client("pricing", region_name="us-east-1", endpoint_url=nowhere, config=QUICK)
    made = refresh(BOOK, client, TODAY, instance_types=["t3.micro"])
    assert made.book is BOOK
    why = "the Price List API could not be reached (EndpointConnectionError)"
    assert reason(made, "network/nat_gb") == f"52 days old: {why}"


def test_an_address_that_never_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        impatient = QUICK.merge(Config(read_timeout=0.1))
        client = boto3.client("pricing", region_name="us-east-1", endpoint_url=address, config=impatient)
        made = refresh(BOOK, client, TODAY, instance_types=["t3.micro"])
    why = "the Price List API could not be reached (ReadTimeoutError)"
    assert reason(made, "network/nat_gb") == f"52 days old: {why}"


def test_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    boto3.setup_default_session()
    listed = PriceList(entries(*ALL))
    made = refreshed(listed)
    boto3.setup_default_session()
    assert listed.asked == []
    assert reason(made, "ec2/t3.micro").endswith("could not be reached (NoCredentialsError)")


@pytest.mark.parametrize("body", ["", "<html>", "{}", "[]", '{"PriceList": 3}', '{"PriceList": null}'])
def test_an_answer_that_is_no_price_list(body: str) -> None:
    made = refreshed(PriceList(entries(*ALL), reply=of("AWSQueueService", answered(body))))
    assert made.book.price("sqs", "fifo_request") == BOOK.price("sqs", "fifo_request")
    said = reason(made, "sqs/fifo_request")
    assert said.startswith("43 days old: the answer was no price list")
    assert made.book.price("ec2", "t3.micro") != BOOK.price("ec2", "t3.micro")


@pytest.mark.parametrize("element", ["", "{", "[]", "3", "null", "{}", '{"product": {"sku": "A"}}'])
def test_elements_that_cannot_be_read_are_counted(element: str) -> None:
    page = {"FormatVersion": "aws_v1", "PriceList": [element, element]}
    made = refreshed(PriceList(entries(*ALL), reply=of("AWSQueueService", answered(page))))
    assert reason(made, "sqs/standard_request") == (
        "43 days old: the list has no entry for it; 2 entries could not be read"
    )


def test_a_page_that_never_ends() -> None:
    tokens = count()

    def endless(question: dict[str, Any], number: int) -> Reply:
        return 200, json.dumps({"PriceList": [], "NextToken": str(next(tokens))})

    made = refreshed(PriceList(entries(*ALL), reply=of("AmazonVPC", endless)))
    assert reason(made, "network/endpoint_hour") == "92 days old: the answer has more than 50 pages"


def test_a_page_that_comes_again() -> None:
    again = answered({"PriceList": [], "NextToken": "again"})
    made = refreshed(PriceList(entries(*ALL), reply=of("AmazonVPC", again)))
    assert reason(made, "network/endpoint_hour").endswith("the answer could not be read (PaginationError)")


def test_what_is_not_asked_in_time_is_kept() -> None:
    ticks = iter([0.0, 1.0, 2.0, *[21.0] * 100])
    listed = PriceList(entries(*ALL))
    made = refreshed(listed, budget_s=20.0, clock=lambda: next(ticks))
    assert len(listed.asked) == 1
    assert made.book.price("sqs", "fair_surcharge").as_of == "2026-10-28"
    why = "the 20 s set aside for prices were used up"
    assert reason(made, "ec2/t3.micro") == f"123 days old: {why}"
    assert reason(made, "network/cross_zone_gb") == f"72 days old: {why}"


def _dimension(entry: Entry) -> dict[str, Any]:
    (term,) = entry["terms"]["OnDemand"].values()
    (dimension,) = term["priceDimensions"].values()
    found: dict[str, Any] = dimension
    return found


def _priced(usd: object) -> Callable[[Entry], None]:
    return lambda entry: _dimension(entry).update(pricePerUnit={"USD": usd})


def _ranged(begin: str, end: str) -> Callable[[Entry], None]:
    return lambda entry: _dimension(entry).update(beginRange=begin, endRange=end)


def _another_term(entry: Entry) -> None:
    (term,) = entry["terms"]["OnDemand"].values()
    entry["terms"]["OnDemand"]["OTHER"] = term


def _another_unit(entry: Entry) -> None:
    (term,) = entry["terms"]["OnDemand"].values()
    term["priceDimensions"]["OTHER"] = {**_dimension(entry), "unit": "Quantity"}


@pytest.mark.parametrize(
    ("break_it", "says"),
    [
        (_priced("free"), "a price or range is no number"),
        (_priced("-0.01"), "a price or range is negative"),
        (_priced("NaN"), "a price or range is negative or has no end"),
        (_priced("1e999"), "a price or range is negative or has no end"),
        (_priced(0.0104), "it has no USD"),
        (lambda entry: _dimension(entry).update(pricePerUnit={"CNY": "0.07"}), "it has no USD"),
        (_ranged("5", "Inf"), "do not follow one another from 0"),
        (_ranged("0", "0"), "do not follow one another from 0"),
        (_ranged("0", "many"), "is no number"),
        (lambda entry: _dimension(entry).pop("unit"), "it has no unit"),
        (_another_unit, "2 units in one price"),
        (_another_term, "2 on-demand terms"),
        (lambda entry: entry["terms"].update(OnDemand={}), "0 on-demand terms"),
        (lambda entry: entry["terms"].pop("OnDemand"), "it has no OnDemand"),
        (lambda entry: entry["terms"]["OnDemand"].update({"CRAJUW7BTXFMT2UJ.JRTCKXETXF": 3}), "no priceDim"),
        (_priced("0.0000000000"), "the list has only $0 for it"),
        (
            lambda entry: _dimension(entry).update(unit="Parsec"),
            "unit is 'Parsec', which is not known for it",
        ),
        (lambda entry: entry.update(publicationDate=""), "no entry for it; 1 entries could not be read"),
        (lambda entry: entry.update(publicationDate="soon"), "no entry for it; 1 entries could not be read"),
        (lambda entry: entry["product"].pop("sku"), "no entry for it; 1 entries could not be read"),
    ],
)
def test_a_damaged_entry_leaves_the_old_price(break_it: Callable[[Entry], object], says: str) -> None:
    (entry, *_) = entries("ec2")
    break_it(entry)
    made = refreshed(PriceList([entry, *entries("sqs", "ebs")]))
    assert made.book.price("ec2", "t3.micro") == BOOK.price("ec2", "t3.micro")
    said = reason(made, "ec2/t3.micro")
    assert said.startswith("123 days old: the list")
    assert says in said
    assert made.book.price("ebs", "gp3_gb_month") != BOOK.price("ebs", "gp3_gb_month")
