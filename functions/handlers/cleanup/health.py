"""Each hour: broker nodes that are up; once a day: how long ago a run went well. Alarms watch both."""

from __future__ import annotations

from datetime import datetime

import boto3
from aws_lambda_powertools.metrics import MetricUnit

from breakeven.steps.cleanup.clean_up import standing_nodes
from breakeven.steps.run.finish_run import days_since_good_run
from handlers.common import Document, count, entry, logger, services

#: UTC. A metric is billed for each hour in which it is sent
DAILY_AT_HOUR = 5


class HealthEvent(Document):
    time: datetime


@entry(HealthEvent)
def handler(event: HealthEvent) -> None:
    nodes = standing_nodes(services(), boto3.client("ec2"), boto3.client("mq"))
    if nodes.up:
        count("NodesUp", nodes.up)
    if nodes.overdue:
        logger.error("broker nodes have outlasted their run", instances=nodes.overdue)
        count("NodesOverdue", len(nodes.overdue))
    if event.time.hour == DAILY_AT_HOUR:
        count("DaysSinceGoodRun", days_since_good_run(services()), MetricUnit.NoUnit)
