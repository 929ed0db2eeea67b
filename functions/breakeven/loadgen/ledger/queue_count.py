"""Count of the messages that a target says are left in a case's queues after its drain."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QueueCount:
    """Messages in the queues, ready and in flight, whosever they are.

    ``exact``: else an estimate, as SQS gives it. ``steady``: an estimate that was asked for again and stayed
    the same.
    """

    messages: int
    exact: bool = True
    steady: bool = True
