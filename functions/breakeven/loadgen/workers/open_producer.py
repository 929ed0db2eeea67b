"""The open-loop producer: messages arrive by a schedule, whatever the target does."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Sequence

from breakeven.clients.base import CallFailed, ConnectionLost, Sender
from breakeven.clients.columns import joined, repeated
from breakeven.loadgen.workers.arrivals import Arrivals, Span
from breakeven.loadgen.workers.lingering import Lingering
from breakeven.loadgen.workers.producer import TOGETHER_NS, Producer
from breakeven.loadgen.workers.worker import FAST_PATH_NS, Shared

#: a write that takes so long has waited for its peer, nanoseconds
STALLED_NS = 50_000_000


class OpenProducer(Producer):
    """Sends what is due, with at most ``window`` messages unanswered: what has to wait for room waits, and
    its latency counts from the moment it was due.

    What is due and could not be sent goes on being sent; what is unanswered or unsent at the span's deadline
    is recorded as having taken until then.

    :param span: asked for when the producer is told to go
    """

    def __init__(
        self, number: int, queue: str, shared: Shared, span: Callable[[], Span], *, helps: bool = True
    ) -> None:
        super().__init__(number, queue, shared, helps=helps)
        self._span = span
        self._handed_over: list[tuple[Sequence[int], int]] = []  # when they could be, and when they were
        self._lingering = Lingering(shared.case.workload)
        self._room_since_ns = 0  # when the window last began to have room
        self._arrivals: Arrivals | None = None
        self._deadline_ns = self._measure_ns = self._end_ns = 0
        #: messages due within the measured stage, and messages handed over within it
        self.offered = self.achieved = 0
        #: how long messages were due and had no room, within the measured stage, nanoseconds: the window was
        #: full, the peer took no more of what was written, or there was no connection
        self.blocked_ns = 0
        self._blocked_since_ns: int | None = None

    def work(self) -> None:
        span = self._span()
        self._measure_ns, self._end_ns = span.measure_ns, span.end_ns
        self._deadline_ns = min(span.deadline_ns, self._deadline_ns or span.deadline_ns)
        self._arrivals = Arrivals(self._shared.case, self._number, span)
        super().work()

    def give_up(self) -> None:
        """From another thread: stop sending now."""
        self._deadline_ns = time.monotonic_ns()

    def _wanted(self) -> bool:
        more = self._in_flight > 0 or self._schedule.next_ns is not None
        if more and time.monotonic_ns() < self._deadline_ns:
            return True
        self._give_up_on_rest()
        return False

    @property
    def _schedule(self) -> Arrivals:
        assert self._arrivals is not None
        return self._arrivals

    def _step(self, link: Sender) -> None:
        now_ns = time.monotonic_ns()
        if now_ns >= self._deadline_ns:  # since it was last asked whether more is wanted
            return
        if self._most and self._go_on_fast_path(now_ns):
            return
        if self._is_stuck:
            self._note_blocked(now_ns, self._schedule.due(now_ns) > 0)
            self._take_answers(link, self._patience_s())
            return
        due, room = self._schedule.due(now_ns), self._window - self._in_flight
        self._note_blocked(now_ns, due > 0 and room <= 0)
        most = max(0, min(due, room))
        if count := self._lingering.ready(self._schedule, most, now_ns):
            self._send(link, count, now_ns)
            due, room = self._schedule.due(now_ns), self._window - self._in_flight
        self._take_answers(link, self._until_due_s(now_ns, due, room))

    @property
    def _is_stuck(self) -> bool:
        """Is something only half written? Without confirms, what is written has its answer at once."""
        return self._in_flight > 0 and not self._shared.case.workload.confirms

    def _failed(self, error: CallFailed | ConnectionLost) -> None:
        if isinstance(error, ConnectionLost):
            self._note_blocked(time.monotonic_ns(), True)  # until there is a connection again
        super()._failed(error)

    def _go_on_fast_path(self, now_ns: int) -> bool:
        """Take the fast path to the end of what counts alike: all of it measured, or nothing."""
        self._note_blocked(now_ns, False)
        borders = (self._measure_ns, self._end_ns, self._deadline_ns)
        until_ns = min(now_ns + FAST_PATH_NS, *(border for border in borders if border > now_ns))
        due_ns, when_sent = self._schedule.until(until_ns, self._most)
        sent = self._send_on_fast_path(len(due_ns), until_ns, when_sent, due_ns, self._room_since_ns)
        if sent is None:
            return False
        self._room_since_ns = max(self._room_since_ns, sent.room_since_ns)
        if len(sent.handed_ns):
            self._count_offered(self._schedule.take(len(sent.handed_ns)))
            self._shared.recorder.operations("pacing", sent.could_ns, sent.handed_ns, 0)
        if self._measure_ns <= now_ns < self._end_ns:
            self.blocked_ns += sent.blocked_ns
            self.achieved += len(sent.handed_ns)
        if len(sent.sequence):
            recorder = self._shared.recorder
            recorder.operations("produce", sent.due_ns, sent.answered_ns, self._size)
            recorder.operations("produce_service", sent.sent_ns, sent.answered_ns, self._size)
        if sent.error:
            raise sent.error
        return True

    def _send(self, link: Sender, count: int, now_ns: int) -> None:
        """Pacing is our own lateness: from when a message was due and had room, to when it is handed over.
        One that waits for its batch to be full is not late.
        """
        intended, room_ns = self._schedule.take(count), self._room_since_ns
        could = self._lingering.could_ns(intended)
        could = could if could[0] >= room_ns else [max(instant, room_ns) for instant in could]
        self._handed_over.append((could, now_ns))
        self._hold(count, now_ns)
        self._count_offered(intended)
        if self._measure_ns <= now_ns < self._end_ns:
            self.achieved += len(intended)
        first = self._shared.ledger.sent(self._number)
        self._pending.update(zip(range(first, first + len(intended)), intended, strict=True))
        try:
            self._submit(link, len(intended), intended)
        finally:
            self._note_stalled(now_ns, time.monotonic_ns())

    def _note_stalled(self, began_ns: int, ended_ns: int) -> None:
        """A peer that took what was written only after a while left no room meanwhile."""
        if ended_ns - began_ns > STALLED_NS:
            self._note_blocked(began_ns, True)
            self._note_blocked(ended_ns, False)
            self._room_since_ns = ended_ns

    def _account(self) -> None:
        super()._account()
        if self._handed_over:
            could, at_ns = zip(*self._handed_over, strict=True)
            self._handed_over = []
            self._shared.recorder.operations("pacing", joined(could), repeated(at_ns, could), 0)

    def _take_answers(self, link: Sender, timeout_s: float) -> None:
        was_full = self._in_flight >= self._window or self._is_stuck
        super()._take_answers(link, timeout_s)
        if was_full and self._in_flight < self._window and not self._is_stuck:
            self._room_since_ns = time.monotonic_ns()

    def _until_due_s(self, now_ns: int, due: int, room: int) -> float:
        """How long to wait for answers: until the next message is due, if it may be sent then."""
        patience_s, next_ns = self._patience_s(), self._schedule.next_ns
        if room <= 0 or next_ns is None:
            return patience_s
        if self._lingering:
            ready_ns = self._lingering.next_ns(self._schedule, room) or next_ns
            return min(patience_s, max(0.0, (ready_ns - time.monotonic_ns()) / 1e9))
        if due > 0:
            return 0.0
        if self._schedule.due(now_ns + TOGETHER_NS) > 1:
            next_ns = now_ns + TOGETHER_NS
        return min(patience_s, max(0.0, (next_ns - time.monotonic_ns()) / 1e9))

    def _note_blocked(self, now_ns: int, blocked: bool) -> None:
        if self._blocked_since_ns is not None:
            since, until = max(self._blocked_since_ns, self._measure_ns), min(now_ns, self._end_ns)
            self.blocked_ns += max(0, until - since)
        self._blocked_since_ns = now_ns if blocked else None

    def _operations(
        self, sequences: Sequence[int], sent_ns: Sequence[int], answered_ns: Sequence[int]
    ) -> None:
        recorder, pop = self._shared.recorder, self._pending.pop
        intended, sizes = [pop(sequence) for sequence in sequences], self._sizes(sequences)
        recorder.operations("produce", intended, answered_ns, sizes)
        recorder.operations("produce_service", sent_ns, answered_ns, sizes)

    def _ended(self, sequences: Sequence[int]) -> None:
        for sequence in sequences:
            del self._pending[sequence]

    def _connect(self) -> Sender:
        link = super()._connect()
        self._room_since_ns = time.monotonic_ns()  # without a connection there was none
        return link

    def _count_offered(self, intended: Sequence[int]) -> None:
        self.offered += len(intended) - bisect_left(intended, self._measure_ns)

    def _give_up_on_rest(self) -> None:
        self._release()
        if self._fast_path is not None:
            self._fast_path.release()
        ended_ns, unanswered = time.monotonic_ns(), list(self._pending.values())
        # what was not due yet, where it was told to stop, never was
        unsent = self._schedule.rest(ended_ns)
        self._count_offered(unsent)
        self._pending.clear()
        if unsent or unanswered:
            self._shared.recorder.unfinished("produce", unanswered + unsent, ended_ns)
