"""A run's own deadline, asked for before brokers are launched and before each case."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from breakeven.errors import CaseError
from breakeven.results.state import RUN
from breakeven.steps.services import Services


def check_deadline(services: Services, run_id: str) -> None:
    """:raises CaseError: the run's deadline has passed, so that nothing more is begun"""
    deadline = services.state(run_id).get(RUN).get("deadline_at")
    if deadline is not None and time.time() > deadline:
        until = datetime.fromtimestamp(deadline, UTC).isoformat(timespec="seconds")
        raise CaseError(f"the run's deadline, {until}, has passed: nothing more is begun")
