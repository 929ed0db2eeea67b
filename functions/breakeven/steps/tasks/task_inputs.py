"""What a loader that is a task is given, and how long its state waits for it."""

from __future__ import annotations

from breakeven.errors import CaseError
from breakeven.results import layout
from breakeven.results.items import RUN
from breakeven.steps.services import Services
from breakeven.steps.tasks.establish_tasks import READY
from breakeven.workload.case import Case

#: how much longer a task's state waits than its loader may take: what starts and stops it takes minutes
STATE_GRACE_S = 300


def check_ready(services: Services, run_id: str) -> None:
    """:raises CaseError: what the run's tasks need was never made"""
    if services.state(run_id).get(RUN).get("tasks") != READY:
        raise CaseError("its loaders are tasks, and the run could not make what tasks need")


def write_inputs(services: Services, case: Case, attempt: int) -> None:
    """Leave for each task what a function would get as its event: an override holds no more than a key."""
    for loader in range(case.loaders):
        key = layout.task_input_key(case.run_id, case.case_id, attempt, loader)
        event = {"run_id": case.run_id, "target": case.target, "case_id": case.case_id, "attempt": attempt}
        services.store.put_json(key, {**event, "loader": loader})


def task_limit_s(case: Case) -> int:
    """Seconds after which a task's state does not wait for it any more."""
    return round(case.limit_s + case.start_deadline_s) + STATE_GRACE_S
