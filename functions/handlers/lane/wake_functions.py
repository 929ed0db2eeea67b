"""Have the functions that reach brokers ready to be called, before there are brokers."""

from __future__ import annotations

import os

import boto3

from breakeven.steps.lane.wake_functions import wake
from handlers.common import LegEvent, entry, logger


@entry(LegEvent)
def handler(event: LegEvent) -> None:
    slept = wake(boto3.client("lambda"), os.environ["BREAKEVEN_FUNCTIONS"].split(","))
    if slept:
        logger.info("functions were asleep", functions=slept)
