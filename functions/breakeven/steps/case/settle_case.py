"""The end of a case that ran: every message accounted for, its rows written, its queues deleted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from breakeven.errors import CaseError
from breakeven.loadgen.merge import merge
from breakeven.loadgen.reconciliation import outstanding, was_cut_short
from breakeven.results.items import case_item
from breakeven.steps.case.case_faults import write_faults
from breakeven.steps.case.case_results import count_left, loader_results
from breakeven.steps.case.case_rows import mirrors_of, write_case, write_measurement, write_nodes
from breakeven.steps.case.prepare_case import OUTCOMES, ended_at, release_queues
from breakeven.steps.services import Services
from breakeven.workload.case import Case


def settle(services: Services, run_id: str, case_id: str, attempt: int) -> bool:
    """Merge what the loaders measured, account for every message, write the rows, delete the queues.

    Answers whether it was this call that did: a case that is settled stays as it is.

    :raises CaseError: a loader left no result, or a node that was to be down has been up
    """
    case, state = services.case(run_id, case_id), services.state(run_id)
    item = state.get(case_item(case_id))
    if item.get("status") in OUTCOMES:
        release_queues(services, case, item)
        return False
    queues = tuple(json.loads(item["queues"]))
    results = loader_results(services, case, attempt)
    whole = [result for result in results if result.final and result.reason is None]
    if len(whole) < case.loaders:
        raise CaseError(f"{len(whole)} of {case.loaders} loaders left a result")
    target = services.target_of(case)
    mirrors_after = target.mirrors(queues)
    _check_nodes_down(case, mirrors_after)
    left = count_left(target, queues, outstanding(results), patient=was_cut_short(results))
    measurement = merge(results, left)
    write_measurement(services, case, measurement)
    write_nodes(services, case, attempt)
    write_faults(services, case, attempt)
    write_case(services, case, item, measurement, mirrors_after=mirrors_after, reason=None)
    limit = measurement.limit()
    found = limit.model_dump(mode="json") if limit else None
    # before the queues are gone: a second call could not look into them again
    facts: dict[str, Any] = {"loader_limit": found, "call_errors": "call_errors" in measurement.flags}
    facts |= ended_at()
    settled = state.update(case_item(case_id), status="ok", **facts)
    release_queues(services, case, settled)
    return True


def _check_nodes_down(case: Case, mirrors: Mapping[str, int] | None) -> None:
    """A mirror where none can be is on a node that should have been down."""
    most = mirrors_of(case)
    if case.workload.nodes_down and any(count > most for count in (mirrors or {}).values()):
        raise CaseError(f"{case.target}: a node that was to be down for the whole case has a mirror")
