"""Growth of a backlog, seen by what it does to each message: how long after it was due it is in hand.

A broker that is offered ``r`` messages a second and falls behind by ``g`` of them lets each second's messages
wait ``g / r`` seconds longer than those of the second before (Little's law, for a ``g`` that is small beside
``r``). These times are exact to the message. Counts of what was sent and received are known only as often as
workers come back with them, and a backlog read from those jumps by all that came meanwhile.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from breakeven.loadgen.record.timestamps import Timestamps, column

Floats = npt.NDArray[np.floating[Any]]
#: of each block of time how many messages were due in it, and how many seconds they took in all
Blocks = Sequence[tuple[float, float]]

#: times are averaged in so many blocks: neighbours are alike, and would make the bound too narrow
BLOCKS = 20
#: with messages in fewer of them, nothing is said
FEWEST = 5
#: the 0.95 quantile of the normal distribution
Z_95 = 1.6449


@dataclass(frozen=True, slots=True)
class Slope:
    """By how much something grows in a second: the estimate, and its upper 95% bound (one-sided)."""

    estimate: float
    high: float

    def times(self, factor: float) -> Slope:
        return Slope(self.estimate * factor, self.high * factor)


class DelayTrend:
    """The delays of the messages that were due from one instant to another, monotonic nanoseconds.

    Workers of any thread add to it.
    """

    def __init__(self, start_ns: int, end_ns: int) -> None:
        self._start_ns, self._end_ns = start_ns, end_ns
        self._counts, self._sums = np.zeros(BLOCKS), np.zeros(BLOCKS)
        self._lock = threading.Lock()

    def add(self, due_ns: Timestamps, in_hand_ns: Timestamps) -> None:
        """Messages that are in hand; those that were due at another time are left out."""
        due, in_hand = np.broadcast_arrays(*(np.atleast_1d(column(each)) for each in (due_ns, in_hand_ns)))
        inside = (due >= self._start_ns) & (due < self._end_ns)
        blocks = (due[inside] - self._start_ns) * BLOCKS // (self._end_ns - self._start_ns)
        delays_s = (in_hand[inside] - due[inside]) / 1e9
        with self._lock:
            self._counts += np.bincount(blocks, minlength=BLOCKS)
            self._sums += np.bincount(blocks, delays_s, minlength=BLOCKS)

    def blocks(self) -> tuple[tuple[float, float], ...]:
        """Of each block of time how many messages were due in it, and how many seconds they took in all."""
        with self._lock:
            return tuple(zip(self._counts.tolist(), self._sums.tolist(), strict=True))

    def slope(self) -> Slope | None:
        """Seconds by which the delay grows in a second; None where too few messages tell."""
        return slope_of([self.blocks()], (self._end_ns - self._start_ns) / 1e9)


def slope_of(trends: Sequence[Blocks], length_s: float) -> Slope | None:
    """The same of what several loaders saw at one time, which lasted so long."""
    counts, sums = np.array(trends).sum(axis=0).T
    known = counts > 0
    if np.count_nonzero(known) < FEWEST:
        return None
    return slope(np.flatnonzero(known) * length_s / BLOCKS, sums[known] / counts[known])


def slope(at_s: Floats, values: Floats) -> Slope:
    """By least squares through values at instants."""
    spread = at_s - at_s.mean()
    squares = float(spread @ spread)
    estimate = float(spread @ (values - values.mean())) / squares
    residuals = values - values.mean() - estimate * spread
    freedom = len(values) - 2
    error = math.sqrt(float(residuals @ residuals) / freedom / squares)
    return Slope(estimate, estimate + t_95(freedom) * error)


def t_95(freedom: int) -> float:
    """The 0.95 quantile of Student's t, by Cornish and Fisher's expansion: within 2% from 3 degrees on."""
    z = Z_95
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    return z + first / freedom + second / freedom**2
