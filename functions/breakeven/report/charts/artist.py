"""Who draws the charts: this process, or one beside it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import cast

from breakeven.report.charts.drawing import Drawing, load

#: a chart's wide and narrow form; of the other process None where it did not draw them
Svgs = tuple[str, str]
#: charts that wait for the other process while this one draws one itself
MOST_WAITING = 3


def drawn(drawing: Drawing) -> Callable[[], Svgs]:
    """Draw it, or have it drawn: what is answered then waits for that."""
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
    """
    # not forked: the engine of the queries has threads
    spawned = get_context("spawn")
    ours, its = spawned.Pipe()
    process = spawned.Process(target=_draw, args=(its,), daemon=True)
    process.start()
    its.close()
    try:
        with closing(ours), _asked(ours):
            try:
                yield
            except BaseException:
                process.kill()  # nobody asks for the rest
                raise
    finally:
        process.join()  # it ends as this end is closed


@contextmanager
def _asked(artist: Connection) -> Iterator[None]:
    """Have :func:`drawn` ask that process, by two threads, which wait for it to listen and to answer."""
    asked: list[Future[Svgs | None]] = []
    with ThreadPoolExecutor(1) as sending, ThreadPoolExecutor(1) as receiving:

        def ask(drawing: Drawing) -> Future[Svgs | None] | None:
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


def _receive(artist: Connection) -> Svgs | None:
    try:
        return cast("Svgs | None", artist.recv())
    except (EOFError, OSError):
        return None


def _draw(asked: Connection) -> None:
    """The process: draws until the other end is closed, or its process gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what answers Ctrl-C there ends it
    load()
    import_module("breakeven.report.contents")  # what draws any chart: else the first would wait for it
    with suppress(EOFError, OSError):
        while True:
            drawing = asked.recv()
            try:
                answer = drawing.svgs()
            except Exception:
                answer = None
            asked.send(answer)


#: asks the process beside this one, where there is one, and it has time
_ASK: ContextVar[Callable[[Drawing], Future[Svgs | None] | None] | None] = ContextVar("ask", default=None)
