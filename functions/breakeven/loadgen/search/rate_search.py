"""Choice of the rate that a capacity search tries next."""

from __future__ import annotations

import math
from collections import Counter

#: a search ends when the lowest rate that failed is at most this much above the highest that was held
PRECISION = 0.05
#: what the last bits of a step's middle may be off by, as a share
ROUNDING = 1e-9
#: the widest step from one rate to the next: it doubles or halves
MOST_STEP = 2.0
#: so often a rate is tried before it bounds the capacity
TRIES = 2
#: rates below this are not tried, messages a second
LEAST_RATE = 1.0


class RateSearch:
    """Goes up or down in steps until one rate is held and another is not, then tries the geometric middle.

    From a bracket of 2 to 1, five more probes leave one of 2.2%. The rate that bounds it from above is then
    tried again: it may have failed by chance, or on a broker that was still cold. Once it is held, the search
    goes on above it.

    :param first: the first rate to try; ``most``: none above this is tried; messages a second
    :param step: factor from one rate to the next while there is no bracket. Each is the last one's square, so
        that a first rate that is far off costs few probes, and at most ``MOST_STEP``
    """

    def __init__(
        self, first: float, most: float, *, step: float = MOST_STEP, precision: float = PRECISION
    ) -> None:
        self._first, self._most, self._step, self._precision = first, most, step, precision
        self.held: float | None = None  # the highest that was held
        self._failures: Counter[float] = Counter()  # of rates above it

    @property
    def failed(self) -> float | None:
        """The lowest rate that was not held, of those above the highest that was."""
        return min(self._failures, default=None)

    @property
    def next(self) -> float | None:
        """The rate to try; None when the search is over."""
        if (failed := self.failed) is None:
            if self.held is None:
                return self._first
            return min(self.held * self._step, self._most) if self.held < self._most else None
        if self.held is None and failed > LEAST_RATE:
            return max(failed / self._step, LEAST_RATE)
        if self.held is None or failed <= self.held * (1 + self._precision) * (1 + ROUNDING):
            return failed if self._failures[failed] < TRIES else None
        return math.sqrt(self.held * failed)

    def report(self, rate: float, held: bool) -> None:
        """What came of the rate that was tried."""
        if rate != self._first and (self.held is None or self.failed is None):
            self._step = min(self._step**2, MOST_STEP)
        if held:
            self.held = highest = max(rate, self.held or 0.0)
            self._failures = Counter({each: n for each, n in self._failures.items() if each > highest})
        else:
            self._failures[rate] += 1
