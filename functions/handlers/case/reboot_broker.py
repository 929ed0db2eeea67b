"""Reboot the broker that Amazon MQ runs, as a case orders it. Outside the VPC, as it talks to the service."""

from __future__ import annotations

from functools import partial
from typing import Any

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.case.reboot_broker import reboot_broker
from handlers.common import AttemptEvent, entry, logger, services

#: what is left of the function's time to write an answer in
RESERVE_S = 15.0


def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    seconds_left = context.get_remaining_time_in_millis() / 1000 - RESERVE_S
    return entry(AttemptEvent)(partial(_reboot, seconds_left))(event, context)


def _reboot(seconds_left: float, event: AttemptEvent) -> dict[str, bool]:
    """Whether there is to be a next call."""
    mq, case = boto3.client("mq"), (event.run_id, event.case_id, event.attempt)
    more = reboot_broker(services(), mq, *case, seconds_left)
    logger.info("goes on" if more else "nothing is left to reboot")
    return {"more": more}
