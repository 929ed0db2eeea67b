"""Charts drawn by this process, or by one beside it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import cast

from breakeven.report.charts.drawing import Drawing, load

#: a chart's wide and narrow form
Svgs = tuple[str, str]
#: of the other process: None where it did not draw them
Answer = Svgs | None
#: charts that wait for the other process while this one draws one itself
MOST_WAITING = 3
#: not forked: the engine of the queries has threads
_SPAWNED = get_context("spawn")


def svgs_of(drawing: Drawing) -> Callable[[], Svgs]:
    """Draw it, or have it drawn: what is returned then waits for that."""
    ask = _ASK.get()
    answer = ask(drawing) if ask else None
    if answer is None:
        svgs = drawing.svgs()
        return lambda: svgs
    # whatever is wrong there: drawn here it is drawn, or says what it is
    return cache(lambda: answer.result() or drawing.svgs())


@contextmanager
def drawing_beside() -> Iterator[None]:
    """Have charts of this block drawn by a process beside this one, and some here while others wait for it.

    It takes a second of a processor until it is ready to draw, which is more than most reports save by it.
    Where no process can be started, all are drawn here.
    """
    ours, its = _SPAWNED.Pipe()
    process = _SPAWNED.Process(target=_answer_all, args=(its,), daemon=True)
    with closing(ours), closing(its):
        if os.cpu_count() == 1 or not _is_started(process):
            yield
            return
        its.close()
        try:
            with _handing_over(ours):
                try:
                    yield
                except BaseException:
                    process.kill()  # nobody asks for the rest
                    raise
        finally:
            ours.close()  # which ends it
            process.join()


def _is_started(process: SpawnProcess) -> bool:
    """Start it without Ctrl-C, to which the command has its own answer."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    except OSError:
        return False
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return True


@contextmanager
def _handing_over(artist: Connection) -> Iterator[None]:
    """Have :func:`svgs_of` ask that process, by two threads, which wait for it to listen and to answer."""
    asked: list[Future[Answer]] = []
    with ThreadPoolExecutor(1) as sending, ThreadPoolExecutor(1) as receiving:

        def ask(drawing: Drawing) -> Future[Answer] | None:
            if sum(not answer.done() for answer in asked) >= MOST_WAITING:
                return None
            sending.submit(_send, artist, drawing)
            asked.append(receiving.submit(_receive, artist))
            return asked[-1]

        token = _ASK.set(ask)
        try:
            yield
        finally:
            _ASK.reset(token)


def _send(artist: Connection, drawing: Drawing) -> None:
    try:
        artist.send(drawing)
    except Exception:
        # it is gone, or this cannot be pickled; there is one answer to each question
        with suppress(OSError):
            artist.send(None)


def _receive(artist: Connection) -> Answer:
    try:
        return cast("Answer", artist.recv())
    except (EOFError, OSError):
        return None


def _answer_all(questions: Connection) -> None:
    """The process: draws until the other end is closed, or its process gone."""
    load()
    import_module("breakeven.report.contents")  # what draws any chart: else the first would wait for it
    with suppress(EOFError, OSError):
        while True:
            drawing = questions.recv()
            try:
                answer = drawing and drawing.svgs()
            except Exception:
                answer = None
            questions.send(answer)


#: asks the process beside this one, where there is one, and it has time
_ASK: ContextVar[Callable[[Drawing], Future[Answer] | None] | None] = ContextVar("ask", default=None)
