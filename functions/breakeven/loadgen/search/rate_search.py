"""Which rate to try next, to find the highest that is held."""

from __future__ import annotations

import math

#: a search ends when the lowest rate that failed is at most this much above the highest that was held
PRECISION = 0.05
#: rates below this are not tried, messages a second
LEAST_RATE = 1.0


class RateSearch:
    """Doubles or halves until one rate is held and another is not, then tries the geometric middle.

    From a bracket of 2 to 1, five more probes leave one of 2.2%.

    :param first: the first rate to try; ``most``: none above this is tried; messages a second
    """

    def __init__(self, first: float, most: float) -> None:
        self._first, self._most = first, most
        self.held: float | None = None  # the highest that was held
        self.failed: float | None = None  # the lowest that was not

    @property
    def next(self) -> float | None:
        """The rate to try; None when the search is over."""
        if self.held is None and self.failed is None:
            return self._first
        if self.failed is None:
            assert self.held is not None
            return min(self.held * 2, self._most) if self.held < self._most else None
        if self.held is None:
            return max(self.failed / 2, LEAST_RATE) if self.failed > LEAST_RATE else None
        if self.failed <= self.held * (1 + PRECISION):
            return None
        return math.sqrt(self.held * self.failed)

    def report(self, rate: float, held: bool) -> None:
        """What came of the rate that was tried."""
        if held:
            self.held = max(rate, self.held or 0.0)
        else:
            self.failed = min(rate, self.failed or math.inf)
