"""Fresh queues for one attempt of a case."""

from __future__ import annotations

from breakeven.steps.case.prepare_case import prepare
from breakeven.steps.tasks.establish_tasks import task_limit_s
from handlers.common import CaseEvent, entry, services


@entry(CaseEvent)
def handler(event: CaseEvent) -> dict[str, int]:
    """The attempt, what its first watch begins with, and how long a state waits for a task."""
    attempt = prepare(services(), event.run_id, event.case_id)
    limit_s = task_limit_s(services().case(event.run_id, event.case_id))
    return {"attempt": attempt, "part": 0, "watched_s": 0, "limit_s": limit_s}
