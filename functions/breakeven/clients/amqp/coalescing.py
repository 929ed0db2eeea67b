"""A busy connection is read once a millisecond: what came meanwhile is one wake-up, one read, one batch.

Below ``BUSY_PER_MS`` every message is read as it comes. Above it the instants that a read stamps are up to
``READ_EVERY_S`` late, half of that in the mean: docs/decisions/0008 has what that buys.

From ``GATHER_PER_MS`` on the core writes acknowledgements together, each at most ``HOLD_ACKS_S`` after its
message: no instant is later for it.
"""

from __future__ import annotations

import time

READ_EVERY_S = 0.001
#: messages a millisecond on one connection from which on it is busy
BUSY_PER_MS = 4
#: messages a millisecond from which on acknowledgements wait for each other, and for how long at most
GATHER_PER_MS, HOLD_ACKS_S = 2, 0.001
#: connections with a smaller window or prefetch are never busy: they would wait for what cannot come
LEAST_WINDOW = 100
#: a connection's rate is judged over at least this long, nanoseconds: a broker that pauses for some of it
#: makes up for that in the rest
JUDGED_OVER_NS = 20_000_000


class Coalescing:
    """:param window: messages that may be under way on the connection at once"""

    def __init__(self, window: int) -> None:
        self._allowed = window >= LEAST_WINDOW
        self._busy = False
        self._count = self._since_ns = 0

    def took(self, count: int, read_ns: int) -> None:
        """So many messages, or answers to messages, were read."""
        self._count += count
        elapsed_ns = read_ns - self._since_ns
        if elapsed_ns >= JUDGED_OVER_NS:
            self._busy = self._allowed and self._count * 1_000_000 >= BUSY_PER_MS * elapsed_ns
            self._count, self._since_ns = 0, read_ns

    def rest(self, read_ns: int, timeout_s: float) -> float:
        """Sleep until the connection may be read again, at most ``timeout_s``; returns what is left of that.

        :param read_ns: when it was last read
        """
        if not self._busy:
            return timeout_s
        rest_s = min(timeout_s, READ_EVERY_S - (time.monotonic_ns() - read_ns) / 1e9)
        if rest_s <= 0:
            return timeout_s
        time.sleep(rest_s)
        return timeout_s - rest_s
