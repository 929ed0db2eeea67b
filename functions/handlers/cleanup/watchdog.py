"""Every 15 minutes: clean up what belongs to no run under way, whoever should have done so before."""

from __future__ import annotations

import os

import boto3
from pydantic import BaseModel

from breakeven.steps.cleanup.clean_up import Watchdog
from handlers.cleanup.run_resources import every_resource_type, log_outcome
from handlers.common import count, entry, services


class Tick(BaseModel):
    """The schedule's event says nothing that is needed."""


@entry(Tick)
def handler(event: Tick) -> None:
    machine = os.environ["BREAKEVEN_STATE_MACHINE"]
    outcome = Watchdog(services(), every_resource_type(), boto3.client("stepfunctions"), machine).watch()
    if outcome.gone:  # a metric of nothing every 15 minutes would be paid for all the same
        count("LeftBehind", sum(map(len, outcome.gone.values())))
    log_outcome(outcome, "left by a run that is over")
