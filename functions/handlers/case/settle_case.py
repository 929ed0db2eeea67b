"""Account for a case that ran, and delete its queues."""

from __future__ import annotations

from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.case.settle_case import settle
from breakeven.steps.services import services
from handlers.common import AttemptEvent, count, entry


@entry(AttemptEvent)
def handler(event: AttemptEvent, context: LambdaContext) -> None:
    if settle(services(), event.run_id, event.case_id, event.attempt):
        count("CasesOk")
