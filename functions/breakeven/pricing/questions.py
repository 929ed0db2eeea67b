"""The questions put to ``queries/crossover.sql``: rows of ``schemas.COST_INPUTS``."""

from __future__ import annotations

from math import ceil
from typing import Any

from breakeven.errors import InputError
from breakeven.pricing.book import PriceBook, load_book

CHUNK_BYTES = 64 * 1024
MAX_MESSAGE_BYTES = 1024 * 1024
HOURS_PER_MONTH = 730.0
PAIR = 2
ARTICLE_BOOK = "2012-12"
ARTICLE_INSTANCE = "m1.small"


def questions(
    book: PriceBook,
    *,
    instance_type: str,
    message_bytes: int,
    volume_gb: float = 20.0,
) -> list[dict[str, Any]]:
    """SQS standard, one message a call, against a RabbitMQ pair: at today's prices, and at those of 2012.

    :param book: today's prices of the chosen region
    :param instance_type: of each of the two nodes; the 2012 question has the article's own
    :param message_bytes: body and attributes of a message
    :param volume_gb: gp3 volume of each node; the article has none
    :raises InputError: a price that is needed is not known, or the size is none that SQS takes
    """
    calls = billed_requests(message_bytes)
    article = load_book(ARTICLE_BOOK)
    return [
        _question(book, calls, instance_type, volume_gb),
        # The article counts calls, whatever their size.
        _question(article, 3, ARTICLE_INSTANCE, None),
    ]


def price_rows(book: PriceBook) -> list[dict[str, Any]]:
    """Rows of ``schemas.PRICES`` of every book that the questions name."""
    return [*book.rows(), *load_book(ARTICLE_BOOK).rows()]


def billed_requests(message_bytes: int) -> int:
    """Requests billed for one message sent, received and deleted, each in a call of its own.

    Each 64 KiB of a call's payload is one request; a delete carries none.

    :raises InputError: SQS takes no message of that size
    """
    if not 1 <= message_bytes <= MAX_MESSAGE_BYTES:
        raise InputError(
            "cost question", "message_bytes", message_bytes, f"SQS takes 1 to {MAX_MESSAGE_BYTES} bytes"
        )
    return 2 * ceil(message_bytes / CHUNK_BYTES) + 1


def _question(book: PriceBook, calls: int, instance_type: str, volume_gb: float | None) -> dict[str, Any]:
    """One row, once every price that it needs is known."""
    book.known("sqs", "standard_request")
    book.known("ec2", instance_type)
    if volume_gb is not None:
        book.known("ebs", "gp3_gb_month")
    return {
        "question_id": f"{book.name}.sqs-standard.{calls}-calls.{PAIR}x-{instance_type}",
        "book": book.label,
        "sqs_item": "standard_request",
        "calls_per_message": float(calls),
        "free_requests": book.free_sqs_requests,
        "instance_type": instance_type,
        "nodes": PAIR,
        "volume_item": None if volume_gb is None else "gp3_gb_month",
        "volume_gb": volume_gb,
        "hours_per_month": HOURS_PER_MONTH,
    }
