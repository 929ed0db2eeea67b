"""Gates at which the loaders of a case wait for one another."""

from __future__ import annotations

import time
from collections.abc import Callable

from breakeven.errors import CaseError
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.coordination import CaseProgress, Coordinator

#: seconds between looks at a gate, of tasks too, which wait for minutes
GATE_POLL_S, TASK_GATE_POLL_S = 0.1, 0.5
#: looks at a gate that all loaders together take in a second, where they are many: each reads the state
GATE_POLLS_PER_S = 80
#: a loader that sees a gate this long after it opened does not join any more, seconds
LATE_S = 1.0


class Gates:
    """:param limit_ns: the loader's own limit, monotonic; ``look``: sleeps so long, or until the case ends"""

    def __init__(
        self,
        assignment: Assignment,
        coordinator: Coordinator,
        limit_ns: int,
        latest: Callable[[], CaseProgress | None],
        look: Callable[[float], None],
    ) -> None:
        self._assignment, self._case = assignment, assignment.case
        self._coordinator, self._limit_ns = coordinator, limit_ns
        self._latest, self._look = latest, look

    def passed(self, gate: str) -> float:
        """Say that this loader is ready, wait for the others; returns the shared instant, epoch seconds.

        :raises CaseError: they are not ready in time, or this one has been held up
        """
        self._coordinator.arrive(gate)
        until_ns = self._limit_ns
        if gate == "start":
            until_ns = min(until_ns, time.monotonic_ns() + round(self._case.start_deadline_s * 1e9))
        least_s = TASK_GATE_POLL_S if self._case.loader == "fargate" else GATE_POLL_S
        while (opens_s := self._coordinator.opens_at(gate)) is None:
            if time.monotonic_ns() > until_ns:
                raise CaseError(self._missing(gate))
            self._look(max(least_s, self._case.loaders / GATE_POLLS_PER_S))
        if time.time() > opens_s + LATE_S:
            raise CaseError(
                f"loader {self._assignment.loader} passed barrier '{gate}' too late: it was held up"
            )
        return opens_s

    def _missing(self, gate: str) -> str:
        latest = self._latest()
        heard, loaders = latest.reports if latest else 1, self._case.loaders
        reported = f"{heard} of {loaders} loaders have reported, not all ready"
        return f"barrier '{gate}' did not open in time: {reported}"
