"""Questions to the AWS Price List Query API, within a time, and what came of each in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    HTTPClientError,
    NoCredentialsError,
)
from botocore.exceptions import ConnectionError as NoConnection

from breakeven.pricing.prices.catalogue import Query
from breakeven.pricing.prices.price_list import Entry, Unreadable, read_entry

PAGE_SIZE = 100  # the most that the API gives
MOST_PAGES = 50
OUT_OF_REACH = (NoConnection, HTTPClientError, NoCredentialsError, CredentialRetrievalError)
#: refusals that say nothing about the next question; any other one would meet that too
OF_ONE_QUESTION = {
    "InvalidParameterException",
    "InvalidNextTokenException",
    "ExpiredNextTokenException",
    "NotFoundException",
    "InternalErrorException",
    "ThrottlingException",
}
CODE_LENGTH = 60


class Refused(Exception):
    """A question that was not answered, or not put; says why."""


@dataclass(frozen=True, slots=True)
class Answer:
    entries: tuple[Entry, ...] = ()
    unreadable: int = 0


class Asking:
    """Asks one question after another until the time is used up or the service is out of reach."""

    def __init__(self, client: Any, clock: Callable[[], float], budget_s: float) -> None:
        self._client, self._clock, self._budget_s = client, clock, budget_s
        self._deadline = clock() + budget_s
        self._over: str | None = None

    def ask(self, query: Query) -> Answer:
        """:raises Refused: not answered; after some refusals nothing more is asked"""
        if self._over is None:
            try:
                return _read(element for page in self._pages(query) for element in page)
            except (ClientError, BotoCoreError) as error:
                why, over = _words(error)
                self._over = why if over else None
                raise Refused(why) from error
        raise Refused(self._over)

    def _pages(self, query: Query) -> Iterator[list[object]]:
        filters = [{"Type": "TERM_MATCH", "Field": k, "Value": v} for k, v in query.filters.items()]
        pages = iter(
            self._client.get_paginator("get_products").paginate(
                ServiceCode=query.service_code,
                Filters=filters,
                FormatVersion="aws_v1",
                PaginationConfig={"PageSize": PAGE_SIZE},
            )
        )
        for _ in range(MOST_PAGES):
            if self._clock() > self._deadline:
                self._over = f"the {self._budget_s:g} s set aside for prices were used up"
                raise Refused(self._over)
            page = _next(pages)
            if page is None:
                return
            elements = page.get("PriceList")
            if not isinstance(elements, list):
                raise Refused("the answer was no price list")
            yield elements
        raise Refused(f"the answer has more than {MOST_PAGES} pages")


def _next(pages: Iterator[dict[str, Any]]) -> dict[str, Any] | None:
    """The next page; None after the last.

    :raises Refused: its body is JSON of another shape, over which botocore stumbles
    """
    try:
        return next(pages, None)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Refused("the answer was no price list") from error


def _read(elements: Iterator[object]) -> Answer:
    entries, unreadable = [], 0
    for element in elements:
        try:
            entries.append(read_entry(element))
        except Unreadable:
            unreadable += 1
    return Answer(tuple(entries), unreadable)


def _words(error: ClientError | BotoCoreError) -> tuple[str, bool]:
    """What is said of an error, and whether every other question would meet it too.

    The code alone: the service's message names the account and the role.
    """
    if isinstance(error, ClientError):
        code = str(error.response.get("Error", {}).get("Code", "no code"))[:CODE_LENGTH]
        return f"AWS refused the question ({code})", code not in OF_ONE_QUESTION
    name = type(error).__name__
    if isinstance(error, OUT_OF_REACH):
        return f"the Price List API could not be reached ({name})", True
    return f"the answer could not be read ({name})", False
