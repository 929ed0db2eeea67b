"""The beginning of a case: fresh queues for an attempt of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from breakeven.planning.budget.task_lines import has_tasks
from breakeven.planning.run_deadline import overtime_s
from breakeven.results.items import case_item
from breakeven.steps.run_lease import check_deadline
from breakeven.steps.services import Services
from breakeven.steps.tasks.establish_tasks import check_ready, write_inputs
from breakeven.workload.case import Case

#: statuses of a case that has come to its end in this run; the first stands
OUTCOMES = {"ok", "failed"}


def prepare(services: Services, run_id: str, case_id: str) -> int:
    """Declare fresh queues for a new attempt of the case; returns the attempt's number, from 1.

    :raises CaseError: the run's deadline has passed, or its tasks cannot be started
    """
    check_deadline(services, run_id)
    case, state = services.case(run_id, case_id), services.state(run_id)
    if has_tasks(case):
        check_deadline(services, run_id, overtime_s(case))
        check_ready(services, run_id)
    # of a call before, whose answer got lost
    release_queues(services, case, state.get(case_item(case_id)))
    attempt = state.next_attempt(case_id)
    prepared = services.target_of(case).prepare(case, attempt)
    state.update(
        case_item(case_id),
        case_id=case_id,
        target=case.target,
        status="running",
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        queues=json.dumps(prepared.queues),
        mirrors_before=json.dumps(prepared.mirrors),
        released=False,
    )
    if has_tasks(case):
        write_inputs(services, case, attempt)
    return attempt


def ended_at() -> dict[str, str]:
    """For a case's record, at its end."""
    return {"ended_at": datetime.now(UTC).isoformat(timespec="seconds")}


def release_queues(services: Services, case: Case, item: Mapping[str, Any]) -> None:
    """Delete the queues that the case's record names, once."""
    if "queues" in item and not item.get("released"):
        services.target_of(case).release(tuple(json.loads(item["queues"])))
        services.state(case.run_id).update(case_item(case.case_id), released=True)
