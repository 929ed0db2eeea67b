"""The cost questions and the requests that a message is billed."""

from __future__ import annotations

import pytest

from breakeven.errors import InputError
from breakeven.pricing.book import load_book
from breakeven.pricing.questions import billed_requests, price_rows, questions
from breakeven.results import schemas

KIB = 1024


@pytest.mark.parametrize(
    ("message_bytes", "requests"),
    [
        (1, 3),
        (16, 3),
        (KIB, 3),
        (64 * KIB, 3),
        (64 * KIB + 1, 5),
        (128 * KIB, 5),
        (200 * KIB, 9),
        (1024 * KIB, 33),
    ],
)
def test_billed_requests_of_a_message(message_bytes: int, requests: int) -> None:
    assert billed_requests(message_bytes) == requests


@pytest.mark.parametrize("message_bytes", [0, -1, 1024 * KIB + 1])
def test_a_size_that_sqs_does_not_take(message_bytes: int) -> None:
    with pytest.raises(InputError, match=r"message_bytes: .*SQS takes 1 to 1048576 bytes"):
        billed_requests(message_bytes)


def test_today_and_2012() -> None:
    today, article = questions(load_book("eu-west-1"), instance_type="c7g.large", message_bytes=100 * KIB)
    assert today == {
        "question_id": "eu-west-1.sqs-standard.5-calls.2x-c7g.large",
        "book": "eu-west-1@2026-11-20",
        "sqs_item": "standard_request",
        "calls_per_message": 5.0,
        "free_requests": 1_000_000,
        "instance_type": "c7g.large",
        "nodes": 2,
        "volume_item": "gp3_gb_month",
        "volume_gb": 20.0,
        "hours_per_month": 730.0,
    }
    assert article == {
        "question_id": "2012-12.sqs-standard.3-calls.2x-m1.small",
        "book": "2012-12",
        "sqs_item": "standard_request",
        "calls_per_message": 3.0,
        "free_requests": 0.0,
        "instance_type": "m1.small",
        "nodes": 2,
        "volume_item": None,
        "volume_gb": None,
        "hours_per_month": 730.0,
    }
    for row in (today, article):
        assert list(row) == list(schemas.COST_INPUTS.columns)


def test_price_rows_hold_both_books_and_all_that_is_asked() -> None:
    book = load_book("us-east-1")
    rows = price_rows(book)
    assert {row["book"] for row in rows} == {"us-east-1@2026-11-20", "2012-12"}
    priced = {(row["book"], row["item"]) for row in rows}
    for question in questions(book, instance_type="m7g.large", message_bytes=KIB):
        for item in (question["sqs_item"], question["instance_type"], question["volume_item"]):
            assert item is None or (question["book"], item) in priced


@pytest.mark.parametrize(
    ("region", "instance_type", "says"),
    [
        ("us-east-1", "m99.large", "ec2/m99.large"),
        ("ap-southeast-1", "m8g.large", "ec2/m8g.large: None: not in the price feed"),
    ],
)
def test_only_a_question_that_needs_an_unknown_price_is_refused(
    region: str, instance_type: str, says: str
) -> None:
    with pytest.raises(InputError, match=says):
        questions(load_book(region), instance_type=instance_type, message_bytes=KIB)
    assert len(questions(load_book(region), instance_type="m7g.large", message_bytes=KIB)) == 2
