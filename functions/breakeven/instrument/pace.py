"""Due times of answers: latency, service rate and stalls, on one monotonic clock in nanoseconds."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from breakeven.instrument.program import Stall


class Stalls:
    """Counts from the first message; before it there are none."""

    def __init__(self, stalls: Sequence[Stall]) -> None:
        self._wanted = stalls
        self._spans: list[tuple[int, int]] = []
        self._started = False

    def start(self, now_ns: int) -> None:
        """The first message is here; only the first call counts."""
        if self._started:
            return
        self._started = True
        for stall in self._wanted:
            begins = now_ns + round(stall.at_s * 1e9)
            self._spans.append((begins, begins + round(stall.for_s * 1e9)))

    def after(self, instant_ns: float) -> float:
        """The instant, or the end of the stall that it falls into."""
        for begins, ends in self._spans:
            if begins <= instant_ns < ends:
                return ends
        return instant_ns


class Pacer:
    """Gives messages of one direction their turns and their answers' instants.

    A turn comes ``1 / rate`` seconds after the one before at the earliest, and never in a stall: after one of
    S seconds, with arrivals at A a second, the backlog of S x A is gone S x A / (rate - A) seconds later.
    The latency comes on top of the turn and holds up nobody else.
    """

    def __init__(self, stalls: Stalls, per_s: float | None, latencies_ns: array[int]) -> None:
        self._stalls, self._latencies = stalls, latencies_ns
        self._gap_ns = 0.0 if per_s is None else 1e9 / per_s
        self._next_ns = 0.0
        self._count = 0

    def due_ns(self, now_ns: int) -> int:
        """When the next message's answer is due, if its ask arrived now."""
        turn = self._stalls.after(max(now_ns, self._next_ns))
        self._next_ns = turn + self._gap_ns  # not rounded: the rate is exact, however many messages
        latency = self._latencies[self._count % len(self._latencies)]
        self._count += 1
        return round(self._stalls.after(turn + latency))
