"""Send times of one producer's messages, for the end-to-end latency (rule 3 of docs/rules.md)."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from breakeven.loadgen.record.timestamps import Int64s

#: memory for the send times of all producers of a loader, bytes
MEMORY = 64 << 20


class SendTimes:
    """The newest ``keep`` send instants, eight bytes each. One thread notes, any thread finds.

    A message that waited so long that its instant was overwritten is not found, and so counted as skipped.
    """

    __slots__ = ("_cells", "_keep", "_times", "memory")

    def __init__(self, keep: int, memory: Int64s | None = None) -> None:
        """:param memory: where they are kept, of ``keep`` entries and one; None: in memory of its own"""
        self._keep = keep
        #: the newest sequence that is noted, and behind it the instants by sequence modulo ``keep``; whoever
        #: else notes here does it in that order, too. Memory that was never written takes no room
        self.memory: Int64s = np.zeros(keep + 1, np.int64) if memory is None else memory
        self.memory[0] = -1
        self._attach()

    @classmethod
    def found(cls, memory: Int64s) -> SendTimes:
        """Those that another loader notes in this memory."""
        found = cls.__new__(cls)
        found._keep, found.memory = len(memory) - 1, memory
        found._attach()
        return found

    def _attach(self) -> None:
        self._cells = memoryview(self.memory.data).cast("B").cast("q")
        self._times = self._cells[1:]

    def note(self, first: int, sent_ns: int | Sequence[int], count: int) -> None:
        """Of ``count`` consecutive sequences; they are noted in order from 0, before they are sent.

        An int: all of them at that instant. :raises ValueError: not as many instants as messages
        """
        instants = array("q", (sent_ns,)) * count if isinstance(sent_ns, int) else array("q", sent_ns)
        if len(instants) != count:
            raise ValueError(f"{len(instants)} instants for {count} messages")
        self._cells[0] = first + count - 1  # first, so that nobody trusts a place about to be overwritten
        done = 0
        while done < count:
            place = (first + done) % self._keep
            part = instants[done : done + self._keep - place]
            self._times[place : place + len(part)] = part
            done += len(part)

    def find_many(self, sequences: Sequence[int]) -> Sequence[int]:
        """The instant of each, monotonic nanoseconds; -1 where it is not kept (any more)."""
        if not len(sequences):
            return ()
        least, most = _bounds(sequences)
        if self._are_kept(least, most):
            found = self._at(sequences)
            if self._are_kept(least, most):
                return found
        return [self._find(sequence) for sequence in sequences]

    def _at(self, sequences: Sequence[int]) -> list[int]:
        times, keep = self._times, self._keep
        if isinstance(sequences, range) and sequences.step == 1:
            place = sequences.start % keep
            if place + len(sequences) <= keep:
                return times[place : place + len(sequences)].tolist()
        return [times[sequence % keep] for sequence in sequences]

    def _find(self, sequence: int) -> int:
        if not self._are_kept(sequence, sequence):
            return -1
        sent_ns = self._times[sequence % self._keep]
        return sent_ns if self._are_kept(sequence, sequence) else -1

    def _are_kept(self, least: int, most: int) -> bool:
        newest = self._cells[0]
        return newest - self._keep < least and most <= newest


def _bounds(sequences: Sequence[int]) -> tuple[int, int]:
    if isinstance(sequences, range) and sequences.step == 1:
        return sequences.start, sequences.stop - 1
    return min(sequences), max(sequences)
