"""A loader's own record in the run's state: that it has begun, and how it ended."""

from __future__ import annotations

import secrets

from botocore.exceptions import ClientError

from breakeven.errors import CaseError
from breakeven.results.items import loader_item
from breakeven.steps.services import Services
from breakeven.workload.case import Case


def begun(services: Services, case: Case, attempt: int, loader: int) -> bool:
    """Say that a loader begins, once; False when it has left its result already.

    :raises CaseError: it had begun before, and left none
    """
    state, item = services.state(case.run_id), loader_item(case.case_id, attempt, loader)
    try:
        # of this call alone: one that is made again for its lost answer has begun, another has not
        state.update(item, only_if_absent="begun", begun=secrets.token_hex(8))
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") != "ConditionalCheckFailedException":
            raise
        if state.get(item).get("result"):
            return False
        raise CaseError("this loader was started before: a restarted loader never joins late") from None
    return True


def finished(services: Services, case: Case, attempt: int, loader: int, *, result: bool) -> None:
    """Say that a loader has ended, and whether it has left its result."""
    services.state(case.run_id).update(
        loader_item(case.case_id, attempt, loader), finished=True, result=result
    )
