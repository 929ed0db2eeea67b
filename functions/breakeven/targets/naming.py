"""Names of a case's queues: fresh ones for every attempt, alike on every target."""

from __future__ import annotations

import hashlib

from breakeven.workload.case import Case

PREFIX = "be-"


def queue_names(case: Case, attempt: int) -> tuple[str, ...]:
    """``be-<8 hex digits of run and case>-a<attempt>-q<index>``, one for each of the case's queues."""
    digest = hashlib.sha256(f"{case.run_id}/{case.case_id}".encode()).hexdigest()[:8]
    return tuple(f"{PREFIX}{digest}-a{attempt}-q{index}" for index in range(case.workload.queues))
