"""A run's own deadline, asked for before anything is begun, and the end of its lease, some time after."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from breakeven.errors import CaseError
from breakeven.planning.deadline import TAIL_S
from breakeven.results.state import RUN
from breakeven.steps.services import Services


def check_deadline(services: Services, run_id: str) -> None:
    """:raises CaseError: the run's deadline has passed, so that nothing more is begun"""
    deadline = services.state(run_id).get(RUN).get("deadline_at")
    if deadline is not None and time.time() > deadline:
        until = datetime.fromtimestamp(deadline, UTC).isoformat(timespec="seconds")
        raise CaseError(f"the run's deadline, {until}, has passed: nothing more is begun")


def lease_until(services: Services, run_id: str) -> float | None:
    """When the run needs nothing any more, in seconds since the epoch; None where it has no deadline."""
    deadline = services.state(run_id).get(RUN).get("deadline_at")
    return None if deadline is None else float(deadline) + TAIL_S


def longest_s(services: Services, run_id: str) -> int | None:
    """Seconds from the run's start to its lease's end, the same whenever asked; None without a deadline."""
    record, until = services.state(run_id).get(RUN), lease_until(services, run_id)
    if until is None:
        return None
    return round(until - datetime.fromisoformat(record["started_at"]).timestamp())
