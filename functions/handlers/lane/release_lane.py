"""Let a lane's brokers go; says whether to come again."""

from __future__ import annotations

import boto3

from breakeven.steps.lane.release_lane import comes_again, release_lane
from breakeven.steps.managed_brokers import NotYetError
from handlers.common import LegEvent, entry, logger, services


@entry(LegEvent)
def handler(event: LegEvent) -> dict[str, bool]:
    ec2, mq = boto3.client("ec2"), boto3.client("mq")
    try:
        released = release_lane(services(), ec2, mq, event.run_id, event.leg.target)
    except NotYetError as error:
        again = comes_again(services(), event.run_id, event.leg.target)
        logger.warning("waited for" if again else "left to the run's end", why=str(error))
        return {"wait": again}
    logger.info("released", gone=released)
    return {"wait": False}
