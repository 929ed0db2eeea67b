"""When one producer sent each of its messages, for the end-to-end latency (rule 3 of the design)."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

#: memory for the send times of all producers of a loader, bytes
MEMORY = 64 << 20


class SendTimes:
    """The newest ``keep`` send instants, eight bytes each. One thread notes, any thread finds.

    A message that waited so long that its instant was overwritten is not found, and so counted as skipped.
    """

    __slots__ = ("_keep", "_newest", "_times")

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._times = array("q")
        self._newest = -1

    def note(self, first: int, sent_ns: int | Sequence[int], count: int) -> None:
        """Of ``count`` consecutive sequences; they are noted in order from 0, before they are sent."""
        times = [sent_ns] * count if isinstance(sent_ns, int) else sent_ns
        self._newest = first + count - 1  # first, so that find() trusts no place about to be overwritten
        for sequence, instant in enumerate(times, first):
            if sequence < self._keep:
                self._times.append(instant)
            else:
                self._times[sequence % self._keep] = instant

    def find_many(self, sequences: Iterable[int]) -> list[int]:
        """The instant of each; -1 where it is not kept."""
        found = (self.find(sequence) for sequence in sequences)
        return [-1 if instant is None else instant for instant in found]

    def find(self, sequence: int) -> int | None:
        """Monotonic nanoseconds; None when the instant is not kept (any more)."""
        if not self._is_kept(sequence):
            return None
        sent_ns = self._times[sequence % self._keep]
        return sent_ns if self._is_kept(sequence) else None

    def _is_kept(self, sequence: int) -> bool:
        return self._newest - self._keep < sequence <= self._newest
