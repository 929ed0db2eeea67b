"""Owners of the prices that the figures stand on: AWS's lists, and what only third parties have."""

from __future__ import annotations

from collections.abc import Iterable

from breakeven import words
from breakeven.pricing.bill.amazon_mq import form_of
from breakeven.pricing.bill.questions import AMAZON_MQ
from breakeven.pricing.prices.price import Price
from breakeven.report.contract.cost_model import PriceTier
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.contract.report_model import Report

LISTS = "AWS's list prices"
#: as price books call it
AMAZON_MQ_SERVICE = "amazonmq"


def prices_in_short(report: Report, books: str = "") -> str:
    """'AWS's list prices', and whose and of when others are; for captions and titles.

    :param books: names of the price books, where they are to be said
    """
    if _is_history(report):
        return "Prices that the source prints"
    others, lists = _of_others(report), f"{LISTS} {books}".rstrip()
    if not others:
        return lists
    services = words.listing(list(dict.fromkeys(_service(one) for one in others)))
    return f"{lists}, but for {services}'s (third parties', {max(one.as_of for one in others)})"


def prices_in_full(report: Report) -> str:
    """Whose they are, those not of AWS's lists with date and source; how old book and sources are."""
    question = report.headline_question
    if question is None:
        return ""
    if _is_history(report):
        return f"Prices: those that the source prints ({question.price_book})."
    region, _, day = question.price_book.partition("@")
    said = f"Prices: {LISTS} of {region}{but_for(_of_others(report))}."
    dates = [one.as_of for one in report.prices if one.book == question.price_book]
    oldest = f"; each price used stands in a source of {min(dates)} or later" if dates else ""
    return f"{said} The price book was put together on {day}{oldest}." if day else said


def but_for(prices: Iterable[Price | PriceTier]) -> str:
    """', but for' those that are not of AWS's lists, each with its date and source; empty where all are."""
    others = [
        f"{_service(one)}'s {one.item} of {one.as_of} ({one.source})" for one in prices if _is_of_others(one)
    ]
    return f", but for {words.listing(others)}" if others else ""


def _is_of_others(price: Price | PriceTier) -> bool:
    return price.publisher == "third-party"


def _is_history(report: Report) -> bool:
    """Whether the only question is the article's, whose book has its own prices."""
    question = report.headline_question
    return question is not None and question.purpose == "history"


def _of_others(report: Report) -> list[PriceTier]:
    """Those of the headline's options that stand in no list of AWS, each once."""
    question = report.headline_question
    if question is None:
        return []
    found = [one for one in report.prices if _is_asked(question, one) and _is_of_others(one)]
    return list({one.item: one for one in found if _is_compared(question, one)}.values())


def _is_asked(question: CostQuestion, price: PriceTier) -> bool:
    """Whether it is the book's, or derived from one of its prices for an option of the question."""
    return price.book == question.price_book or price.book.startswith(f"{question.question_id}/")


def _is_compared(question: CostQuestion, price: PriceTier) -> bool:
    """Of Amazon MQ's brokers only those of the headline's form: the table of all pairs has others, too."""
    if price.service != AMAZON_MQ_SERVICE:
        return True
    inputs = question.priced_with
    brokers = f"{form_of(inputs.deployment)}.{inputs.amazon_mq}"
    return AMAZON_MQ in question.options and price.item in {brokers, "storage_gb_month"}


def _service(price: Price | PriceTier) -> str:
    return {AMAZON_MQ_SERVICE: "Amazon MQ"}.get(price.service, price.service)
