"""Record a failed case with its reason, keep what was measured, and delete its queues."""

from __future__ import annotations

from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.case.fail_case import fail
from breakeven.steps.reasons import reason_of
from breakeven.steps.services import services
from handlers.common import CaseEvent, Failed, count, entry, logger


class FailCaseEvent(CaseEvent):
    failed: Failed


@entry(FailCaseEvent)
def handler(event: FailCaseEvent, context: LambdaContext) -> None:
    _, reason = reason_of(event.failed)
    logger.warning("case failed", reason=reason)
    if fail(services(), event.run_id, event.case_id, reason):
        count("CasesFailed")
