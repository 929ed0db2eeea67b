"""Link between one node and all its clients: how late what passes it is, and how much passes at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from breakeven.agent.impairment import Impairment

#: bytes that wait for their turn in one direction of a connection before no more are read of it: what a
#: sender's kernel then holds, it holds
WAITING = 64 * 1024
#: the same where they are only late, and any number may be under way
UNDER_WAY = 4 * 1024 * 1024
#: bytes that take their turn together: a few packets
PIECE = 4096


@dataclass(slots=True)
class Direction:
    """One of a link's, shared by all connections. ``free_s``: from when on it takes further bytes."""

    is_late: bool
    free_s: float = 0.0


@dataclass(slots=True)
class Link:
    """``watchers``: called when it has changed."""

    impairment: Impairment | None = None
    to_clients: Direction = field(default_factory=lambda: Direction(is_late=True))
    to_node: Direction = field(default_factory=lambda: Direction(is_late=False))
    watchers: set[Callable[[], None]] = field(default_factory=set)

    def set(self, impairment: Impairment | None) -> None:
        self.impairment = impairment
        for direction in (self.to_clients, self.to_node):
            direction.free_s = 0.0
        for changed in list(self.watchers):
            changed()

    @property
    def is_cut(self) -> bool:
        return self.impairment is not None and self.impairment.is_cut

    @property
    def is_clear(self) -> bool:
        return self.impairment is None

    def due_s(self, direction: Direction, length: int, now_s: float) -> float:
        """When bytes that have come now are to be passed on."""
        if self.impairment is None:
            return now_s
        if rate := self._bytes_per_s:
            direction.free_s = max(direction.free_s, now_s) + length / rate
        return max(direction.free_s, now_s) + self._delay_s(direction)

    def holds(self, direction: Direction) -> int:
        """Bytes of a connection that may wait."""
        delay_s, rate = self._delay_s(direction), self._bytes_per_s
        if not delay_s:
            return WAITING
        return WAITING + round(delay_s * rate) if rate else UNDER_WAY

    @property
    def _bytes_per_s(self) -> float | None:
        rate = self.impairment.mbit_per_s if self.impairment else None
        return rate * 1e6 / 8 if rate else None

    def _delay_s(self, direction: Direction) -> float:
        delay_ms = self.impairment.delay_ms if self.impairment and direction.is_late else None
        return (delay_ms or 0.0) / 1e3
