"""A pool of connections: threads that each make one call at a time on a connection of their own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Generic, Protocol, TypeVar

from breakeven.clients.base import CallFailed, ConnectionLost

#: how long a connection rests after a call that failed, seconds: the first time, and the most it doubles to
REST_S = (0.1, 2.0)


class Link(Protocol):
    def close(self) -> None: ...


L = TypeVar("L", bound=Link)
Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Done(Generic[Job, Result]):
    """A job that has ended: ``result``, or the ``error`` of its call. Instants are monotonic."""

    job: Job
    started_ns: int
    ended_ns: int
    result: Result | None = None
    error: BaseException | None = None

    @property
    def kind(self) -> str | None:
        """What the error counts as; None without one."""
        if self.error is None:
            return None
        return self.error.code if isinstance(self.error, CallFailed) else "connection_lost"

    @property
    def count(self) -> int:
        """How many operations failed with it."""
        return self.error.count if isinstance(self.error, CallFailed) else 1


class ConnectionPool(Generic[L, Job, Result]):
    """``count`` connections; a job goes to whichever is free first. Used by one thread.

    An error is returned with its job and touches no other connection. One that failed rests, longer each
    time, and is opened again when it was lost; a job is never done twice.

    :param connect: opens a connection; raises ConnectionLost
    :param call: does one job on it; raises ConnectionLost, CallFailed
    :raises ConnectionLost: not all connections could be opened
    """

    def __init__(
        self, name: str, count: int, connect: Callable[[], L], call: Callable[[L, Job], Result]
    ) -> None:
        self._connect, self._call, self._count = connect, call, count
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._done: SimpleQueue[Done[Job, Result]] = SimpleQueue()
        self._closed = threading.Event()
        self._failed_in_a_row, self._ever_well = 0, False
        #: jobs given and not taken back
        self.going = 0
        self._links: list[L | None] = [*_opened(connect, count)]
        for number in range(count):
            threading.Thread(
                target=self._work, args=(number,), name=f"{name} connection {number}", daemon=True
            ).start()

    def give(self, job: Job) -> None:
        self.going += 1
        self._jobs.put(job)

    def take(self, timeout_s: float) -> list[Done[Job, Result]]:
        """What has ended since the last time, in that order; waits up to ``timeout_s`` for the first."""
        found: list[Done[Job, Result]] = []
        with suppress(Empty):
            found.append(self._done.get(timeout=max(0.0, timeout_s)))
            while True:
                found.append(self._done.get_nowait())
        self.going -= len(found)
        for each in found:
            self._judge(each)
        return found

    @property
    def is_hopeless(self) -> bool:
        """As many calls in a row as connections have failed, or all there ever were, and none is left."""
        if not self._failed_in_a_row:
            return False
        return self._failed_in_a_row >= self._count or not (self._ever_well or self.going)

    def close(self) -> None:
        """Cut what is under way. Never raises."""
        self._closed.set()
        for _ in range(self._count):
            self._jobs.put(None)
        for link in [*self._links]:
            if link is not None:
                link.close()

    def _judge(self, done: Done[Job, Result]) -> None:
        if done.error is None:
            self._failed_in_a_row, self._ever_well = 0, True
        elif isinstance(done.error, (CallFailed, ConnectionLost)):
            self._failed_in_a_row += 1
        else:
            raise done.error  # a mistake of our own

    def _work(self, number: int) -> None:
        rest_s = REST_S[0]
        while (job := self._jobs.get()) is not None and not self._closed.is_set():
            done = self._attempt(number, job)
            self._done.put(done)
            if done.error is None:
                rest_s = REST_S[0]
            else:
                self._closed.wait(rest_s)
                rest_s = min(rest_s * 2, REST_S[1])
        self._drop(number)

    def _attempt(self, number: int, job: Job) -> Done[Job, Result]:
        started_ns = time.monotonic_ns()
        try:
            link = self._links[number]
            if link is None:
                link = self._links[number] = self._connect()
            result = self._call(link, job)
        except BaseException as error:
            if not isinstance(error, CallFailed):
                self._drop(number)
            return Done(job, started_ns, time.monotonic_ns(), error=error)
        return Done(job, started_ns, time.monotonic_ns(), result)

    def _drop(self, number: int) -> None:
        link, self._links[number] = self._links[number], None
        if link is not None:
            link.close()


def _opened(connect: Callable[[], L], count: int) -> list[L]:
    """All of them, opened side by side, or none."""
    with ThreadPoolExecutor(count) as pool:
        attempts = [pool.submit(connect) for _ in range(count)]
    failures = [error for attempt in attempts if (error := attempt.exception())]
    links = [attempt.result() for attempt in attempts if not attempt.exception()]
    if failures:
        for link in links:
            link.close()
        raise failures[0]
    return links
