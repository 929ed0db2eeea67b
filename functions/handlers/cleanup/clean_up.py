"""An execution has failed, was aborted or timed out: clean up all that its run made. Called by the rule."""

from __future__ import annotations

import boto3
from pydantic import BaseModel, Field

from breakeven.steps.cleanup.clean_up import clean_up
from handlers.cleanup.run_resources import every_resource_type, log_outcome
from handlers.common import entry, logger, services


class Execution(BaseModel):
    """What is needed of the event's detail; AWS writes more there, and may come to write yet more."""

    arn: str = Field(alias="executionArn")
    name: str


class StatusChange(BaseModel):
    """EventBridge's event: source, time and the like are of no interest here."""

    detail: Execution


@entry(StatusChange)
def handler(event: StatusChange) -> None:
    run_id = event.detail.name
    logger.append_keys(run_id=run_id)
    step_functions = boto3.client("stepfunctions")
    outcome = clean_up(services(), every_resource_type(), step_functions, run_id, event.detail.arn)
    log_outcome(outcome, "left by an execution that ended badly")
