"""Record a failed case with its reason, keep what was measured, and delete its queues."""

from __future__ import annotations

from breakeven.steps.case.fail_case import fail
from breakeven.steps.reasons import reason_of
from handlers.common import CaseEvent, Failed, count, entry, logger, services


class FailCaseEvent(CaseEvent):
    failed: Failed


@entry(FailCaseEvent)
def handler(event: FailCaseEvent) -> None:
    _, reason = reason_of(event.failed)
    logger.warning("case failed", reason=reason)
    if fail(services(), event.run_id, event.case_id, reason):
        count("CasesFailed")
