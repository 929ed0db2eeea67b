"""Record of a loader: latencies in histograms, completions in one-second windows.

Latency and rate are attributed differently (rules 4 and 5 of docs/rules.md): a latency belongs to the stage
in which its operation was *intended*, whenever it ends; a completion belongs to the stage and second in
which it happened.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from math import inf

import numpy as np

from breakeven.loadgen.case_figures import CallErrors
from breakeven.loadgen.record.call_errors import CallErrorLog
from breakeven.loadgen.record.cell import SECOND_NS, Cell
from breakeven.loadgen.record.histogram import Histogram
from breakeven.loadgen.record.timestamps import (
    Column,
    Int64s,
    Sizes,
    Timestamps,
    column,
    differences,
    greatest,
    least,
    length,
    listed,
    only,
    placed,
    repeated,
    total,
)
from breakeven.loadgen.stages import HELP_AFTER_S, Stage, Timeline

#: fewer messages than this are recorded sooner one by one than as a list (measured)
HANDFUL = 3
#: and fewer than this sooner as a list than by numpy
FEW = 32
#: (stage, metric) -> cell
Cells = dict[tuple[str, str], Cell]


class Recorder:
    """What all workers of a loader record into. Every method may be called from any thread.

    One lock for all is cheaper than a recorder for each worker: it is held for about a microsecond, and
    a loader's threads take turns on the interpreter anyway. Instants are monotonic nanoseconds, sizes
    bytes of one operation. What happens before the first stage starts is not recorded.

    What comes in batches is recorded in bulk: a batch nearly always lies in one stage and one second, so
    both are looked up once for all of it. From ``FEW`` messages on numpy does the rest, below it a loop.
    """

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._lock = threading.Lock()
        self._cells: Cells = {}
        self._errors = CallErrorLog()
        self._fallbacks: set[str] = set()

    def operation(self, metric: str, intended_ns: int, completed_ns: int, size: int) -> None:
        """An operation that succeeded: its completion, and its latency from the intended start.

        :raises ValueError: it was completed before it was intended
        """
        with self._lock:
            self._operation(metric, intended_ns, completed_ns, size)

    def operations(self, metric: str, intended_ns: Timestamps, completed_ns: Timestamps, size: Sizes) -> None:
        """:meth:`operation` for each of many. An int stands for every message of the other column.

        :raises ValueError: columns of different lengths; one was completed before it was intended
        """
        if not isinstance(size, int):
            if (count := length(intended_ns, completed_ns)) != len(size):
                raise ValueError(f"columns of {count} instants and {len(size)} sizes")
            for each, places in _by_size(size):
                self.operations(metric, placed(intended_ns, places), placed(completed_ns, places), each)
            return
        count = length(intended_ns, completed_ns)
        if count <= 1:
            if count:
                self.operation(metric, only(intended_ns), only(completed_ns), size)
            return
        if count < FEW:
            starts, ends = listed(intended_ns), listed(completed_ns)
            with self._lock:
                if count < HANDFUL or not self._at_once(metric, starts, ends, size, count):
                    for start, end in zip(repeated(starts, count), repeated(ends, count), strict=True):
                        self._operation(metric, start, end, size)
        else:
            intended, completed = column(intended_ns), column(completed_ns)
            with self._lock:
                if not self._at_once(metric, intended, completed, size, count):
                    self._by_stages(metric, intended, completed, size)

    def completions(self, metric: str, completed_ns: Timestamps, count: int, size: Sizes) -> None:
        """Operations that succeeded and have no start of their own, such as pushed messages.

        :param completed_ns: an int: all ``count`` of them at that instant
        :raises ValueError: ``count`` is not the number of instants
        """
        if not isinstance(completed_ns, int) and len(completed_ns) != count:
            raise ValueError(f"{count} completions at {len(completed_ns)} instants")
        if not count:
            return
        if not isinstance(size, int):
            for each, places in _by_size(size):
                self.completions(metric, placed(completed_ns, places), places.size, each)
            return
        completed = column(completed_ns)
        with self._lock:
            if found := self._second(completed):
                stage, elapsed_ns = found
                self._cell(stage, metric).complete(elapsed_ns, size, count)
                return
            instants = np.atleast_1d(completed)
            for stage, places in self._parts(instants):
                self._cell(stage, metric).complete_many(instants[places] - stage.start_ns, size)

    def by_core(self, metric: str, completed_ns: Sequence[int] | Int64s, besides: int = 0) -> None:
        """Of operations that are recorded: the core drove them, but for so many (``besides``) of the last."""
        if not len(completed_ns):
            return
        instants = np.asarray(completed_ns, np.int64)
        with self._lock:
            for stage, places in self._parts(instants[: len(instants) - besides]):
                self._cell(stage, metric).by_core += places.size

    def calls(self, metric: str, answered_ns: Sequence[int]) -> None:
        """Calls that were answered, each of which may carry several operations."""
        if not answered_ns:
            return
        with self._lock:
            for instant in answered_ns:
                if stage := self._timeline.at(instant):
                    self._cell(stage, metric).calls += 1

    def fell_back(self, why: str) -> None:
        """What is the core's to drive is driven by the general path, and why."""
        with self._lock:
            self._fallbacks.add(why)

    def fallbacks(self) -> list[str]:
        with self._lock:
            return sorted(self._fallbacks)

    def paused(self, metric: str, began_ns: int, ended_ns: int) -> None:
        """A worker slept after an ask that came back empty."""
        with self._lock:
            if stage := self._timeline.at(began_ns):
                self._cell(stage, metric).paused_ns += ended_ns - began_ns

    def starved(self, metric: str, answered_ns: int, count: int = 1) -> None:
        """Asks that came back empty."""
        with self._lock:
            if stage := self._timeline.at(answered_ns):
                self._cell(stage, metric).window(answered_ns - stage.start_ns).starved += count

    def waited_out(self, metric: str, answered_ns: Sequence[int], paused_ns: int) -> None:
        """Of what :meth:`starved` and :meth:`paused` counted: a worker's asks after its last message."""
        with self._lock:
            stage = self._timeline.at(answered_ns[0])
            if stage and stage is self._timeline.at(answered_ns[-1]):
                cell = self._cell(stage, metric)
                cell.starved_at_end += len(answered_ns)
                cell.paused_at_end_ns += paused_ns

    def error(self, metric: str, at_ns: int, kind: str, count: int = 1, said: str = "") -> None:
        """Operations that failed, or ended otherwise than well, and what was ``said`` of it."""
        with self._lock:
            self._errors.add(metric, kind, at_ns, count, said)
            if stage := self._timeline.at(at_ns):
                self._cell(stage, metric).window(at_ns - stage.start_ns).errors += count

    def skip(self, metric: str, at_ns: int, count: int = 1) -> None:
        """Messages whose latency cannot be known here."""
        with self._lock:
            if stage := self._timeline.at(at_ns):
                self._cell(stage, metric).skipped += count

    def unfinished(self, metric: str, intended_ns: Sequence[int], ended_ns: int) -> None:
        """Operations that had no end when the loader gave up on them: each took at least until then."""
        with self._lock:
            for instant in intended_ns:
                stage = self._timeline.at(instant)
                if stage is not None and metric in stage.measures:
                    cell = self._cell(stage, metric)
                    cell.latencies.add(ended_ns - instant)
                    cell.unfinished += 1

    def histogram(self, stage: str, metric: str) -> Histogram:
        """A copy of one metric's latencies in one stage; empty where there are none."""
        copy = Histogram()
        with self._lock:
            if cell := self._cells.get((stage, metric)):
                copy.merge(cell.latencies)
        return copy

    def cells(self) -> Cells:
        """A consistent copy of everything recorded so far."""
        copied: Cells = {}
        with self._lock:
            for key, cell in self._cells.items():
                copied[key] = copy = Cell()
                copy.merge(cell)
        return copied

    def errors(self) -> list[CallErrors]:
        """Failures of all stages and before them."""
        with self._lock:
            return self._errors.found()

    def _operation(self, metric: str, intended_ns: int, completed_ns: int, size: int) -> None:
        ended_in = self._timeline.at(completed_ns)
        if ended_in is None:
            return
        cell, took_ns = self._cell(ended_in, metric), completed_ns - intended_ns
        cell.complete(completed_ns - ended_in.start_ns, size, sum_ns=took_ns, max_ns=took_ns)
        begun_in = ended_in if intended_ns >= ended_in.start_ns else self._timeline.at(intended_ns)
        if begun_in is None or metric not in begun_in.measures:
            return
        if begun_in is not ended_in:
            cell = self._cell(begun_in, metric)
            cell.unfinished += completed_ns >= _helped_from_ns(metric, ended_in)
        cell.latencies.add(took_ns)

    def _at_once(self, metric: str, starts: Timestamps, ends: Timestamps, size: int, count: int) -> bool:
        """Record a batch that began in one stage, and ended in one second of it.

        False, and nothing recorded, when it is not such a batch.
        """
        found = self._second(ends)
        if found is None:
            return False
        stage, elapsed_ns = found
        if least(starts) < stage.start_ns:
            return False
        cell, took_ns = self._cell(stage, metric), differences(starts, ends)
        cell.complete(elapsed_ns, size, count, sum_ns=total(took_ns), max_ns=greatest(took_ns))
        if metric in stage.measures:
            cell.latencies.add_many(took_ns)
        return True

    def _second(self, ends: Timestamps) -> tuple[Stage, int] | None:
        """Stage of a batch that ended in one second of it, and the last end since the stage's start."""
        last_ns = greatest(ends)
        stage = self._timeline.at(last_ns)
        if stage is None:
            return None
        elapsed_ns = last_ns - stage.start_ns
        second_ns = elapsed_ns // SECOND_NS * SECOND_NS
        return None if least(ends) - stage.start_ns < second_ns else (stage, elapsed_ns)

    def _by_stages(self, metric: str, starts: Column, ends: Column, size: int) -> None:
        """Record a batch whatever it spans; one of its columns is an array."""
        whole = np.broadcast_arrays(starts, ends)
        for stage, ended in self._parts(whole[1]):
            intended, completed = whole[0][ended], whole[1][ended]
            self._cell(stage, metric).complete_many(completed - stage.start_ns, size, completed - intended)
            # an instant after this stage's end would be a mistake: it stays here, to be refused
            for begun_in, begun in self._parts(np.minimum(intended, stage.start_ns)):
                if metric in begun_in.measures:
                    cell, ended_ns = self._cell(begun_in, metric), completed[begun]
                    cell.latencies.add_many(ended_ns - intended[begun])
                    if begun_in is not stage:
                        cell.unfinished += int(np.count_nonzero(ended_ns >= _helped_from_ns(metric, stage)))

    def _parts(self, instants: Int64s) -> Iterator[tuple[Stage, Int64s]]:
        """Each stage that some of these instants lie in, and their places."""
        stages = self._timeline.stages
        if not instants.size:
            return
        numbers = np.searchsorted([stage.start_ns for stage in stages], instants, side="right") - 1
        for number in range(max(0, least(numbers)), greatest(numbers) + 1):
            places = np.flatnonzero(numbers == number)
            if places.size:
                yield stages[number], places

    def _cell(self, stage: Stage, metric: str) -> Cell:
        cell = self._cells.get((stage.name, metric))
        if cell is None:
            cell = self._cells[stage.name, metric] = Cell()
        return cell


def _helped_from_ns(metric: str, stage: Stage) -> float:
    """From when on what is received is received sooner than the case's own consumers would have it."""
    helped = metric == "end_to_end" and stage.name == "drain"
    return stage.start_ns + HELP_AFTER_S * SECOND_NS if helped else inf


def _by_size(sizes: Int64s) -> Iterator[tuple[int, Int64s]]:
    """Each size, and the places at which it stands."""
    for size in np.unique(sizes).tolist():
        yield size, np.flatnonzero(sizes == size)
