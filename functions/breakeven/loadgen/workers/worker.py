"""A worker: one thread with one connection, which is opened again when it is lost.

Nothing is ever sent again: what was submitted and not answered stays unknown.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from breakeven.clients.base import CallFailed, Client, ConnectionLost
from breakeven.clients.fast_path import FallsBack
from breakeven.errors import CaseError
from breakeven.loadgen.body_sizes import BodySizes
from breakeven.loadgen.ledger.group_order import GroupOrder
from breakeven.loadgen.ledger.ledger import LoaderLedger
from breakeven.loadgen.record.call_errors import without_secrets
from breakeven.loadgen.record.delay_trend import DelayTrend
from breakeven.loadgen.record.recorder import Recorder
from breakeven.loadgen.record.shared_send_times import SharedSendTimes
from breakeven.loadgen.stages import Timeline
from breakeven.loadgen.workers.signals import Signals
from breakeven.workload.case import Case

#: seconds between attempts after a failure: the first, and the most it doubles to
RETRY_S = (0.1, 2.0)
#: how long a worker tries to open its first connection before the case is failed, seconds
OPEN_TIMEOUT_S = 10.0
#: a worker that has had no success for this long when its work ends has failed, seconds
TOLERATED_S = 5.0
#: how long a worker waits for an answer before it looks whether it should stop, seconds
LOOK_EVERY_S = 0.25
#: what a worker has to account for is held back until there are so many messages of it, or for so long
#: (seconds), and then done together: below saturation messages come one by one, and the account of one costs
#: as much as sending it
HELD_MESSAGES, HELD_S = 256, 0.02
#: what the general path drives in the core's place
MIXED = "messages of several sizes"
#: how long a connection is on the fast path at a time, nanoseconds: what it did meanwhile is accounted for
#: then
FAST_PATH_NS = 200_000_000


class Link(Protocol):
    def close(self) -> None: ...


L = TypeVar("L", bound=Link)


@dataclass(slots=True)
class Shared:
    """What the workers of a loader have in common.

    ``send_times``: by producer; None where end to end is not measured. ``outstanding``: has the case, as
    far as is known, messages that were sent and have not been received? ``trend``: of the probe that a
    capacity search is making. ``group_order``: where the target keeps it. ``loaded``: by producer, the first
    sequence that was not loaded before the case's own work began; None where nothing was loaded.
    ``sizes``: of messages that are a mix.
    """

    case: Case
    client: Client
    timeline: Timeline
    ledger: LoaderLedger
    recorder: Recorder
    send_times: SharedSendTimes | None
    signals: Signals
    outstanding: Callable[[], bool]
    trend: DelayTrend | None = None
    group_order: GroupOrder | None = None
    loaded: Callable[[int], int] | None = None
    sizes: BodySizes | None = None

    def close(self) -> None:
        """Give back what other loaders could read."""
        if self.send_times is not None:
            self.send_times.close()


class Worker(ABC, Generic[L]):
    """:param name: in words for error messages, such as ``producer 3``"""

    #: the metric under which a failed call is counted
    metric: str

    def __init__(self, name: str, queue: str, shared: Shared) -> None:
        self.name, self._queue, self._shared = name, queue, shared
        self.opened = threading.Event()
        self.ended = threading.Event()
        self._link: L | None = None
        self._failing_since_ns: int | None = None
        self._retry_s = RETRY_S[0]
        self._reason = ""
        self._succeeded = False
        self._held_count = 0
        self._held_since_ns: int | None = None

    def run(self, await_start: Callable[[], None]) -> None:
        """The thread's whole life: connect, wait for the start, work, close."""
        try:
            self._open()
            self.opened.set()
            await_start()
            if not self._shared.signals.stop.is_set():
                self.work()
        except BaseException as error:
            self._shared.signals.fail(error)
        finally:
            self._drop()
            self.ended.set()

    def work(self) -> None:
        """Work until there is nothing left to do, then close the connection.

        :raises CaseError: it ends without a success for ``TOLERATED_S``
        """
        while self._wanted() and not self._shared.signals.stop.is_set():
            try:
                if self._link is None:
                    self._link = self._connect()
                self._step(self._link)
            except (CallFailed, ConnectionLost) as error:
                self._failed(error)
            else:
                self._well()
        self._drop()
        if not self._shared.signals.stop.is_set():
            self._judge()

    @abstractmethod
    def _connect(self) -> L:
        """A new connection. Raises ConnectionLost."""

    @abstractmethod
    def _wanted(self) -> bool:
        """Is there still something to do?"""

    @abstractmethod
    def _step(self, link: L) -> None:
        """One operation. Raises ConnectionLost, CallFailed."""

    def _note_path(self, link: object) -> None:
        """Say it, where the general path drives what is the core's."""
        if isinstance(link, FallsBack) and link.fallback:
            self._shared.recorder.fell_back(link.fallback)

    def _lost(self) -> None:
        """The connection is gone, and what was in flight on it."""
        return

    def _account(self) -> None:
        """Put what is held back into ledger and recorder."""
        return

    def _hold(self, count: int, now_ns: int) -> None:
        """So many more messages are held back."""
        if self._held_since_ns is None:
            self._held_since_ns = now_ns
        self._held_count += count
        if self._held_count >= HELD_MESSAGES or now_ns - self._held_since_ns >= HELD_S * 1e9:
            self._release()

    def _release_old(self) -> None:
        """Account for what was held back long enough: to be asked now and then while nothing comes."""
        if self._held_since_ns is not None:
            self._hold(0, time.monotonic_ns())

    def _release(self) -> None:
        """Account for all that is held back."""
        if self._held_since_ns is not None:
            self._held_count, self._held_since_ns = 0, None
            self._account()

    def _patience_s(self) -> float:
        """How long to wait for what comes next: what is held back must not get old meanwhile."""
        return LOOK_EVERY_S if self._held_since_ns is None else HELD_S

    def _open(self) -> None:
        until = time.monotonic() + OPEN_TIMEOUT_S
        while not self._shared.signals.stop.is_set():
            try:
                self._link = self._connect()
                break
            except ConnectionLost as error:
                if time.monotonic() > until:
                    raise CaseError(
                        f"{self.name} cannot connect to {self._shared.case.target}: {error}"
                    ) from None
                self._shared.signals.sleep(self._retry_s)

    def _failed(self, error: CallFailed | ConnectionLost) -> None:
        """Count it, let go of a lost connection, and wait before the next attempt."""
        now = time.monotonic_ns()
        kind = error.code if isinstance(error, CallFailed) else "connection_lost"
        count = error.count if isinstance(error, CallFailed) else 1
        self._shared.recorder.error(self.metric, now, kind, count, said=str(error))
        self._reason = without_secrets(str(error))
        if self._failing_since_ns is None:
            self._failing_since_ns = now
        if isinstance(error, ConnectionLost):
            self._drop()
            self._lost()
        self._shared.signals.sleep(self._retry_s)
        self._retry_s = min(self._retry_s * 2, RETRY_S[1])

    def _well(self) -> None:
        if self._failing_since_ns is not None:
            self._failing_since_ns = None
            self._retry_s = RETRY_S[0]
        self._succeeded = True

    def _judge(self) -> None:
        if self._failing_since_ns is None:
            return
        if self._failing_s() >= TOLERATED_S or not self._succeeded:
            raise CaseError(f"{self.name}: {self._reason}; no call went well for {self._failing_s():.1f} s")

    def _failing_s(self) -> float:
        """How long nothing has gone well; 0 while all is well."""
        if self._failing_since_ns is None:
            return 0.0
        return (time.monotonic_ns() - self._failing_since_ns) / 1e9

    def _drop(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None
        self._release()


class Crew:
    """Worker threads that connect, start together and are waited for."""

    def __init__(self, workers: Sequence[Worker[Any]], signals: Signals) -> None:
        self._workers, self._signals = workers, signals
        self._go = threading.Event()
        self._start_ns = 0

    def open(self) -> None:
        """Start the threads, which connect at once and then wait."""
        for worker in self._workers:
            threading.Thread(
                target=worker.run, args=(self._await_start,), name=worker.name, daemon=True
            ).start()

    def is_open(self) -> bool:
        return all(worker.opened.is_set() for worker in self._workers)

    def go(self, start_ns: int) -> None:
        """Let all of them begin at a monotonic instant."""
        self._start_ns = start_ns
        self._go.set()

    def running(self) -> list[str]:
        """The names of those that have not ended."""
        return [worker.name for worker in self._workers if not worker.ended.is_set()]

    def _await_start(self) -> None:
        while not self._go.wait(LOOK_EVERY_S):
            if self._signals.stop.is_set():
                return
        self._signals.sleep_until(self._start_ns)
