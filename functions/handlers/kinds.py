"""The kinds of things that are let go, with the clients that reach them."""

from __future__ import annotations

import boto3

from breakeven.steps.leftovers import Kind, kinds
from breakeven.steps.let_go import Outcome
from breakeven.steps.services import services
from breakeven.targets.sqs_standard import CONFIG
from handlers.common import logger


def every_kind() -> tuple[Kind, ...]:
    return kinds(boto3.client("ec2"), boto3.client("sqs", config=CONFIG), services().store)


def told(outcome: Outcome, words: str) -> None:
    """Log what was let go.

    :raises NotLetGoError: something was not
    """
    if outcome.gone:
        logger.warning(words, let_go=outcome.gone)
    outcome.raise_if_incomplete()
