"""Let go whatever a run may still hold: brokers by tag, queues by record. Harmless when there is nothing."""

from __future__ import annotations

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.lanes import release_rest
from breakeven.steps.services import services
from handlers.common import Event, entry, logger


@entry(Event)
def handler(event: Event, context: LambdaContext) -> None:
    released = release_rest(services(), boto3.client("ec2"), event.run_id)
    if released:
        logger.warning("brokers that their lane had not let go", instances=released)
