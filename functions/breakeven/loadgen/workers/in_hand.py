"""Messages that a consumer has in hand: to be processed, to be settled, and in settlement."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from breakeven.workload.case import Workload


class InHand:
    """What was received and is not settled: by handle, when it was asked for.

    A message waits for its settlement to be a whole batch, as long as the workload lets it linger. Where
    nothing lingers, all that is processed is settled.
    """

    def __init__(self, workload: Workload) -> None:
        self._batch, self._linger_ns = workload.settles, round(workload.linger_ms * 1e6)
        self._is_processed = bool(workload.processing_ms or workload.processing_profile)
        self._asked_ns: dict[object, int] = {}
        self._held: dict[object, int] = {}  # to be settled, since when; only where any wait for that
        self._settling: dict[object, None] = {}  # handed in and not settled yet, in order

    def __len__(self) -> int:
        return len(self._asked_ns)

    def take(self, asked_ns: dict[object, int], now_ns: int) -> None:
        self._asked_ns.update(asked_ns)
        if self._linger_ns and not self._is_processed:
            self._held.update(dict.fromkeys(asked_ns, now_ns))

    def process(self, each: Callable[[], int]) -> None:
        """Process so many as a batch is of.

        :param each: processes one message; returns when it was done
        """
        if not self._is_processed:
            return
        waiting = [one for one in self._asked_ns if one not in self._held and one not in self._settling]
        for handle in waiting[: max(0, self._batch - len(self._held))]:
            self._held[handle] = each()

    def to_settle(self, now_ns: int, *, at_once: bool) -> tuple[object, ...]:
        """What to hand in to be settled, with what was handed in before and is not settled yet.

        :param at_once: nothing lingers any more
        """
        if not self._linger_ns and not self._is_processed:
            return tuple(self._asked_ns)
        held = list(self._held)
        whole = len(held) - len(held) % self._batch
        lingers = whole < len(held) and now_ns - self._held[held[whole]] < self._linger_ns
        for handle in held[:whole] if lingers and not at_once else held:
            del self._held[handle]
            self._settling[handle] = None
        return tuple(self._settling)

    def patience_s(self, now_ns: int, patience_s: float) -> float:
        """So long, or until what is held has lingered long enough."""
        oldest_ns = next(iter(self._held.values()), None)
        if oldest_ns is None:
            return patience_s
        return min(patience_s, max(0.0, (oldest_ns + self._linger_ns - now_ns) / 1e9))

    def settled(self, handles: Sequence[object]) -> list[int]:
        """These are settled, or never will be; returns when each was asked for."""
        for handle in handles:
            self._settling.pop(handle, None)
        return [self._asked_ns.pop(handle) for handle in handles]

    def clear(self) -> None:
        for known in (self._asked_ns, self._held, self._settling):
            known.clear()
