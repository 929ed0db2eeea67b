"""A value over time, such as a rate: held for a while, or moved along a straight line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from breakeven.workload.case import Step, Workload


@dataclass(frozen=True, slots=True)
class Piece:
    """A straight line from ``first`` to ``last``, that is held where both are the same."""

    start_s: float
    length_s: float  # the last piece has no end
    first: float
    last: float
    before: float  # the integral up to the piece's start

    def value(self, elapsed_s: float) -> float:
        return self.first + (self.last - self.first) * self._share(elapsed_s)

    def integral(self, elapsed_s: float) -> float:
        return self.before + elapsed_s * (self.first + self.value(elapsed_s)) / 2

    def _share(self, elapsed_s: float) -> float:
        return elapsed_s / self.length_s if self.first != self.last else 0.0


class Profile:
    """:param first: the value for ``lead_s`` seconds, before the steps, the last of which stays."""

    def __init__(self, first: float, lead_s: float = 0.0, steps: Iterable[Step] = ()) -> None:
        self._pieces: list[Piece] = []
        value = first
        if lead_s:
            self._append(lead_s, value, value)
        for step in steps:
            self._append(step.for_s, value if step.ramp else step.value, step.value)
            value = step.value
        self._append(float("inf"), value, value)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """In order, one after another from 0 s on."""
        return tuple(self._pieces)

    def at(self, elapsed_s: float) -> float:
        """The value at an instant, seconds from the start."""
        piece = self._piece(elapsed_s)
        return piece.value(max(0.0, elapsed_s - piece.start_s))

    def integral(self, elapsed_s: float) -> float:
        """Of the value from the start: how many have arrived, where the value is a rate."""
        piece = self._piece(elapsed_s)
        return piece.integral(max(0.0, elapsed_s - piece.start_s))

    def _append(self, length_s: float, first: float, last: float) -> None:
        start_s = before = 0.0
        if self._pieces:
            previous = self._pieces[-1]
            start_s = previous.start_s + previous.length_s
            before = previous.integral(previous.length_s)
        self._pieces.append(Piece(start_s, length_s, first, last, before))

    def _piece(self, elapsed_s: float) -> Piece:
        return next(
            piece for piece in reversed(self._pieces) if elapsed_s >= piece.start_s or not piece.start_s
        )


def rate_profile(workload: Workload) -> Profile:
    """The rate of all producers from the warm-up's start on, messages a second."""
    assert workload.rate is not None
    return Profile(workload.rate, workload.warmup_s, workload.profile)
