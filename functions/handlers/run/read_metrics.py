"""Read what CloudWatch has of the run's services."""

from __future__ import annotations

import boto3

from breakeven.steps.run.read_metrics import read_metrics
from handlers.common import Event, entry, logger, services


@entry(Event)
def handler(event: Event) -> None:
    known = read_metrics(services(), boto3.client("cloudwatch"), event.run_id)
    logger.info("metrics read", values=known)
