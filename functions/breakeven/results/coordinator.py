"""The loaders' gates and progress, over the state table. One write and one read an exchange.

Few loaders read the items of all of them. Of many only the first does, and writes down for the others what
it has read: so the reads of a case grow with its loaders, and not with their square.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any

from breakeven.errors import CaseError
from breakeven.loadgen.coordination import CaseProgress, Progress
from breakeven.planning.execution_limits import LOADERS_PER_READ
from breakeven.results.items import all_loaders_item, loader_item, loaders_prefix, searches_prefix
from breakeven.results.state import CONDITION_FAILED, RunState, SuppressCodes

#: seconds between the last arrival and the start, so that everyone has seen it open
GATE_DELAY_S = {"start": 2.0, "unload": 1.0, "prefilled": 1.0}
#: of many loaders: seconds from when the first has seen them all; the others look less often, and after it
MANY_DELAY_S = 4.0
#: what is added up over loaders
SUMMED = ("sent", "expected", "received", "unknown")
#: what the first of many loaders sums up for the others
SUMMARY = tuple(field.name for field in fields(CaseProgress) if field.name != "aborted")


class StateCoordinator:
    """Implements ``loadgen.coordination.Coordinator`` for one loader of one attempt."""

    def __init__(self, state: RunState, case_id: str, attempt: int, loader: int, loaders: int) -> None:
        self._state, self._loaders = state, loaders
        self._item = loader_item(case_id, attempt, loader)
        self._prefix = loaders_prefix(case_id, attempt)
        self._all = all_loaders_item(case_id, attempt)
        self._searches, self._loader = searches_prefix(case_id, attempt), loader
        self._summarizes = loaders > LOADERS_PER_READ and loader == 0
        self._reads_summary = loaders > LOADERS_PER_READ and loader > 0

    def arrive(self, gate: str) -> None:
        field = f"gate_{gate}"
        with SuppressCodes(CONDITION_FAILED):
            self._state.update(self._item, only_if_absent=field, **{field: time.time()})
            return
        raise CaseError(f"this loader was at barrier '{gate}' before: a restarted loader never joins late")

    def opens_at(self, gate: str) -> float | None:
        if self._reads_summary:
            item = self._state.get(self._all)
            _raise_if_aborted(item)
            return item.get(f"opens_{gate}")
        everyone = self._state.items(self._prefix)
        _raise_if_aborted(everyone.pop(self._all, {}))
        arrived = _arrived(gate, everyone)
        if len(arrived) < self._loaders:
            return None
        if not self._summarizes:
            return _last_and_delay(gate, arrived)
        opens = time.time() + MANY_DELAY_S
        opened: dict[str, Any] = {f"opens_{gate}": opens}
        self._state.update(self._all, **opened)
        return opens

    def exchange(self, progress: Progress) -> CaseProgress:
        self._state.update(self._item, **asdict(progress))
        if self._reads_summary:
            return _progress_of(self._state.get(self._all))
        everyone = self._state.items(self._prefix)
        aborted = everyone.pop(self._all, {}).get("reason")
        reports = [item for item in everyone.values() if "sent" in item]
        found = CaseProgress(
            reports=len(reports),
            producing=any(report["producing"] for report in reports) or len(reports) < self._loaders,
            aborted=aborted,
            ended=min((report["ended"] for report in reports), default=0),
            **{name: sum(report[name] for report in reports) for name in SUMMED},
        )
        if self._summarizes:
            self._state.update(self._all, **{name: getattr(found, name) for name in SUMMARY})
        return found

    def tell(self, **said: str) -> None:
        self._state.update(f"{self._searches}{self._loader}", **said)

    def posted_by(self, loader: int) -> Mapping[str, str]:
        return self._state.get(f"{self._searches}{loader}")

    def posted_by_all(self) -> Mapping[int, Mapping[str, str]]:
        found = self._state.items(self._searches)
        return {int(item.removeprefix(self._searches)): said for item, said in found.items()}


def opening(gate: str, items: Mapping[str, Mapping[str, Any]], summary: str, loaders: int) -> float | None:
    """When a gate opens, epoch seconds, for who looks on; None while it is not known.

    :param items: of the attempt's loaders; ``summary`` names that of all of them, which may be among them
    """
    if loaders > LOADERS_PER_READ:
        return items.get(summary, {}).get(f"opens_{gate}")
    arrived = _arrived(gate, {name: item for name, item in items.items() if name != summary})
    return _last_and_delay(gate, arrived) if len(arrived) >= loaders else None


def _arrived(gate: str, items: Mapping[str, Mapping[str, Any]]) -> list[float]:
    return [item[f"gate_{gate}"] for item in items.values() if f"gate_{gate}" in item]


def _last_and_delay(gate: str, arrived: Iterable[float]) -> float:
    return float(max(arrived) + GATE_DELAY_S[gate])


def _progress_of(item: Mapping[str, Any]) -> CaseProgress:
    """What the first loader has written of all; before it has, nothing is known but that they produce."""
    unknown: dict[str, Any] = {**dict.fromkeys(SUMMARY, 0), "producing": True}
    known = {name: item[name] for name in SUMMARY if name in item}
    return CaseProgress(**{**unknown, **known}, aborted=item.get("reason"))


def _raise_if_aborted(item: Mapping[str, Any]) -> None:
    if reason := item.get("reason"):
        raise CaseError(f"the case was ended while waiting: {reason}")
