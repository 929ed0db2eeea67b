"""Signs of life on a connection, in both directions. Instants are ``time.monotonic()``."""

from __future__ import annotations

import time

from breakeven.clients.base import CALL_TIMEOUT_S


class Pulse:
    """``wrote``: when bytes last went."""

    def __init__(self, heartbeat_s: float) -> None:
        self.wrote = time.monotonic()
        self._heartbeat_s = heartbeat_s
        self._blocked_since: float | None = None

    def blocked(self) -> None:
        """The broker takes no messages for now."""
        if self._blocked_since is None:
            self._blocked_since = time.monotonic()

    def unblocked(self) -> None:
        self._blocked_since = None

    def failure(self, now: float, heard: float) -> str | None:
        """Why the connection is as good as gone; None while it is well.

        :param heard: when bytes last came
        """
        if now - heard > 2 * self._heartbeat_s:
            return f"no sign of life for {now - heard:.0f} s"
        if self._blocked_since is not None and now - self._blocked_since > CALL_TIMEOUT_S:
            return f"the broker has taken nothing for {CALL_TIMEOUT_S:g} s (connection.blocked)"
        return None

    def is_due(self, now: float) -> bool:
        """Is it time to send a heartbeat, as nothing else was written for a while?"""
        return now - self.wrote > self._heartbeat_s / 2
