"""Account for a case that ran, and delete its queues."""

from __future__ import annotations

from breakeven.steps.case.settle_case import settle
from handlers.common import AttemptEvent, count, entry, services


@entry(AttemptEvent)
def handler(event: AttemptEvent) -> None:
    if settle(services(), event.run_id, event.case_id, event.attempt):
        count("CasesOk")
