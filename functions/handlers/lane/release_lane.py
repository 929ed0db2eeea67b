"""Let a lane's brokers go."""

from __future__ import annotations

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.lane.release_lane import release_lane
from breakeven.steps.services import services
from handlers.common import LegEvent, entry, logger


@entry(LegEvent)
def handler(event: LegEvent, context: LambdaContext) -> None:
    released = release_lane(services(), boto3.client("ec2"), event.run_id, event.leg.target)
    logger.info("released", instances=released)
