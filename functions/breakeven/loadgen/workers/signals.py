"""Signals between the threads of a loader: to go, to finish and to stop."""

from __future__ import annotations

import threading
import time


class Signals:
    """``finish``: the drain is over, settle what is in hand and close. ``stop``: leave everything now."""

    def __init__(self) -> None:
        self.finish = threading.Event()
        self.stop = threading.Event()
        #: the drain ended with every message accounted for
        self.drained = False
        self._lock = threading.Lock()
        self._failure: BaseException | None = None

    def fail(self, error: BaseException) -> None:
        """Stop everyone; the first error is the one that counts."""
        with self._lock:
            if self._failure is None:
                self._failure = error
        self.stop.set()

    def check(self) -> None:
        """Raise what ended the case, if anything has."""
        if self._failure is not None:
            raise self._failure

    def sleep(self, seconds: float) -> None:
        """Sleep, but wake when everything stops."""
        if seconds > 0:
            self.stop.wait(seconds)

    def sleep_until(self, instant_ns: int) -> None:
        """Sleep until a monotonic instant, but wake when everything stops."""
        self.sleep((instant_ns - time.monotonic_ns()) / 1e9)
