"""Reports of a loader at work: its progress to the others, its ledger to the store."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from breakeven.errors import CaseError, LoaderAborted
from breakeven.loadgen.coordination import TOLERATED_FAILURES, CaseProgress, Coordinator, Progress
from breakeven.loadgen.ledger.ledger import Counts
from breakeven.loadgen.stages import kind_of
from breakeven.loadgen.workers.worker import Shared

#: seconds between two beats. Several loaders find the end of a drain by what they exchange: they do so
#: more often then, when nothing is measured any more.
BEAT_S, DRAIN_BEAT_S = 1.0, 0.25
#: of a drain, by all loaders together where they are many: each writes the state, which takes 1,000 writes a
#: second of a run (DynamoDB's limit of a partition), and lanes drain side by side
DRAIN_BEATS_PER_S = 200
#: kinds of stages in which queues are emptied
DRAINS = ("drain", "recover")
CHECKPOINT_S = 1.0
#: how long ``stop`` waits for a beat that is under way, seconds
STOP_TIMEOUT_S = 2.0


class Reporter:
    """Exchanges progress and has a checkpoint saved, each second, until stopped: on a thread of its own.

    :param is_producing: may this loader's producers still send?
    :param ended: of a capacity search, up to which order its producers have ended
    :param save: saves a checkpoint
    """

    def __init__(
        self,
        shared: Shared,
        is_producing: Callable[[], bool],
        ended: Callable[[], int],
        coordinator: Coordinator,
        save: Callable[[], None],
    ) -> None:
        self._shared, self._is_producing, self._orders_ended = shared, is_producing, ended
        self._coordinator, self._save = coordinator, save
        self._ended, self._failures = threading.Event(), 0
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
        self._latest: CaseProgress | None = None
        self._before = (time.monotonic(), Counts(0, 0, 0, 0))
        self._saved_s = time.monotonic()
        self._saving = threading.Lock()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Returns when no checkpoint is being saved; a beat that is late saves none any more."""
        self._ended.set()
        self._thread.join(STOP_TIMEOUT_S)
        with self._saving:
            pass

    def latest(self) -> CaseProgress | None:
        """All loaders' progress as last exchanged; None before the first time."""
        return self._latest

    def _run(self) -> None:
        while not self._ended.wait(self._interval_s()):
            try:
                self._beat()
                self._failures = 0
            except CaseError as error:
                self._shared.signals.fail(error)
            except Exception as error:
                self._failures += 1
                if self._failures >= TOLERATED_FAILURES:
                    reason = f"the loader cannot share its progress: {type(error).__name__}: {error}"
                    self._shared.signals.fail(CaseError(reason))

    def _beat(self) -> None:
        latest = self._latest = self._coordinator.exchange(self._progress())
        if latest.aborted:
            self._shared.signals.fail(LoaderAborted(latest.aborted))
            return
        if time.monotonic() - self._saved_s < CHECKPOINT_S:
            return
        with self._saving:
            if not self._ended.is_set():  # or it would take the place of the last one
                self._saved_s = time.monotonic()
                self._save()

    def _progress(self) -> Progress:
        # looked up first: once it is False, or the order's, the counts of sent are the last
        producing, ended = self._is_producing(), self._orders_ended()
        counts, now = self._shared.ledger.counts(), time.monotonic()
        then, before = self._before
        self._before = (now, counts)
        elapsed = max(now - then, 1e-3)
        return Progress(
            stage=self._stage(),
            producing=producing,
            sent=counts.sent,
            expected=counts.expected,
            received=counts.received,
            produce_per_s=(counts.sent - before.sent) / elapsed,
            consume_per_s=(counts.received - before.received) / elapsed,
            unknown=counts.unknown,
            ended=ended,
        )

    def _stage(self) -> str:
        stage = self._shared.timeline.at(time.monotonic_ns())
        return stage.name if stage else "starting"

    def _interval_s(self) -> float:
        loaders = self._shared.case.loaders
        if loaders == 1 or kind_of(self._stage()) not in DRAINS:
            return BEAT_S
        return max(DRAIN_BEAT_S, loaders / DRAIN_BEATS_PER_S)
