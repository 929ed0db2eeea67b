"""Every 15 minutes: clean up what belongs to no run that goes on, whoever should have done so before."""

from __future__ import annotations

import os

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import ConfigDict

from breakeven.steps.cleanup.watchdog import Watchdog
from breakeven.steps.services import services
from handlers.cleanup.run_resources import every_resource_type, log_outcome
from handlers.common import Document, count, entry


class Tick(Document):
    """The schedule's event says nothing that is needed."""

    model_config = ConfigDict(extra="ignore", frozen=True)


@entry(Tick)
def handler(event: Tick, context: LambdaContext) -> None:
    machine = os.environ["BREAKEVEN_STATE_MACHINE"]
    outcome = Watchdog(services(), every_resource_type(), boto3.client("stepfunctions"), machine).watch()
    if outcome.gone:  # a metric of nothing every 15 minutes would be paid for all the same
        count("LeftBehind", sum(map(len, outcome.gone.values())))
    log_outcome(outcome, "left by a run that is over")
