"""A clock in the place of the module ``time``, for steps that wait for minutes."""

from __future__ import annotations


class Clock:
    """The step's own: it goes on while the step sleeps."""

    def __init__(self) -> None:
        self.now_s = 1e9

    def time(self) -> float:
        return self.now_s

    monotonic = time

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
