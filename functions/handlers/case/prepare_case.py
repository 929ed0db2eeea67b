"""Fresh queues for one attempt of a case."""

from __future__ import annotations

from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.case.prepare_case import prepare
from breakeven.steps.services import services
from breakeven.steps.tasks.task_inputs import task_limit_s
from handlers.common import CaseEvent, entry


@entry(CaseEvent)
def handler(event: CaseEvent, context: LambdaContext) -> dict[str, int]:
    """The attempt, what its first watch begins with, and how long a state waits for a task."""
    attempt = prepare(services(), event.run_id, event.case_id)
    limit_s = task_limit_s(services().case(event.run_id, event.case_id))
    return {"attempt": attempt, "part": 0, "watched_s": 0, "limit_s": limit_s}
