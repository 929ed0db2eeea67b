"""Take the run's lock. Outside the VPC, as it asks Step Functions and EC2 about the last owner."""

from __future__ import annotations

from typing import Any

import boto3

from breakeven.steps.run.take_lock import take_lock
from handlers.common import Event, entry, services


class LockEvent(Event):
    execution: str


@entry(LockEvent)
def handler(event: LockEvent) -> dict[str, Any]:
    step_functions, ec2 = boto3.client("stepfunctions"), boto3.client("ec2")
    return take_lock(services(), step_functions, ec2, event.run_id, event.execution)
