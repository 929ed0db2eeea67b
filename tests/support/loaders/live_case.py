"""A whole loader at work in a thread, beside a test that meddles with its target.

The test follows the case by what it reports each second, and says when a gate that it holds opens: what it
does to the target happens at a known point of the case, however slow the machine is.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager

from breakeven.clients.base import Client
from breakeven.errors import CaseError
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.coordination import CaseProgress, Progress
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.loader import run_loader
from breakeven.loadgen.reconciliation import account
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.workers.worker import RETRY_S
from breakeven.workload.case import Case
from tests.support.workflow.processes import eventually

#: how long anything that a test waits for may take, seconds
PATIENCE_S = 120.0
#: from a gate's opening to its instant, seconds
GATE_DELAY_S = 0.3


class Gates:
    """The coordinator of a case with one loader.

    :param held: gates that stay shut until ``open``
    """

    def __init__(self, held: Collection[str]) -> None:
        self._held = set(held)
        self._opens_s: dict[str, float] = {}
        self.arrived: set[str] = set()
        self.latest: Progress | None = None
        self.aborted: str | None = None

    def arrive(self, gate: str) -> None:
        self.arrived.add(gate)

    def opens_at(self, gate: str) -> float | None:
        return None if gate in self._held else self._opens_s.setdefault(gate, time.time() + GATE_DELAY_S)

    def exchange(self, mine: Progress) -> CaseProgress:
        self.latest = mine
        counts = (mine.producing, mine.sent, mine.expected, mine.received)
        return CaseProgress(1, *counts, self.aborted, mine.unknown)

    def open(self, gate: str, at_s: float | None = None) -> None:
        if at_s is not None:
            self._opens_s[gate] = at_s
        self._held.discard(gate)


class LiveCase:
    """A case under way. ``result`` waits for its end and raises what ended it early."""

    def __init__(
        self, case: Case, gates: Gates, checkpoints: list[LoaderResult], end: Future[LoaderResult]
    ) -> None:
        self.case, self.checkpoints = case, checkpoints
        self._gates, self._end = gates, end

    def open(self, gate: str, at_s: float | None = None) -> None:
        """:param at_s: its instant, epoch seconds; None: soon"""
        self._gates.open(gate, at_s)

    def await_gate(self, gate: str) -> None:
        """Until the loader is ready at the gate."""
        self._await(lambda: gate in self._gates.arrived, f"gate '{gate}'")

    def await_traffic(self, stage: str = "measure") -> None:
        """Until the loader is in that stage and messages have gone the whole way."""

        def going() -> bool:
            latest = self._gates.latest
            return latest is not None and latest.stage == stage and latest.received > 0

        self._await(going, f"traffic in stage '{stage}'")

    def result(self) -> LoaderResult:
        return self._end.result(PATIENCE_S)

    def failure(self) -> BaseException | None:
        """What ended the case early, once it has ended."""
        return self._end.exception(PATIENCE_S)

    def _await(self, condition: Callable[[], bool], what: str) -> None:
        assert eventually(lambda: self._end.done() or condition(), PATIENCE_S), f"{what} in time"
        if not condition():
            self._end.result()
            raise AssertionError(f"the case ended before {what}")


@contextmanager
def live(
    case: Case, queues: tuple[str, ...], client: Client, hold: Collection[str] = ()
) -> Iterator[LiveCase]:
    """A case that is under way while the block lasts; what is left of it at its end is ended and closed."""
    gates, checkpoints = Gates(hold), list[LoaderResult]()
    patient = case.model_copy(update={"limit_s": 2 * PATIENCE_S, "start_deadline_s": PATIENCE_S})
    assignment = Assignment(patient, 1, 0, queues)
    with ThreadPoolExecutor(1) as pool:
        end = pool.submit(run_loader, assignment, client, gates, checkpoints.append)
        try:
            yield LiveCase(case, gates, checkpoints, end)
        finally:
            gates.aborted = "the test is over"
            wait([end])
            client.close()


def assert_failed_whole(running: LiveCase, gone_s: float) -> None:
    """The target vanished in mid-case, and the case ended as it should: it tried again, politely, up to its
    deadline; then it failed with the reason, and the last checkpoint holds all of its ledger.

    :param gone_s: when the target vanished, epoch seconds
    """
    failure = running.failure()
    assert isinstance(failure, CaseError)
    assert "no call went well for" in str(failure)
    last = running.checkpoints[-1]
    assert (last.final, last.reason) == (True, str(failure))
    assert last.stages["measure"] < gone_s < last.stages["drain"] <= time.time(), (
        "in mid-case, and to its end"
    )
    workload = running.case.workload
    threads = 2 * workload.producers + workload.consumers  # a producer's helps with the drain
    longest, doublings = RETRY_S[1], math.ceil(math.log2(RETRY_S[1] / RETRY_S[0]))
    most = threads * (doublings + 1 + (time.time() - gone_s) / longest)
    assert workload.consumers * 2 < last.errors["connection_lost"] < most
    ledger = account([last], QueueCount(0))
    assert ledger.complete
    assert ledger.confirmed > 0
    assert ledger.received > 0
    assert ledger.sent == ledger.confirmed + ledger.returned + ledger.nacked + ledger.unknown
    assert ledger.sent == ledger.received + ledger.missing
