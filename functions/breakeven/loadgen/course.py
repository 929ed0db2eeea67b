"""A value over time, such as a rate: held for a while, or moved along a straight line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from breakeven.workload.case import Step

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Piece:
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


class Course:
    """:param first: the value for ``lead_s`` seconds, before the steps, the last of which stays."""

    def __init__(self, first: float, lead_s: float = 0.0, steps: Iterable[Step] = ()) -> None:
        self._pieces: list[_Piece] = []
        value = first
        if lead_s:
            self._append(lead_s, value, value)
        for step in steps:
            self._append(step.for_s, value if step.ramp else step.value, step.value)
            value = step.value
        self._append(float("inf"), value, value)
        self._befores = np.array([piece.before for piece in self._pieces])

    def at(self, elapsed_s: float) -> float:
        """The value at an instant, seconds from the start."""
        piece = self._piece(elapsed_s)
        return piece.value(max(0.0, elapsed_s - piece.start_s))

    def integral(self, elapsed_s: float) -> float:
        """Of the value from the start: how many have arrived, where the value is a rate."""
        piece = self._piece(elapsed_s)
        return piece.integral(max(0.0, elapsed_s - piece.start_s))

    def when(self, integrals: Floats) -> Floats:
        """When the integral reaches each of these, seconds from the start; infinite where it never does."""
        indices = np.searchsorted(self._befores, integrals, side="right") - 1
        result = np.empty(len(integrals))
        for index in np.unique(indices):
            mine = indices == index
            result[mine] = _reached(self._pieces[index], integrals[mine])
        return result

    def _append(self, length_s: float, first: float, last: float) -> None:
        start_s = before = 0.0
        if self._pieces:
            previous = self._pieces[-1]
            start_s = previous.start_s + previous.length_s
            before = previous.integral(previous.length_s)
        self._pieces.append(_Piece(start_s, length_s, first, last, before))

    def _piece(self, elapsed_s: float) -> _Piece:
        return next(
            piece for piece in reversed(self._pieces) if elapsed_s >= piece.start_s or not piece.start_s
        )


def _reached(piece: _Piece, integrals: Floats) -> Floats:
    """The root of a straight or parabolic piece, in the form that does not cancel for flat ramps."""
    slope = (piece.last - piece.first) / piece.length_s if piece.first != piece.last else 0.0
    wanted = integrals - piece.before
    root = piece.first + np.sqrt(np.maximum(0.0, piece.first**2 + 2 * slope * wanted))
    at_once = np.inf if piece.first == piece.last == 0 else 0.0  # nothing arrives where the rate is none
    with np.errstate(divide="ignore", invalid="ignore"):
        elapsed = np.where(wanted > 0, 2 * wanted / root, at_once)
    return np.asarray(piece.start_s + elapsed, dtype=np.float64)
