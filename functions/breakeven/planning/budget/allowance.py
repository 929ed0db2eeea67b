"""Allowance of a deployment for every run: set when it is deployed, in the plan function's environment.

Nothing in an execution's input can raise it. A run on one machine costs nothing and is not held to it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from breakeven.errors import InputError
from breakeven.terms import Frozen

MAX_MSG_PER_S, MAX_SQS_USD, SUITES = "BREAKEVEN_MAX_MSG_PER_S", "BREAKEVEN_MAX_SQS_USD", "BREAKEVEN_SUITES"
#: allows every suite, a whole one in the input too
ANY = "*"


class Allowance(Frozen):
    """``suites``: names of shipped suites; null allows any, and whole suites in the input."""

    max_msg_per_s: float = Field(default=20_000.0, gt=0, description="highest rate a case may ask for")
    max_sqs_usd: float = Field(default=20.0, ge=0, description="highest that a run's SQS requests could cost")
    suites: tuple[str, ...] | None = None

    def check_suite(self, suite: str | dict[str, Any]) -> None:
        """:param suite: as the input gives it: a shipped suite's name, or a whole suite
        :raises InputError: it is not one that the deployment allows
        """
        if self.suites is None or (isinstance(suite, str) and suite in self.suites):
            return
        value = suite if isinstance(suite, str) else f"a whole suite, {suite.get('suite')!s:.60}"
        allowed = ", ".join(self.suites)
        remedy = f"this deployment runs {allowed}; name one, or deploy anew (-c breakeven:suites=...)"
        raise InputError("execution input", "suite", value, remedy)

    def environment(self) -> dict[str, str]:
        """Of the function that plans; ``of`` reads it."""
        return {
            MAX_MSG_PER_S: repr(self.max_msg_per_s),
            MAX_SQS_USD: repr(self.max_sqs_usd),
            SUITES: ANY if self.suites is None else ",".join(self.suites),
        }


def allowance_of(environment: Mapping[str, str]) -> Allowance:
    """What the variables say; a variable that is not there means the default.

    :raises InputError: a variable that was set by hand to what is no limit
    """
    given = environment.get(SUITES, ANY)
    default = Allowance()
    return Allowance(
        max_msg_per_s=_number(environment, MAX_MSG_PER_S, default.max_msg_per_s),
        max_sqs_usd=_number(environment, MAX_SQS_USD, default.max_sqs_usd),
        suites=None if given == ANY else tuple(name.strip() for name in given.split(",") if name.strip()),
    )


def _number(environment: Mapping[str, str], name: str, default: float) -> float:
    text = environment.get(name, repr(default))
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise InputError(
            "environment of the plan function", name, text, "deploy with a number that is not below 0"
        )
    return value
