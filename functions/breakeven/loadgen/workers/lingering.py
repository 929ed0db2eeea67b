"""Due time of a batch in an open loop: as soon as it is full, or its oldest message has waited enough."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.loadgen.workers.arrivals import Arrivals
from breakeven.workload.case import Workload


class Lingering:
    """A batch of so many messages, and how long one that is not full waits. Instants are monotonic."""

    def __init__(self, workload: Workload) -> None:
        self._batch, self._linger_ns = workload.send_batch, round(workload.linger_ms * 1e6)

    def __bool__(self) -> bool:
        return self._linger_ns > 0

    def ready(self, arrivals: Arrivals, most: int, now_ns: int) -> int:
        """How many to send of so many that are due: whole batches, and the rest if it has waited enough."""
        whole = most - most % self._batch
        if most <= whole or not self:
            return most
        oldest_ns = arrivals.next_but(whole)
        assert oldest_ns is not None
        return most if oldest_ns + self._linger_ns <= now_ns else whole

    def next_ns(self, arrivals: Arrivals, room: int) -> int | None:
        """When the next batch is ready, with so much room; None where no message is to come."""
        if arrivals.next_ns is None:
            return None
        waited_ns = arrivals.next_ns + self._linger_ns
        full_ns = arrivals.next_but(self._batch - 1) if room >= self._batch else None
        return waited_ns if full_ns is None else min(waited_ns, full_ns)

    def could_ns(self, due_ns: Sequence[int]) -> Sequence[int]:
        """When each of these could be sent, which were due then and are sent together."""
        if not self:
            return due_ns
        could: list[int] = []
        for start in range(0, len(due_ns), self._batch):
            batch = due_ns[start : start + self._batch]
            ready_ns = batch[0] + self._linger_ns
            if len(batch) == self._batch:
                ready_ns = min(ready_ns, batch[-1])
            could += [max(instant, ready_ns) for instant in batch]
        return could
