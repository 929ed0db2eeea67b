"""Executions of the simulated Step Functions: waited for, and what they went through."""

from __future__ import annotations

import time
from typing import Any

from local.aws.control_plane import ControlPlane

#: each look costs the one server of all services some 10 ms
TICK_S = 1.0


def wait_for(plane: ControlPlane, execution: str) -> dict[str, Any]:
    """Wait until the execution (its ARN) has ended; describes it."""
    while (found := plane.describe(execution))["status"] == "RUNNING":
        time.sleep(TICK_S)
    return found


def history(plane: ControlPlane, execution: str) -> list[dict[str, Any]]:
    """The execution's events, oldest first."""
    answer = plane.client("stepfunctions").get_execution_history(executionArn=execution)
    events: list[dict[str, Any]] = answer["events"]
    return events
