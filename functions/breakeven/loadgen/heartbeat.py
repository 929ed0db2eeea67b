"""The loader's pulse: a call each second, on a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable

from breakeven.errors import CaseError
from breakeven.loadgen.workers.signals import Signals

#: beats in a row that may fail (the state table throttles, a store hiccups) before the case is failed
TOLERATED_FAILURES = 5
#: how long ``stop`` waits for a beat that is under way, seconds
STOP_TIMEOUT_S = 2.0


class Heartbeat:
    """:param interval_s: asked before every beat"""

    def __init__(self, beat: Callable[[], None], interval_s: Callable[[], float], signals: Signals) -> None:
        self._beat, self._interval_s, self._signals = beat, interval_s, signals
        self._ended = threading.Event()
        self._failures = 0
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(STOP_TIMEOUT_S)

    def _run(self) -> None:
        while not self._ended.wait(self._interval_s()):
            try:
                self._beat()
                self._failures = 0
            except CaseError as error:
                self._signals.fail(error)
            except Exception as error:
                self._failures += 1
                if self._failures >= TOLERATED_FAILURES:
                    reason = f"the loader cannot share its progress: {type(error).__name__}: {error}"
                    self._signals.fail(CaseError(reason))
