"""Publishes to one queue through the default exchange."""

from __future__ import annotations

import time
from collections.abc import MutableMapping, Sequence

from pika import spec

from breakeven.clients.amqp.coalescing import Coalescing
from breakeven.clients.amqp.encoding import Publishing
from breakeven.clients.amqp.events import Events
from breakeven.clients.amqp.fast_path_connection import obstacle
from breakeven.clients.amqp.fast_path_sender import FastPathSender, fast_path_sender
from breakeven.clients.amqp.in_flight import InFlight, Run
from breakeven.clients.amqp.link import Link
from breakeven.clients.base import STAMP_BYTES, Answers, Bodies, Outcome
from breakeven.clients.columns import together
from breakeven.clients.core.messages import COLUMNS
from breakeven.clients.fast_path import Origin, SendBatch, Sent
from breakeven.workload.case import Workload

#: a wait that may be this much longer than the oldest message's patience, seconds
_SHORT_S = 1.0


class NativeSender(Events):
    """A batch is one write, and its messages share ``sent_ns``; what one read brings shares ``answered_ns``.

    Without confirms a message is answered as soon as it is written to the socket, and as ``unknown``: what
    becomes of it, a later return included, its sender never learns.
    """

    def __init__(self, link: Link, queue: str, workload: Workload) -> None:
        self._link, self._workload, self._confirms = link, workload, workload.confirms
        self._publishing = Publishing(
            queue, persistent=workload.persistent, mandatory=workload.mandatory, frame_max=link.frame_max
        )
        self._in_flight = InFlight()
        self._returned: set[bytes] = set()  # stamps; a return comes before its confirm
        self._answered: list[Answers] = []
        self._coalescing = Coalescing(workload.window)
        self._fast_path: FastPathSender | None = None
        self.fallback: str | None = None
        self._due: MutableMapping[int, int] = {}
        with link.lock:
            link.reader.events = self
            if workload.confirms:
                link.request(spec.Confirm.Select(), spec.Confirm.SelectOk)

    def submit(self, sequences: Sequence[int], bodies: Sequence[bytes]) -> None:
        count = len(sequences)
        if count != len(bodies):
            raise ValueError(f"{count} sequences for {len(bodies)} bodies")
        if not count:
            return
        with self._link.lock:
            self._go_on_in_general()
            self._link.check()
            data = self._publishing.encode(bodies)
            sent_ns = time.monotonic_ns()
            if self._confirms:
                if not isinstance(bodies, Bodies):
                    bodies = [body[:STAMP_BYTES] for body in bodies]
                self._in_flight.add(sequences, sent_ns, bodies)
            self._link.write(data)
            if not self._confirms:
                self._link.flush()
                self._tell(sequences, [Outcome.UNKNOWN] * count, sent_ns, time.monotonic_ns())

    def poll(self, timeout_s: float) -> Answers:
        link = self._link
        with link.lock:
            self._go_on_in_general()
            if not self._confirms:
                self._tell_of_written()
            if timeout_s > _SHORT_S:
                timeout_s = max(0.0, min(timeout_s, self._patience_s()))
            if not link.news:
                timeout_s = self._coalescing.rest(link.read_ns, timeout_s)
                if not link.drive(lambda: link.news, timeout_s) and self._patience_s() <= 0:
                    link.give_up("a publish")
            link.news = False
            answers, self._answered = together(Answers, self._answered), []
            self._coalescing.took(len(answers.sequence), link.read_ns)
            return answers

    def prepare(self, origin: Origin) -> int:
        found = obstacle(self._link) or fast_path_sender(self._link, self._publishing, self._workload, origin)
        self._fast_path, self.fallback = (None, found) if isinstance(found, str) else (found, None)
        return COLUMNS if self._fast_path else 0

    def send_on_fast_path(
        self, batch: SendBatch, until_ns: int, due: MutableMapping[int, int]
    ) -> Sent | None:
        assert self._fast_path is not None
        self._due = due
        with self._link.lock:
            if self._returned or (len(self._in_flight) and not self._confirms):
                return None
            return self._fast_path.send(batch, until_ns, self._in_flight, due)

    def close(self) -> None:
        with self._link.lock:
            self._go_on_in_general()
        self._link.close(confirmed=self._confirms)

    def confirmed(self, channel: int, tag: int, multiple: bool, refused: bool) -> None:
        self.on_channel(channel)
        if not self._confirms:
            super().confirmed(channel, tag, multiple, refused)
        outcome = Outcome.NACKED if refused else Outcome.CONFIRMED
        for run in self._in_flight.take(tag, multiple):
            outcomes = [outcome] * run.count
            if self._returned:
                self._mark_returned(run, outcomes)
            sequences = range(run.sequence, run.sequence + run.count)
            self._tell(sequences, outcomes, run.sent_ns, self._link.read_ns)

    def returned(self, channel: int, stamp: bytes) -> None:
        self.on_channel(channel)
        if not self._workload.mandatory:
            super().returned(channel, stamp)
        if self._workload.confirms:
            self._returned.add(stamp)

    def release(self) -> None:
        with self._link.lock:
            self._go_on_in_general()

    def _go_on_in_general(self) -> None:
        if self._fast_path is not None:
            self._fast_path.leave(self._in_flight, self._due)

    def _tell_of_written(self) -> None:
        """Without confirms: of what was under way when the fast path was left."""
        if len(self._in_flight):
            self._link.flush()
            for run in self._in_flight.take(0, multiple=True):
                sequences = range(run.sequence, run.sequence + run.count)
                self._tell(sequences, [Outcome.UNKNOWN] * run.count, run.sent_ns, time.monotonic_ns())

    def _mark_returned(self, run: Run, outcomes: list[Outcome]) -> None:
        for index, stamp in enumerate(run.stamps()):
            if stamp in self._returned:
                self._returned.discard(stamp)
                outcomes[index] = Outcome.RETURNED

    def _tell(
        self, sequences: Sequence[int], outcomes: list[Outcome], sent_ns: int, answered_ns: int
    ) -> None:
        count = len(sequences)
        self._answered.append(Answers(sequences, outcomes, [sent_ns] * count, [answered_ns] * count))
        self._link.news = True

    def _patience_s(self) -> float:
        """How long the oldest unanswered message may still take, seconds."""
        oldest_ns = self._in_flight.oldest_ns
        return float("inf") if oldest_ns is None else self._link.patience.left_s(oldest_ns)
