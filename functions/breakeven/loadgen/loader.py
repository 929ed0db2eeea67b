"""One loader process's part of one case: its workers, its gates, its stages."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from breakeven.clients.base import CALL_TIMEOUT_S, Client
from breakeven.errors import CaseError
from breakeven.loadgen.consumer import Consumer
from breakeven.loadgen.coordination import Coordinator, SerialCoordinator
from breakeven.loadgen.diagnosis import Diagnosis, LagMeter, diagnose
from breakeven.loadgen.drain import Drain
from breakeven.loadgen.histogram import Histogram
from breakeven.loadgen.host import CpuMeter, facts
from breakeven.loadgen.ledger import LoaderLedger
from breakeven.loadgen.open_producer import OpenProducer
from breakeven.loadgen.producer import ClosedProducer, Producer
from breakeven.loadgen.recorder import Cells, Recorder
from breakeven.loadgen.reporter import Reporter
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.send_times import MEMORY, SendTimes
from breakeven.loadgen.signals import Signals
from breakeven.loadgen.stages import Stage, Timeline, monotonic_of, parallel_stages
from breakeven.loadgen.worker import Crew, Shared, Worker
from breakeven.report.model import Flag
from breakeven.workload.case import Case

#: seconds between looks at a gate, and at what workers have done
GATE_POLL_S, LOOK_S = 0.1, 0.02
#: a loader that sees a gate this long after it opened does not join any more, seconds
LATE_S = 1.0
#: kept back of the case's limit, to close and to hand in the result; seconds
CLOSING_S = 10.0
#: how long threads may take to stop when a case is given up, seconds
GIVE_UP_S = 5.0


@dataclass(frozen=True, slots=True)
class Assignment:
    """``loader``: this one's number, from 0; ``queues``: what the client knows the case's queues by."""

    case: Case
    attempt: int
    loader: int
    queues: tuple[str, ...]

    def mine(self, workers: int) -> range:
        """The numbers of this loader's workers among all of the case's: every n-th is its own.

        Producers and consumers of one number share a loader and a queue, so that with several queues, too,
        a loader gets messages of its own back: only of these it can tell the latency end to end.
        """
        return range(self.loader, workers, self.case.loaders)

    def queue(self, number: int) -> str:
        """The queue of the worker with that number."""
        return self.queues[number % len(self.queues)]

    def share(self, producer: int) -> int:
        """How many of the messages to load are that producer's."""
        each, rest = divmod(self.case.workload.messages or 0, self.case.workload.producers)
        return each + (producer < rest)


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
    return _Loader(assignment, client, coordinator, save_checkpoint).run()


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
        self._shared = self._make_shared(client)
        self._crews: list[Crew] = []
        self._producers = self._make_producers()
        self._reporter = Reporter(self._shared, self._is_producing, self._coordinator, self._checkpoint)
        self._drain = Drain(case, self._shared.ledger, self._reporter.latest)
        self._usage: dict[str, tuple[float, Histogram]] = {}  # measured stage -> cores used, lags
        self._flags: list[Flag] = []

    def run(self) -> LoaderResult:
        self._reporter.start()
        try:
            if self._workload.mode == "parallel":
                self._parallel()
            else:
                self._load_unload()
            self._signals.finish.set()
            self._join(CALL_TIMEOUT_S + self._workload.wait_s)
            self._signals.check()
        except BaseException as error:
            self._give_up(error)
            raise
        self._reporter.stop()
        return self._result(final=True)

    def _parallel(self) -> None:
        crew = self._open([*self._producers, *self._consumers()])
        parallel_stages(self._timeline, self._workload, self._pass_gate("start"))
        crew.go(self._timeline.stages[0].start_ns)
        drain = self._timeline.stage("drain")
        with self._metered(self._timeline.stage("measure")):
            self._sleep_until(drain.start_ns)
        self._await_producers()
        deadline_ns = drain.start_ns + round(self._workload.drain_s * 1e9)
        self._empty_queues(lambda: time.monotonic_ns() > deadline_ns)

    def _load_unload(self) -> None:
        """The unload has no deadline of its own but an idle one: a slow target may take its time."""
        crew = self._open(self._producers)
        load = self._begin("load", self._pass_gate("start"))
        crew.go(load.start_ns)
        with self._metered(load):
            self._await_producers()
        crew = self._open(self._consumers())
        unload = self._begin("unload", self._pass_gate("unload"))
        crew.go(unload.start_ns)
        with self._metered(unload):
            self._empty_queues(lambda: self._drain.idle_s() > self._workload.drain_s)

    def _make_shared(self, client: Client) -> Shared:
        own = self._assignment.mine(self._workload.producers)
        keep = MEMORY // 8 // max(1, len(own))
        return Shared(
            case=self._case,
            client=client,
            timeline=self._timeline,
            ledger=LoaderLedger(self._case.tag, self._workload.producers, own),
            recorder=Recorder(self._timeline),
            send_times={n: SendTimes(keep) for n in own} if self._workload.mode == "parallel" else None,
            signals=self._signals,
        )

    def _make_producers(self) -> list[Producer]:
        own, loads = self._assignment.mine(self._workload.producers), self._workload.mode == "load-unload"
        queue = self._assignment.queue
        if self._workload.is_open:
            return [OpenProducer(n, queue(n), self._shared) for n in own]
        shares = {n: self._assignment.share(n) if loads else None for n in own}
        return [ClosedProducer(n, queue(n), self._shared, share) for n, share in shares.items()]

    def _consumers(self) -> list[Consumer]:
        own = self._assignment.mine(self._workload.consumers)
        return [Consumer(f"consumer {n}", self._assignment.queue(n), self._shared) for n in own]

    def _open(self, workers: Sequence[Worker[Any]]) -> Crew:
        """Start the workers and wait until all are connected."""
        crew = Crew(workers, self._signals)
        self._crews.append(crew)
        crew.open()
        until_ns = time.monotonic_ns() + round(self._case.start_deadline_s * 1e9)
        while not crew.is_open():
            if time.monotonic_ns() > until_ns:
                raise CaseError(f"not all workers were connected within {self._case.start_deadline_s:g} s")
            self._look()
        return crew

    def _pass_gate(self, gate: str) -> float:
        """Say that this loader is ready, wait for the others; returns the shared instant, epoch seconds."""
        self._coordinator.arrive(gate)
        until_ns = self._limit_ns
        if gate == "start":
            until_ns = min(until_ns, time.monotonic_ns() + round(self._case.start_deadline_s * 1e9))
        while (opens_s := self._coordinator.opens_at(gate)) is None:
            if time.monotonic_ns() > until_ns:
                raise CaseError(self._missing(gate))
            self._look(GATE_POLL_S)
        if time.time() > opens_s + LATE_S:
            raise CaseError(f"loader {self._assignment.loader} passed gate '{gate}' too late: it was held up")
        return opens_s

    def _missing(self, gate: str) -> str:
        latest = self._reporter.latest()
        heard, loaders = latest.reports if latest else 1, self._case.loaders
        return (
            f"gate '{gate}' did not open in time: {heard} of {loaders} loaders have reported, not all ready"
        )

    def _begin(self, stage: str, opens_s: float) -> Stage:
        return self._timeline.begin(stage, monotonic_of(opens_s), opens_s)

    @contextmanager
    def _metered(self, stage: Stage) -> Iterator[None]:
        """Note what the loader is to itself, from the stage's start to the end of the block."""
        self._sleep_until(stage.start_ns)
        meter, lag = CpuMeter(), LagMeter()
        try:
            yield
        finally:
            self._usage[stage.name] = (meter.share(), lag.stop())

    def _diagnosed(self, cells: Cells) -> list[Diagnosis]:
        loops = [producer for producer in self._producers if isinstance(producer, OpenProducer)]
        return [
            diagnose(stage, self._workload, share, lags, cells.get((stage, "pacing")), loops)
            for stage, (share, lags) in self._usage.items()
        ]

    def _is_producing(self) -> bool:
        return not all(producer.done.is_set() for producer in self._producers)

    def _await_producers(self) -> None:
        while self._is_producing():
            if time.monotonic_ns() > self._limit_ns:
                sent = self._shared.ledger.counts().sent
                raise CaseError(
                    f"{sent} messages were sent when the loader's limit of {self._case.limit_s:g} s came"
                )
            self._look()

    def _empty_queues(self, is_overdue: Callable[[], bool]) -> None:
        """Let the workers consume until every message is accounted for."""
        while not self._drain.is_closed():
            if is_overdue() or time.monotonic_ns() > self._limit_ns:
                self._flags.append("drain_deadline")
                return
            self._look()
        self._signals.drained = True

    def _sleep_until(self, instant_ns: int) -> None:
        self._signals.sleep_until(instant_ns)
        self._signals.check()

    def _look(self, seconds: float = LOOK_S) -> None:
        self._signals.sleep(seconds)
        self._signals.check()

    def _running(self) -> list[str]:
        return [name for crew in self._crews for name in crew.running()]

    def _join(self, timeout_s: float) -> None:
        until = time.monotonic() + timeout_s
        while self._running():
            if time.monotonic() > until:
                raise CaseError(f"did not end within {timeout_s:g} s: {', '.join(self._running())}")
            self._look()

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
            cells = self._shared.recorder.cells()
        return LoaderResult(
            run_id=self._case.run_id,
            case_id=self._case.case_id,
            attempt=self._assignment.attempt,
            loader=self._assignment.loader,
            loaders=self._case.loaders,
            mode=self._workload.mode,
            measure_s=self._workload.measure_s,
            final=final,
            ledger=self._shared.ledger.snapshot(),
            cells=cells,
            stages={stage.name: stage.start_s for stage in self._timeline.stages},
            errors=self._shared.recorder.errors(),
            diagnoses=self._diagnosed(cells),
            flags=list(self._flags),
            host=facts(),
            reason=reason,
        )
