"""Agreement between the loaders of one case: gates they start at together, and progress they share."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

#: calls in a row to the others that may fail (the state table throttles, a store hiccups) before the case is
#: failed
TOLERATED_FAILURES = 5
#: how long a loader that is ended by others waits for its threads before it saves what it has, seconds
GIVE_UP_S = 5.0


@dataclass(frozen=True, slots=True)
class Progress:
    """One loader's counts so far, exchanged each second. Counts are messages."""

    stage: str
    producing: bool  # its producers have not all ended
    sent: int
    expected: int  # confirmed or unknown: what may still be in a queue or was received
    received: int  # unique within this loader
    produce_per_s: float  # over the last second
    consume_per_s: float
    unknown: int = 0  # of the expected: without an answer, so it may never have been stored
    ended: int = 0  # of a capacity search: up to which order its producers have ended


@dataclass(frozen=True, slots=True)
class CaseProgress:
    """All loaders' counts added up, as last exchanged. ``reports`` says how many loaders they are of,
    ``ended`` the order up to which the producers of all of them have ended.
    """

    reports: int
    producing: bool
    sent: int
    expected: int
    received: int
    aborted: str | None  # why the case was ended by someone else
    unknown: int = 0
    ended: int = 0


class Coordinator(Protocol):
    """Used by one thread at a time."""

    def arrive(self, gate: str) -> None:
        """Say that this loader is ready at the gate.

        Raises CaseError when it had arrived before: a restarted loader never joins late.
        """

    def opens_at(self, gate: str) -> float | None:
        """The gate's instant (epoch seconds), the same for every loader; None while some are missing."""

    def exchange(self, progress: Progress) -> CaseProgress:
        """Publish own progress and read everybody's."""

    def tell(self, **said: str) -> None:
        """Leave words for the others, by topic, in the place of earlier ones of the same."""

    def posted_by(self, loader: int) -> Mapping[str, str]:
        """What a loader has left last, by topic."""

    def posted_by_all(self) -> Mapping[int, Mapping[str, str]]:
        """The same of each loader that has left any."""


class SerialCoordinator:
    """Lets the threads of a loader share one coordinator, one call at a time."""

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator, self._lock = coordinator, threading.Lock()

    def arrive(self, gate: str) -> None:
        with self._lock:
            self._coordinator.arrive(gate)

    def opens_at(self, gate: str) -> float | None:
        with self._lock:
            return self._coordinator.opens_at(gate)

    def exchange(self, progress: Progress) -> CaseProgress:
        with self._lock:
            return self._coordinator.exchange(progress)

    def tell(self, **said: str) -> None:
        with self._lock:
            self._coordinator.tell(**said)

    def posted_by(self, loader: int) -> Mapping[str, str]:
        with self._lock:
            return self._coordinator.posted_by(loader)

    def posted_by_all(self) -> Mapping[int, Mapping[str, str]]:
        with self._lock:
            return self._coordinator.posted_by_all()


class SoleLoader:
    """The coordinator of a loader that has all of a case's workers, and nobody to agree with."""

    #: from its last connection to the start, seconds
    LEAD_S = 0.2

    def arrive(self, gate: str) -> None:
        self._opens_s = time.time() + self.LEAD_S

    def opens_at(self, gate: str) -> float | None:
        return self._opens_s

    def exchange(self, progress: Progress) -> CaseProgress:
        mine = progress
        return CaseProgress(
            1, mine.producing, mine.sent, mine.expected, mine.received, None, mine.unknown, mine.ended
        )

    def tell(self, **said: str) -> None:
        """There is nobody to hear it."""

    def posted_by(self, loader: int) -> Mapping[str, str]:
        return {}

    def posted_by_all(self) -> Mapping[int, Mapping[str, str]]:
        return {}
