"""One loader process's part of one case: its workers, its gates, its stages."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import replace
from typing import Any

from breakeven.clients.base import CALL_TIMEOUT_S, Client
from breakeven.errors import CaseError
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.coordination import GIVE_UP_S, Coordinator, SerialCoordinator
from breakeven.loadgen.drain import Drain, censor
from breakeven.loadgen.gates import Gates
from breakeven.loadgen.ledger.ledger import Ledger
from breakeven.loadgen.record.recorder import Cells
from breakeven.loadgen.reporter import Reporter
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.search.capacity_search import CapacitySearch
from breakeven.loadgen.search.team import Following, Leading, Solo
from breakeven.loadgen.self_check.host import facts
from breakeven.loadgen.self_check.meters import Meters
from breakeven.loadgen.stages import PREFILL, Stage, Timeline, monotonic_of, parallel_stages
from breakeven.loadgen.workers import workforce
from breakeven.loadgen.workers.open_producer import OpenProducer
from breakeven.loadgen.workers.producer import Producer
from breakeven.loadgen.workers.signals import Signals
from breakeven.loadgen.workers.worker import Crew, Worker
from breakeven.terms import Flag
from breakeven.workload.case import CLOSING_S

#: seconds between looks at what workers have done
LOOK_S = 0.02


def run_loader(
    assignment: Assignment,
    client: Client,
    coordinator: Coordinator,
    save_checkpoint: Callable[[LoaderResult], None],
) -> LoaderResult:
    """Run this loader's workers through the case and return what they measured.

    Connections are opened before the gate, so they are not measured. Whatever ends the case early, all
    threads are stopped and a last checkpoint is saved.

    :raises CaseError: the case cannot go on, with the reason
    :raises LoaderAborted: someone else ended it
    """
    loader = _Loader(assignment, client, coordinator, save_checkpoint)
    with closing(loader.shared):
        return loader.run()


class _Loader:
    def __init__(
        self,
        assignment: Assignment,
        client: Client,
        coordinator: Coordinator,
        save_checkpoint: Callable[[LoaderResult], None],
    ) -> None:
        case = assignment.case
        self._assignment, self._case, self._workload = assignment, case, case.workload
        self._limit_ns = time.monotonic_ns() + round(max(case.limit_s - CLOSING_S, case.limit_s / 2) * 1e9)
        self._coordinator, self._save = SerialCoordinator(coordinator), save_checkpoint
        self._signals, self._timeline = Signals(), Timeline(case.workload.mode)
        self.shared = workforce.shared(assignment, client, self._timeline, self._signals, self._outstanding)
        self._crews: list[Crew] = []
        self._fillers = workforce.fillers(assignment, self.shared)
        self._producers = workforce.producers(assignment, self.shared)
        self._reporter = Reporter(
            self.shared, self._is_producing, lambda: self._ended, self._coordinator, self._checkpoint
        )
        self._gates = Gates(assignment, self._coordinator, self._limit_ns, self._reporter.latest, self.look)
        self._drain = Drain(case, self.shared.ledger, self._reporter.latest)
        self._meters = Meters(case.workload, self.shared.recorder)
        self._search: CapacitySearch | Following | None = None
        self._ended = 0  # of a search: up to which order the producers have ended
        self._flags: list[Flag] = []
        self._still_came = False

    def run(self) -> LoaderResult:
        self._reporter.start()
        try:
            {
                "parallel": self._parallel,
                "load-unload": self._load_unload,
                "capacity": self._find_capacity,
            }[self._workload.mode]()
            self._signals.finish.set()
            # when every message is received, consumers still work on what they have in hand
            in_hand_s = max(0.0, min(self._workload.in_hand_s, self.seconds_left()))
            self._join(CALL_TIMEOUT_S + self._workload.wait_s + in_hand_s)
            self._signals.check()
            censor(self.shared)
        except BaseException as error:
            self._give_up(error)
            raise
        self._reporter.stop()
        return self._result(final=True)

    def _parallel(self) -> None:
        gate = "start"
        if self._workload.prefill:
            self._prefill()
            gate = "prefilled"
        crew = self.open([*self._producers, *workforce.consumers(self._assignment, self.shared)])
        parallel_stages(self._timeline, self._workload, self._gates.passed(gate))
        crew.go(self._timeline.work_ns)
        drain = self._timeline.stage("drain")
        loops = [producer for producer in self._producers if isinstance(producer, OpenProducer)]
        with self.metered(self._timeline.stage("measure"), loops, self._workload.measure_s):
            self._sleep_until(drain.start_ns)
        self._await(self._producers)
        deadline_ns = drain.start_ns + round(self._workload.drain_s * 1e9)
        self._empty_queues(lambda: self._drain.is_overdue(deadline_ns))

    def _prefill(self) -> None:
        """Load the queues. A loader that has more workers than are to load may have none that does."""
        crew = self.open(self._fillers)
        stage = self.begin(PREFILL, self._gates.passed("start"))
        crew.go(stage.start_ns)
        self._await(self._fillers)

    def _load_unload(self) -> None:
        """The unload has no deadline of its own but an idle one: a slow target may take its time."""
        crew = self.open(self._producers)
        load = self.begin("load", self._gates.passed("start"))
        crew.go(load.start_ns)
        with self.metered(load, (), 0.0):
            self._await(self._producers)
        crew = self.open(workforce.consumers(self._assignment, self.shared))
        unload = self.begin("unload", self._gates.passed("unload"))
        crew.go(unload.start_ns)
        with self.metered(unload, (), 0.0):
            self._empty_queues(lambda: self._drain.is_idle(self._workload.drain_s))

    def _find_capacity(self) -> None:
        """Consumers stay; each probe brings producers of its own."""
        crew = self.open(workforce.consumers(self._assignment, self.shared))
        crew.go(self.begin("start", self._gates.passed("start")).start_ns)
        self._search = self._make_search()
        end = self._search.run()
        if end.why:
            raise CaseError(end.why)
        if not self.drained(self._workload.drain_s, end.number):
            self._end_drain_early()
        self._signals.drained = True

    def _make_search(self) -> CapacitySearch | Following:
        """The first loader's, or what another one does of it."""
        assignment, own = self._assignment, self._assignment.mine(self._workload.producers)
        if assignment.loader:
            return Following(self, self._coordinator, assignment.queue, own)
        team = Leading(self, self._coordinator) if self._case.loaders > 1 else Solo()
        return CapacitySearch(self, assignment.queue, own, team)

    def _outstanding(self) -> bool:
        """Several loaders know what they last exchanged, up to a second ago."""
        if self._case.loaders == 1:
            counts = self.shared.ledger.counts()
            return counts.expected > counts.received
        latest = self._reporter.latest()
        return latest is not None and latest.expected > latest.received

    def _final_ledger(self) -> Ledger:
        ledger, order = self.shared.ledger.snapshot(), self.shared.group_order
        return replace(ledger, out_of_order=order.out_of_order()) if order else ledger

    def open(self, workers: Sequence[Worker[Any]]) -> Crew:
        """Start the workers and wait until all are connected."""
        crew = Crew(workers, self._signals)
        self._crews.append(crew)
        crew.open()
        until_ns = time.monotonic_ns() + round(self._case.start_deadline_s * 1e9)
        while not crew.is_open():
            if time.monotonic_ns() > until_ns:
                raise CaseError(f"not all workers were connected within {self._case.start_deadline_s:g} s")
            self.look()
        return crew

    def begin(self, stage: str, opens_s: float) -> Stage:
        return self._timeline.begin(stage, monotonic_of(opens_s), opens_s)

    def metered(
        self, stage: Stage, producers: Sequence[OpenProducer], for_s: float
    ) -> AbstractContextManager[None]:
        """Note what the loader is to itself, from the stage's start to the end of the block."""
        return self._meters.over(stage, producers, for_s, self._sleep_until)

    def seconds_left(self) -> float:
        """Until the loader's limit."""
        return (self._limit_ns - time.monotonic_ns()) / 1e9

    def backlog(self) -> int:
        """Messages of all loaders that may be in a queue; of several, as they last exchanged their counts."""
        found = self.shared.ledger.counts() if self._case.loaders == 1 else self._reporter.latest()
        return found.expected - found.received if found else 0

    def drained(self, within_s: float, after: int) -> bool:
        """As a search's ``Host`` has it."""
        self._ended = after
        until_ns = min(self._limit_ns, time.monotonic_ns() + round(within_s * 1e9))
        while not self._drain.is_closed(after):
            if time.monotonic_ns() > until_ns:
                return False
            self.look()
        return True

    def _is_producing(self) -> bool:
        if self._search and not self._search.over:
            return True
        return _are_sending([*self._fillers, *self._producers])

    def _await(self, producers: Sequence[Producer]) -> None:
        """Until these have sent what is theirs to send."""
        while _are_sending(producers):
            if time.monotonic_ns() > self._limit_ns:
                sent = self.shared.ledger.counts().sent
                raise CaseError(
                    f"{sent} messages were sent when the loader's limit of {self._case.limit_s:g} s came"
                )
            self.look()

    def _empty_queues(self, is_overdue: Callable[[], bool]) -> None:
        """Let the workers consume until every message is accounted for."""
        while not self._drain.is_closed():
            if is_overdue() or time.monotonic_ns() > self._limit_ns:
                self._end_drain_early()
                return
            self.look()
        self._signals.drained = True

    def _end_drain_early(self) -> None:
        self._flags.append("drain_deadline")
        self._still_came = self._drain.still_comes()

    def _sleep_until(self, instant_ns: int) -> None:
        self._signals.sleep_until(instant_ns)
        self._signals.check()

    def look(self, seconds: float = LOOK_S) -> None:
        self._signals.sleep(seconds)
        self._signals.check()

    def _running(self) -> list[str]:
        return [name for crew in self._crews for name in crew.running()]

    def _join(self, timeout_s: float) -> None:
        until = time.monotonic() + timeout_s
        while self._running():
            if time.monotonic() > until:
                raise CaseError(f"did not end within {timeout_s:g} s: {', '.join(self._running())}")
            self.look()

    def _give_up(self, error: BaseException) -> None:
        """Stop all threads and save what there is; the error that ended it stays the one raised."""
        self._signals.fail(error)
        self._reporter.stop()
        until = time.monotonic() + GIVE_UP_S
        while self._running() and time.monotonic() < until:
            time.sleep(LOOK_S)
        with suppress(Exception):
            self._save(self._result(final=not self._running(), reason=str(error) or type(error).__name__))

    def _checkpoint(self) -> None:
        """Without cells: copying histograms each second would disturb what is measured."""
        self._save(self._result(final=False, cells={}))

    def _result(self, *, final: bool, reason: str | None = None, cells: Cells | None = None) -> LoaderResult:
        if cells is None:
            cells = self.shared.recorder.cells()
        return LoaderResult(
            run_id=self._case.run_id,
            case_id=self._case.case_id,
            attempt=self._assignment.attempt,
            loader=self._assignment.loader,
            loaders=self._case.loaders,
            mode=self._workload.mode,
            measure_s=self._workload.measure_s,
            final=final,
            ledger=self._final_ledger(),
            cells=cells,
            stages={stage.name: stage.start_s for stage in self._timeline.stages},
            call_errors=self.shared.recorder.errors(),
            diagnoses=self._meters.diagnoses(self._search.telling() if self._search else None, ended=final),
            probes=self._search.probes if self._search else [],
            flags=list(self._flags),
            still_came=self._still_came,
            fallbacks=self.shared.recorder.fallbacks(),
            host=facts(),
            reason=reason,
        )


def _are_sending(producers: Sequence[Producer]) -> bool:
    return not all(producer.done.is_set() for producer in producers)
