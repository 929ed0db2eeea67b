"""The loaders' gates and progress, over the state table. One write and one query an exchange."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

from botocore.exceptions import ClientError

from breakeven.errors import CaseError
from breakeven.loadgen.coordination import CaseProgress, Progress
from breakeven.results.state import RunState, abort_item, loader_item, loaders_prefix

#: seconds between the last arrival and the start, so that everyone has seen it open
GATE_DELAY_S = {"start": 2.0, "unload": 1.0}


class StateCoordinator:
    """Implements ``loadgen.coordination.Coordinator`` for one loader of one attempt."""

    def __init__(self, state: RunState, case_id: str, attempt: int, loader: int, loaders: int) -> None:
        self._state, self._loaders = state, loaders
        self._item = loader_item(case_id, attempt, loader)
        self._prefix = loaders_prefix(case_id, attempt)
        self._abort = abort_item(case_id, attempt)

    def arrive(self, gate: str) -> None:
        field = f"gate_{gate}"
        try:
            self._state.update(self._item, only_if_absent=field, **{field: time.time()})
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") != "ConditionalCheckFailedException":
                raise
            raise CaseError(
                f"this loader was at gate '{gate}' before: a restarted loader never joins late"
            ) from None

    def opens_at(self, gate: str) -> float | None:
        items = self._loader_items()
        self._raise_if_aborted(items)
        arrived = [item[f"gate_{gate}"] for item in items.values() if f"gate_{gate}" in item]
        return max(arrived) + GATE_DELAY_S[gate] if len(arrived) == self._loaders else None

    def exchange(self, progress: Progress) -> CaseProgress:
        self._state.update(self._item, **asdict(progress))
        items = self._loader_items()
        reports = [item for key, item in items.items() if key != self._abort and "sent" in item]
        return CaseProgress(
            reports=len(reports),
            producing=any(report["producing"] for report in reports) or len(reports) < self._loaders,
            sent=sum(report["sent"] for report in reports),
            expected=sum(report["expected"] for report in reports),
            received=sum(report["received"] for report in reports),
            unknown=sum(report["unknown"] for report in reports),
            aborted=items.get(self._abort, {}).get("reason"),
        )

    def _loader_items(self) -> dict[str, dict[str, Any]]:
        return self._state.items(self._prefix)

    def _raise_if_aborted(self, items: dict[str, dict[str, Any]]) -> None:
        reason = items.get(self._abort, {}).get("reason")
        if reason:
            raise CaseError(f"the case was ended while waiting: {reason}")
