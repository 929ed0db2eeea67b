"""The traffic that a question is asked at: a rate, a month's messages, or what SQS bills for it."""

from __future__ import annotations

import argparse
from typing import Any

from breakeven.errors import InputError
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.lines import MAX_MSG_PER_S
from cli.crossover.option_values import WHERE, without_commas
from cli.option_parser import DECIMAL

LEAST_BILL_USD = 0.01
#: of which one says how much traffic there is
TRAFFIC = ("--rate", "--per-month", "--sqs-bill")


def check_one_traffic(arguments: argparse.Namespace) -> None:
    """:raises InputError: the traffic is given in two ways"""
    given = {option: getattr(arguments, option[2:].replace("-", "_")) for option in TRAFFIC}
    first, *others = [option for option, text in given.items() if text is not None] or [""]
    if others:
        raise InputError(WHERE, others[0], given[others[0]], f"give it or {first}, not both")


def rate_of_volume(text: str, inputs: Inputs) -> float:
    """Messages a second, as a monthly mean, of so many a month; the page has the same month.

    :raises InputError: it is no number of messages that can be priced
    """
    messages, most = _number(text), MAX_MSG_PER_S * inputs.seconds_per_month
    if 0 < messages < 1:
        raise InputError(WHERE, "--per-month", text, "give 0 or at least 1 message a month, such as 3000000")
    if not 0 <= messages <= most:
        remedy = f"give messages a month, 0 to {most:,.0f}, such as 3000000"
        raise InputError(WHERE, "--per-month", text, remedy)
    if not messages.is_integer():
        remedy = f"there are whole messages only; give {round(messages)}"
        raise InputError(WHERE, "--per-month", text, remedy)
    return messages / inputs.seconds_per_month


def rate_of_bill(inverse: dict[str, Any], text: str) -> float:
    """The monthly mean rate at which SQS bills that sum.

    :param text: the sum as given, US dollars
    :raises InputError: no rate that can be priced does
    """
    rate: float | None = inverse["msg_per_s"]
    if rate is None:
        most = f"even {MAX_MSG_PER_S:,.0f} messages a second cost less; give a smaller bill"
        raise InputError(WHERE, "--sqs-bill", text, most)
    return rate


def dollars(text: str) -> float:
    """:raises InputError: no US dollars above 0"""
    usd = _number(text.removeprefix("$"))
    if not 0 < usd < float("inf"):
        raise InputError(WHERE, "--sqs-bill", text, "give US dollars a month above 0, such as 4000")
    if usd < LEAST_BILL_USD:
        raise InputError(WHERE, "--sqs-bill", text, "give at least 0.01 US dollars a month, such as 4000")
    return usd


def _number(text: str) -> float:
    """With commas between thousands or without; -1 of what is none."""
    plain = without_commas(text)
    return float(plain) if DECIMAL.fullmatch(plain) else -1.0
