"""The closed-loop producer: send one message, wait for its answer, send the next."""

from __future__ import annotations

import threading
import time

from breakeven.clients.base import Answers, Outcome, Sender
from breakeven.loadgen.consumer import Consumer
from breakeven.loadgen.stamp import Stamper
from breakeven.loadgen.worker import LOOK_EVERY_S, Shared, Worker

#: a drain that lasts longer than this is helped by the producers' threads, seconds
HELP_AFTER_S = 0.25


class Producer(Worker[Sender]):
    """Sends to one queue until the drain starts, or until its share is sent.

    :param number: the producer's number within the case
    :param share: how many messages to send; None: until the drain starts, which it then helps with
    """

    metric = "produce"

    def __init__(self, number: int, queue: str, shared: Shared, share: int | None = None) -> None:
        super().__init__(f"producer {number}", queue, shared)
        workload = shared.case.workload
        self._number, self._share = number, share
        self._stamper = Stamper(shared.case.tag, number, workload.message_bytes)
        self._size, self._confirms = workload.message_bytes, workload.confirms
        self._times = (shared.send_times or {}).get(number)
        self._ends_ns = 0  # when the drain starts
        self.done = threading.Event()  # nothing more will be sent

    def work(self) -> None:
        if self._share is None:
            self._ends_ns = self._shared.timeline.stage("drain").start_ns
        super().work()
        self.done.set()
        if self._share is None and not self._shared.signals.finish.wait(HELP_AFTER_S):
            Consumer(f"drain helper {self._number}", self._queue, self._shared, helper=True).work()

    def _connect(self) -> Sender:
        return self._shared.client.sender(self._queue)

    def _wanted(self) -> bool:
        if self._share is None:
            return time.monotonic_ns() < self._ends_ns
        return self._shared.ledger.sent(self._number) < self._share

    def _step(self, link: Sender) -> None:
        sequence = self._shared.ledger.submitted(self._number)
        body = self._stamper.body(sequence)
        called_ns = time.monotonic_ns()
        if self._times is not None:
            self._times.note(sequence, called_ns)
        link.submit((sequence,), (body,))
        self._await(link, sequence, called_ns)

    def _await(self, sender: Sender, sequence: int, called_ns: int) -> None:
        while not self._shared.signals.stop.is_set():
            answers = sender.poll(LOOK_EVERY_S)
            self._record(answers, called_ns)
            if sequence in answers.sequence:
                return

    def _record(self, answers: Answers, called_ns: int) -> None:
        errors = answers.error or (None,) * len(answers.sequence)
        for sequence, outcome, answered_ns, error in zip(
            answers.sequence, answers.outcome, answers.answered_ns, errors, strict=True
        ):
            self._shared.ledger.answered(self._number, sequence, outcome)
            # without confirms a send ends with its write, and nobody ever says more about the message
            if outcome is Outcome.CONFIRMED or (outcome is Outcome.UNKNOWN and not self._confirms):
                self._shared.recorder.operation(self.metric, called_ns, answered_ns, self._size)
            else:
                self._shared.recorder.error(self.metric, answered_ns, error or outcome.value)
