"""The end of a case that failed: its reason, what was measured, its queues deleted."""

from __future__ import annotations

import json
import time
from typing import Any

from breakeven.errors import CaseError
from breakeven.loadgen.coordination import GIVE_UP_S
from breakeven.loadgen.merge import Measurement, merge
from breakeven.loadgen.reconciliation import outstanding
from breakeven.results.items import all_loaders_item, case_item, loaders_prefix
from breakeven.steps.case.case_faults import await_answers, write_faults
from breakeven.steps.case.case_results import count_left, loader_results
from breakeven.steps.case.case_rows import write_case, write_measurement, write_nodes
from breakeven.steps.case.prepare_case import OUTCOMES, ended_at, release_queues
from breakeven.steps.reasons import with_loaders_words
from breakeven.steps.services import Services
from breakeven.workload.case import Case

#: how long a failed case waits for its loaders to see that they were ended, and to save what they have
STOP_TIMEOUT_S = 15.0
#: a loader that says nothing for so long is gone: it exchanges each second until it is ended, and then waits
#: for its threads, and saves
QUIET_S = GIVE_UP_S + 5.0
POLL_S = 0.25


def fail(services: Services, run_id: str, case_id: str, reason: str) -> bool:
    """Record the case as failed, keeping what its loaders had measured, and delete its queues.

    Answers whether it was this call that did: a case that is settled stays as it is.
    """
    case, state = services.case(run_id, case_id), services.state(run_id)
    item = state.get(case_item(case_id))
    if item.get("status") in OUTCOMES:
        release_queues(services, case, item)
        return False
    attempt = int(item.get("attempt", 0))
    measurement = None
    if attempt and "queues" in item:
        _stop_loaders(services, case, attempt, reason)
        await_answers(services, case, attempt)
        write_faults(services, case, attempt)
        measurement = _salvage(services, case, attempt, tuple(json.loads(item["queues"])))
    if measurement:
        reason = with_loaders_words(reason, (result.reason for result in measurement.results))
        write_measurement(services, case, measurement)
        write_nodes(services, case, attempt)
    write_case(services, case, item, measurement, mirrors_after=None, reason=reason)
    facts = {"case_id": case_id, "target": case.target, "reason": reason, **ended_at()}
    recorded = state.update(case_item(case_id), status="failed", **facts)
    release_queues(services, case, recorded)
    return True


def fail_unsettled(services: Services, run_id: str, case_ids: list[str], reason: str) -> int:
    """Record every case of a broken leg that has no outcome yet as failed, without touching its target.

    Answers how many.
    """
    state, failed = services.state(run_id), 0
    for case_id in case_ids:
        item = state.get(case_item(case_id))
        if item.get("status") in OUTCOMES:
            continue
        case = services.case(run_id, case_id)
        write_case(services, case, item, None, mirrors_after=None, reason=reason)
        state.update(case_item(case_id), case_id=case_id, target=case.target, status="failed", reason=reason)
        failed += 1
    return failed


def _stop_loaders(services: Services, case: Case, attempt: int, reason: str) -> None:
    state = services.state(case.run_id)
    state.update(all_loaders_item(case.case_id, attempt), reason=reason)
    deadline = time.monotonic() + STOP_TIMEOUT_S
    last: dict[str, Any] = {}
    quiet_since = time.monotonic()
    while time.monotonic() < deadline:
        loaders = state.items(loaders_prefix(case.case_id, attempt))
        loaders.pop(all_loaders_item(case.case_id, attempt), None)
        if all(item.get("finished") for item in loaders.values()):
            return
        if loaders != last:
            last, quiet_since = loaders, time.monotonic()
        if time.monotonic() - quiet_since > QUIET_S:
            return
        time.sleep(POLL_S)


def _salvage(services: Services, case: Case, attempt: int, queues: tuple[str, ...]) -> Measurement | None:
    results = loader_results(services, case, attempt)
    if not results:
        return None
    try:
        count = count_left(services.target_of(case), queues, outstanding(results), patient=False)
    except CaseError:
        count = None  # the target is gone; what was in it counts as missing
    return merge(results, count)
