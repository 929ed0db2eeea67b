"""Fresh queues for one attempt of a case."""

from __future__ import annotations

from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.cases import prepare
from breakeven.steps.services import services
from handlers.common import CaseEvent, entry


@entry(CaseEvent)
def handler(event: CaseEvent, context: LambdaContext) -> dict[str, int]:
    return {"attempt": prepare(services(), event.run_id, event.case_id)}
