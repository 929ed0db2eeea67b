"""Start the scheduled run. EventBridge Scheduler calls it at least once for each time."""

from __future__ import annotations

import os
from typing import Any

import boto3

from breakeven.steps.run.start_scheduled import start_scheduled
from handlers.common import Document, entry, logger


class ScheduledEvent(Document):
    scheduled_time: str
    input: dict[str, Any]


@entry(ScheduledEvent)
def handler(event: ScheduledEvent) -> None:
    client, machine = boto3.client("stepfunctions"), os.environ["BREAKEVEN_STATE_MACHINE"]
    started = start_scheduled(client, machine, event.scheduled_time, event.input)
    logger.info("started" if started else "was started before", scheduled_time=event.scheduled_time)
