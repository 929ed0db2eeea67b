"""Publishes to one queue through the default exchange."""

from __future__ import annotations

import time
from collections.abc import Sequence

from pika import spec

from breakeven.clients.amqp.encoding import Publishing
from breakeven.clients.amqp.endpoint import Endpoint
from breakeven.clients.amqp.in_flight import InFlight
from breakeven.clients.amqp.link import Link
from breakeven.clients.base import CALL_TIMEOUT_S, STAMP_BYTES, Answers, Outcome
from breakeven.workload.case import Workload


class NativeSender(Endpoint):
    """A batch is one write, and its messages share ``sent_ns``; what one read brings shares ``answered_ns``.

    Without confirms a message is answered as soon as it is written to the socket, and as ``unknown``: what
    becomes of it, a later return included, its sender is never told.
    """

    def __init__(self, link: Link, queue: str, workload: Workload) -> None:
        super().__init__(link)
        self._link, self._workload = link, workload
        self._publishing = Publishing(
            queue, persistent=workload.persistent, mandatory=workload.mandatory, frame_max=link.frame_max
        )
        self._in_flight = InFlight()
        self._returned: set[bytes] = set()  # stamps; a return comes before its confirm
        self._forget()
        with link.lock:
            link.reader.events = self
            if workload.confirms:
                link.request(spec.Confirm.Select(), spec.Confirm.SelectOk)

    def submit(self, sequences: Sequence[int], bodies: Sequence[bytes]) -> None:
        if len(sequences) != len(bodies):
            raise ValueError(f"{len(sequences)} sequences for {len(bodies)} bodies")
        if not bodies:
            return
        data = self._publishing.encode(bodies)
        with self._link.lock:
            self._link.check()
            sent_ns = time.monotonic_ns()
            if self._workload.confirms:
                self._in_flight.add(sequences, sent_ns, [body[:STAMP_BYTES] for body in bodies])
            self._link.write(data)
            if not self._workload.confirms:
                self._link.flush()
                outcomes, sents = [Outcome.UNKNOWN] * len(bodies), [sent_ns] * len(bodies)
                self._answer(sequences, outcomes, sents, time.monotonic_ns())

    def poll(self, timeout_s: float) -> Answers:
        with self._link.lock:
            patience_s = self._patience_s()
            self._link.drive(lambda: bool(self._sequence), max(0.0, min(timeout_s, patience_s)))
            if not self._sequence and self._patience_s() <= 0:
                self._link.give_up("a publish")
            answers = Answers(self._sequence, self._outcome, self._sent_ns, self._answered_ns)
            self._forget()
        return answers

    def close(self) -> None:
        self._link.close()

    def confirmed(self, channel: int, tag: int, multiple: bool, refused: bool) -> None:
        self.on_channel(channel)
        if not self._workload.confirms:
            super().confirmed(channel, tag, multiple, refused)
        taken = self._in_flight.take(tag, multiple)
        outcomes = [Outcome.NACKED if refused else Outcome.CONFIRMED] * len(taken.sequence)
        if self._returned:
            for index, stamp in enumerate(taken.stamp):
                if stamp in self._returned:
                    self._returned.discard(stamp)
                    outcomes[index] = Outcome.RETURNED
        self._answer(taken.sequence, outcomes, taken.sent_ns, self._link.read_ns)

    def returned(self, channel: int, stamp: bytes) -> None:
        self.on_channel(channel)
        if not self._workload.mandatory:
            super().returned(channel, stamp)
        if self._workload.confirms:
            self._returned.add(stamp)

    def _answer(
        self,
        sequences: Sequence[int],
        outcomes: Sequence[Outcome],
        sent_ns: Sequence[int],
        answered_ns: int,
    ) -> None:
        self._sequence += sequences
        self._outcome += outcomes
        self._sent_ns += sent_ns
        self._answered_ns += [answered_ns] * len(sequences)

    def _forget(self) -> None:
        """Begin new columns; those handed out are the caller's."""
        self._sequence: list[int] = []
        self._outcome: list[Outcome] = []
        self._sent_ns: list[int] = []
        self._answered_ns: list[int] = []

    def _patience_s(self) -> float:
        """How long the oldest unanswered message may still take, seconds."""
        oldest_ns = self._in_flight.oldest_ns
        if oldest_ns is None:
            return float("inf")
        return CALL_TIMEOUT_S - (time.monotonic_ns() - oldest_ns) / 1e9
