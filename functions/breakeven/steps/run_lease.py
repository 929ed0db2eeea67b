"""A run's own deadline, asked for before anything is begun, and the end of its lease, some time after."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from breakeven.errors import CaseError
from breakeven.planning.run_deadline import TAIL_S
from breakeven.results.items import RUN
from breakeven.steps.services import Services


def check_deadline(services: Services, run_id: str, overtime_s: float = 0.0) -> None:
    """:param overtime_s: how much longer what is begun may take than what is usually begun
    :raises CaseError: the run's deadline has passed, or it is over, so that nothing more is begun
    """
    record = services.state(run_id).get(RUN)
    deadline, status = record.get("deadline_at"), record.get("status", "running")
    if status != "running":  # a function that goes on after its execution was stopped
        raise CaseError(f"the run is over ({status}): nothing more is begun")
    if deadline is None:
        return
    left_s = deadline - time.time()
    if 0 < left_s < overtime_s:
        left = f"the run's deadline is in {left_s / 60:.0f} min"
        raise CaseError(f"{left}, and this case may take longer: it is not begun")
    if left_s < 0:
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
