"""Have Amazon MQ create a lane's broker, a step at a time; says whether to come again."""

from __future__ import annotations

import os

import boto3

from breakeven.errors import CaseError
from breakeven.steps.lane.create_broker import ManagedPlace, create_broker
from handlers.common import LegEvent, entry, logger, services


@entry(LegEvent)
def handler(event: LegEvent) -> dict[str, bool]:
    leg = event.leg
    if leg.machines is None:
        raise CaseError(f"{leg.target}: the plan names no type of broker")
    place = ManagedPlace(os.environ["BREAKEVEN_SUBNETS"].split(","), os.environ["BREAKEVEN_MANAGED_GROUP"])
    waits = create_broker(services(), boto3.client("mq"), place, event.run_id, leg.target, leg.machines)
    logger.info("broker of Amazon MQ", waits=waits)
    return {"wait": waits}
