"""Base of all producers; and the closed-loop one: so many unanswered messages, and never more."""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Sequence

from breakeven.clients.base import Answers, CallFailed, Outcome, Sender
from breakeven.clients.columns import together
from breakeven.clients.fast_path import Origin, SendBatch, SendsOnFastPath, Sent, WhenSent
from breakeven.loadgen.ledger.stamp import Stamper
from breakeven.loadgen.record.timestamps import Int64s, Sizes, as_one, listed, repeated
from breakeven.loadgen.stages import HELP_AFTER_S
from breakeven.loadgen.workers.consumer import Consumer
from breakeven.loadgen.workers.worker import FAST_PATH_NS, MIXED, Shared, Worker

#: messages that are due within this time of each other are sent together, nanoseconds: at most half of what
#: a loader may be late before its figures are a lower bound
TOGETHER_NS = 500_000


class Producer(Worker[Sender]):
    """Sends to one queue, and then helps with a drain that lasts.

    :param number: the producer's number within the case
    """

    metric = "produce"

    def __init__(self, number: int, queue: str, shared: Shared, *, helps: bool = True) -> None:
        super().__init__(f"producer {number}", queue, shared)
        workload = shared.case.workload
        self._number, self._helps = number, helps
        self._stamper = Stamper(shared.case.tag, number, workload.most_bytes)
        self._size, self._confirms, self._window = workload.message_bytes, workload.confirms, workload.window
        self._times = shared.send_times.get(number) if shared.send_times else None
        self._in_flight = 0  # submitted on this connection and not answered
        #: when each message was to be sent, by sequence, of those without an answer; an open loop's, and what
        #: a sender on the fast path releases
        self._pending: dict[int, int] = {}
        self._fast_path: SendsOnFastPath | None = None
        self._most = 0  # messages that a batch of the fast path may be of; 0: none
        self._answers: list[Answers] = []  # not accounted for yet
        self.done = threading.Event()  # nothing more will be sent

    def work(self) -> None:
        super().work()
        self.done.set()
        if self._helps and not self._shared.signals.finish.wait(HELP_AFTER_S):
            Consumer(f"drain helper {self._number}", self._queue, self._shared, helper=True).work()

    def _connect(self) -> Sender:
        link = self._shared.client.sender(self._queue)
        if self._shared.sizes is not None:
            if isinstance(link, SendsOnFastPath):
                self._shared.recorder.fell_back(MIXED)
            return link
        self._fast_path = link if isinstance(link, SendsOnFastPath) else None
        self._most = self._fast_path.prepare(self._origin()) if self._fast_path else 0
        self._note_path(link)
        return link

    def _origin(self) -> Origin:
        return Origin(
            tag=self._stamper.tag,
            producer=self._number,
            size=self._size,
            rest=self._stamper.rest,
            bodies=self._stamper.bodies,
            together_ns=TOGETHER_NS,
            times=None if self._times is None else self._times.memory,
        )

    def _lost(self) -> None:
        self._in_flight = 0

    def _submit(self, link: Sender, count: int, intended_ns: int | Sequence[int]) -> range:
        """Hand over the next messages; returns their sequences."""
        first = self._shared.ledger.submitted(self._number, count)
        sequences = range(first, first + count)
        if self._times is not None:
            self._times.note(first, intended_ns, count)
        try:
            link.submit(sequences, self._bodies(sequences))
        except CallFailed as error:
            self._in_flight += error.taken
            self._ended(sequences[error.taken :])
            raise
        self._in_flight += count
        return sequences

    def _bodies(self, sequences: range) -> Sequence[bytes]:
        if self._shared.sizes is None:
            return self._stamper.bodies(sequences.start, len(sequences))
        return self._stamper.sized(sequences, self._shared.sizes.of(self._number, sequences).tolist())

    def _sizes(self, sequences: Sequence[int]) -> Sizes:
        """Bytes of messages, as the recorder takes them."""
        return self._size if self._shared.sizes is None else self._shared.sizes.of(self._number, sequences)

    def _send_on_fast_path(
        self, most: int, until_ns: int, when_sent: WhenSent, due_ns: Int64s | None, room_since_ns: int = 0
    ) -> Sent | None:
        """Have the connection send by itself for a while; None where it has to be done step by step."""
        assert self._fast_path is not None
        first = self._shared.ledger.sent(self._number)
        batch = SendBatch(first, most, due_ns, when_sent, room_since_ns)
        sent = self._fast_path.send_on_fast_path(batch, until_ns, self._pending)
        if sent is None:
            return None
        count, answered = len(sent.handed_ns), len(sent.sequence)
        self._shared.ledger.submitted(self._number, count)
        self._in_flight += count - answered - len(sent.failed)
        if answered:
            self._well()  # whatever failed after it
            self._shared.ledger.answered(self._number, sent.sequence, [sent.outcome] * answered)
            self._shared.recorder.by_core(self.metric, sent.answered_ns, sent.by_general)
        return sent

    def _take_answers(self, link: Sender, timeout_s: float) -> None:
        answers = link.poll(timeout_s)
        self._shared.recorder.calls(self.metric, answers.calls)
        for error, failed_ns in answers.failed:
            self._shared.recorder.error(self.metric, failed_ns, error)
        if count := len(answers.sequence):
            self._in_flight -= count
            self._answers.append(answers)
            self._hold(count, int(answers.answered_ns[-1]))
        else:
            self._release_old()

    def _account(self) -> None:
        if self._answers:
            answers, self._answers = together(Answers, self._answers), []
            self._shared.ledger.answered(self._number, answers.sequence, answers.outcome)
            self._record(answers)

    def _record(self, answers: Answers) -> None:
        """Count what went well as operations, and the rest as errors."""
        first, outcomes = answers.outcome[0], answers.outcome
        alike = outcomes.count(first) == len(outcomes)
        well = self._well_done((first,) if alike else outcomes)
        if all(well):
            self._operations(answers.sequence, answers.sent_ns, answers.answered_ns)
            return
        well = list(well) * len(outcomes) if alike else well
        answered = repeated(listed(answers.answered_ns), len(outcomes))
        columns = (answers.sequence, repeated(listed(answers.sent_ns), len(outcomes)), answered)
        kept = [entry for entry, good in zip(zip(*columns, strict=True), well, strict=True) if good]
        if kept:
            self._operations(*zip(*kept, strict=True))
        self._ended([sequence for sequence, good in zip(answers.sequence, well, strict=True) if not good])
        errors = answers.error or (None,) * len(well)
        for good, outcome, error, at_ns in zip(well, answers.outcome, errors, answered, strict=True):
            if not good:
                self._shared.recorder.error(self.metric, at_ns, error or outcome.value)

    def _well_done(self, outcomes: Sequence[Outcome]) -> Sequence[bool]:
        """Without confirms a send ends with its write, and nobody ever says more about the message."""
        good = (Outcome.CONFIRMED,) if self._confirms else (Outcome.CONFIRMED, Outcome.UNKNOWN)
        return [outcome in good for outcome in outcomes]

    def _ended(self, sequences: Sequence[int]) -> None:
        """Messages that ended otherwise than well: no latency of theirs is recorded."""
        return

    @abstractmethod
    def _operations(
        self, sequences: Sequence[int], sent_ns: Sequence[int], answered_ns: Sequence[int]
    ) -> None:
        """Record messages whose sends went well."""


class ClosedProducer(Producer):
    """Keeps ``window`` messages unanswered until the drain starts, or until its share is sent.

    :param share: how many messages to send; None: until the drain starts, which it then helps with
    """

    def __init__(self, number: int, queue: str, shared: Shared, share: int | None = None) -> None:
        super().__init__(number, queue, shared, helps=share is None)
        self._share = share
        if share is not None:
            self._times = None  # how long what is loaded stays in a queue is the test's own doing
        self._ends_ns = 0  # when the drain starts

    def work(self) -> None:
        if self._share is None:
            self._ends_ns = self._shared.timeline.stage("drain").start_ns
        super().work()

    def _wanted(self) -> bool:
        return self._in_flight > 0 or self._left() > 0

    def _left(self) -> int:
        """How many more to send, as far as is known now."""
        if self._share is None:
            return self._window if time.monotonic_ns() < self._ends_ns else 0
        return self._share - self._shared.ledger.sent(self._number)

    def _step(self, link: Sender) -> None:
        if self._most and self._go_on_fast_path():
            return
        room = min(self._window - self._in_flight, self._left())
        if room > 0:
            self._submit(link, room, time.monotonic_ns())
        self._take_answers(link, self._patience_s())

    def _go_on_fast_path(self) -> bool:
        now_ns = time.monotonic_ns()
        until_ns, most, when_sent = now_ns + FAST_PATH_NS, self._most, WhenSent.COME_BACK
        if self._share is None:
            until_ns = min(until_ns, self._ends_ns)
            if now_ns >= self._ends_ns:
                until_ns, most, when_sent = now_ns + FAST_PATH_NS, 0, WhenSent.ANSWERED
        elif self._left() <= most:
            most, when_sent = self._left(), WhenSent.ANSWERED
        sent = self._send_on_fast_path(most, until_ns, when_sent, None)
        if sent is None:
            return False
        if len(sent.sequence):
            self._operations(sent.sequence, sent.sent_ns, sent.answered_ns)  # type: ignore[arg-type]
        if sent.error:
            raise sent.error
        return True

    def _operations(
        self, sequences: Sequence[int], sent_ns: Sequence[int], answered_ns: Sequence[int]
    ) -> None:
        sizes = self._sizes(sequences)
        self._shared.recorder.operations(self.metric, sent_ns, as_one(answered_ns), sizes)
