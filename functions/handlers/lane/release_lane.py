"""Let a lane's brokers go."""

from __future__ import annotations

import boto3

from breakeven.steps.lane.release_lane import release_lane
from breakeven.steps.managed_brokers import NotYetError
from handlers.common import LegEvent, entry, logger, services


@entry(LegEvent)
def handler(event: LegEvent) -> None:
    ec2, mq = boto3.client("ec2"), boto3.client("mq")
    try:
        released = release_lane(services(), ec2, mq, event.run_id, event.leg.target)
    except NotYetError as error:
        logger.warning("left to the watchdog", why=str(error))
        return
    logger.info("released", gone=released)
