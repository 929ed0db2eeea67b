"""The scheduled run: started once for each time that the schedule names, however often it is called."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from breakeven.errors import InputError
from breakeven.results.state import SuppressCodes
from breakeven.steps.aws_clients import StepFunctions


def execution_name(scheduled_time: str) -> str:
    """``scheduled-20261201-060000`` for ``2026-12-01T06:00:00Z``: the same for each delivery of one time.

    It is also the run's id. The time as EventBridge Scheduler writes it has colons, which no name may have.

    :raises InputError: it is no time with a zone
    """
    try:
        at = datetime.fromisoformat(scheduled_time)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        remedy = "must be a time with a zone, such as 2026-12-01T06:00:00Z"
        raise InputError("schedule", "scheduled_time", scheduled_time, remedy)
    return at.astimezone(UTC).strftime("scheduled-%Y%m%d-%H%M%S")


def start_scheduled(
    step_functions: StepFunctions, machine: str, scheduled_time: str, document: dict[str, Any]
) -> bool:
    """Start the run of that time; answers whether this call may have: False when its name was there.

    While the execution runs, Step Functions answers a second call of the same name and input with the first
    one's; once it has ended, with an error, for 90 days.
    """
    with SuppressCodes("ExecutionAlreadyExists"):
        step_functions.start_execution(
            stateMachineArn=machine,
            name=execution_name(scheduled_time),
            input=json.dumps(document, sort_keys=True),
        )
        return True
    return False
