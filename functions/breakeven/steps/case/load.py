"""A loader of a case, run to its end, and its record in the run's state."""

from __future__ import annotations

import json
import secrets

from breakeven.errors import CaseError
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.loader import run_loader
from breakeven.loadgen.result import LoaderResult
from breakeven.results import layout
from breakeven.results.coordinator import StateCoordinator
from breakeven.results.items import case_item, loader_item
from breakeven.results.state import CONDITION_FAILED, SuppressCodes
from breakeven.steps.services import Services
from breakeven.targets.instrument import InstrumentClient
from breakeven.workload.case import Case


def load(services: Services, run_id: str, case_id: str, attempt: int, loader: int) -> None:
    """Run one loader of the case to its end and store its result; it checkpoints each second.

    Called again, it leaves the first call's loader alone, which may still be at work.

    :raises CaseError: the case cannot go on; what was measured stays in the last checkpoint
    """
    case, state = services.case(run_id, case_id), services.state(run_id)
    if not begun(services, case, attempt, loader):
        return
    left = False
    queues = tuple(json.loads(state.get(case_item(case_id))["queues"]))
    client = services.target_of(case).client(case.workload)

    def key(kind: str) -> str:
        return layout.loader_key(run_id, case_id, attempt, loader, kind)

    def save(result: LoaderResult) -> None:
        services.store.put_json(key("checkpoint"), result.to_json())

    try:
        result = run_loader(
            Assignment(case=case, attempt=attempt, loader=loader, queues=queues),
            client,
            StateCoordinator(state, case_id, attempt, loader, case.loaders),
            save,
        )
        services.store.put_json(key("result"), result.to_json())
        left = True
    finally:
        client.close()
        if isinstance(client, InstrumentClient):
            services.store.put_json(key("instrument"), client.record)
        state.update(loader_item(case_id, attempt, loader), finished=True, result=left)


def begun(services: Services, case: Case, attempt: int, loader: int) -> bool:
    """Say that a loader begins, once; False when it has left its result already.

    :raises CaseError: it had begun before, and left none
    """
    state, item = services.state(case.run_id), loader_item(case.case_id, attempt, loader)
    with SuppressCodes(CONDITION_FAILED):
        # of this call alone: one that is made again for its lost answer has begun, another has not
        state.update(item, only_if_absent="begun", begun=secrets.token_hex(8))
        return True
    if state.get(item).get("result"):
        return False
    raise CaseError("this loader was started before: a restarted loader never joins late")
