"""Values of the options of ``breakeven crossover``, as fields of the question take them."""

from __future__ import annotations

import re
from typing import Any

from breakeven.errors import InputError
from breakeven.pricing.bill.inputs import MAX_MESSAGE_BYTES
from breakeven.workload.ebs_volumes import NO_BOOT, VOLUMES
from breakeven.workload.sizes import parse_size, size_from, size_hint

WHERE = "breakeven crossover"
#: a number with commas where they stand between thousands
THOUSANDS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?")
#: what EBS takes no part of
WHOLE = ("--volume-gb", "--volume-iops")
#: options that take a share and not per cent
SHARES = ("--batch-fill", "--client-zone-share", "--utilisation", "--amazon-mq-inter-node")
NOT_BOOTED = {kind for kind, limits in VOLUMES.items() if not limits.boots}


def value_of(option: str, text: str) -> Any:
    """The field's value, or the text itself for the question to check.

    :raises InputError: it is none that the option takes, as far as that is known here
    """
    if option == "--size":
        try:
            return parse_size(text)
        except ValueError as error:
            remedy = size_hint(text) or f"must be {size_from(1, MAX_MESSAGE_BYTES)}"
            raise InputError(WHERE, option, text, remedy) from error
    if option == "--volume" and text in NOT_BOOTED:
        raise InputError(WHERE, option, text, NO_BOOT)
    text = without_commas(text)
    if (number := number_of(text)) is not None:
        _check_number(option, text, number)
    if option.endswith("-discount"):
        return _discounted(option, text)
    if option == "--amazon-mq" and text == "none":
        return None
    return text


def _check_number(option: str, text: str, number: float) -> None:
    """:raises InputError: nobody writes, or means, such a number"""
    if "_" in text:
        raise InputError(WHERE, option, text, "write the number without underscores")
    if option in WHOLE and not number.is_integer():
        raise InputError(WHERE, option, text, "EBS has whole ones only; give a whole number")
    if option in SHARES and text.endswith("%"):
        raise InputError(WHERE, option, text, f"is a share of 1: write {number / 100:g}")


def without_commas(text: str) -> str:
    """A number without those between its thousands, and any other text as it is."""
    return text.replace(",", "") if THOUSANDS.fullmatch(text) else text


def number_of(text: str) -> float | None:
    """As Python reads it, which takes more than a person means by one: underscores between digits."""
    try:
        return float(without_commas(text.strip("$%")))
    except ValueError:
        return None


def _discounted(option: str, text: str) -> float:
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = -1.0
    if not 0 <= percent < 100:
        raise InputError(WHERE, option, text, "give per cent off, from 0 to below 100")
    return 1 - percent / 100
