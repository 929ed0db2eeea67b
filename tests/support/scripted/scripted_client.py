"""A client whose every call does what the test says, and that counts how many go at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from breakeven.clients.base import Answers, Deliveries, Outcome, Settled

#: what a call does: returns, or raises
Action = Callable[[object], None]


class Link:
    """A sender and receiver whose every call does what the test says."""

    def __init__(self, client: Scripted) -> None:
        self._client, self._answers = client, ((), (), (), ())
        self.closed = False

    def submit(self, sequences: Sequence[int], bodies: Sequence[bytes]) -> None:
        sent_ns = time.monotonic_ns()
        self._client.call(*sequences)
        self._answers = (sequences, (Outcome.CONFIRMED,), (sent_ns,), (time.monotonic_ns(),))

    def poll(self, timeout_s: float) -> Answers:
        return Answers(*self._answers)

    def receive(self, timeout_s: float) -> Deliveries:
        asked_ns = time.monotonic_ns()
        self._client.call("ask")
        in_hand_ns = time.monotonic_ns()
        if self._client.waiting:
            number = self._client.waiting.pop()
            return Deliveries((b"%d" % number,), (asked_ns,), (in_hand_ns,), (False,), (number,))
        return Deliveries((), (), (), (), (), ((asked_ns, in_hand_ns),))

    def settle(self, handles: Sequence[object]) -> Settled:
        called_ns = time.monotonic_ns()
        self._client.call(*handles)
        return Settled(tuple(handles), (called_ns,), (time.monotonic_ns(),))

    def close(self) -> None:
        self.closed = True


class Scripted:
    """``calls``: what each was about, in order of their beginnings; ``most``: how many went at once."""

    name = "scripted"

    def __init__(self, action: Action = lambda _: None, waiting: Sequence[int] = ()) -> None:
        self.action, self.waiting = action, list(waiting)
        self.links: list[Link] = []
        self.calls: list[object] = []
        self.going = self.most = 0
        self._lock = threading.Lock()

    def sender(self, queue: str) -> Link:
        self.links.append(Link(self))
        return self.links[-1]

    receiver = sender

    def call(self, about: object) -> None:
        with self._lock:
            self.calls.append(about)
            self.going += 1
            self.most = max(self.most, self.going)
        try:
            self.action(about)
        finally:
            with self._lock:
                self.going -= 1

    def close(self) -> None:
        return
