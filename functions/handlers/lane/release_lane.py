"""Let a lane's brokers go."""

from __future__ import annotations

import boto3

from breakeven.steps.lane.release_lane import release_lane
from handlers.common import LegEvent, entry, logger, services


@entry(LegEvent)
def handler(event: LegEvent) -> None:
    released = release_lane(services(), boto3.client("ec2"), event.run_id, event.leg.target)
    logger.info("released", instances=released)
