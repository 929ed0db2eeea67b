"""The closed-loop consumer: ask, take in hand, settle, ask again."""

from __future__ import annotations

import time

from breakeven.clients.base import Deliveries, Receiver
from breakeven.loadgen.worker import LOOK_EVERY_S, TOLERATED_S, Shared, Worker

#: the pause after an ask that came back empty, seconds: the first, and the most it doubles to while the
#: queue stays empty. A message that arrives in a pause waits for its end, so up to 64 ms of an end-to-end
#: latency on an idle queue is ours. Long polls and push consumers have no pause.
EMPTY_PAUSE_S = (0.001, 0.064)


class Consumer(Worker[Receiver]):
    """Consumes from one queue until the drain is over.

    A body that is not this case's is counted and left unsettled: whoever owns it must not lose it.

    :param helper: joins for the drain only; its failure is not the case's
    """

    metric = "consume"

    def __init__(self, name: str, queue: str, shared: Shared, *, helper: bool = False) -> None:
        super().__init__(name, queue, shared)
        self._helper = helper
        self._size = shared.case.workload.message_bytes
        self._polls = shared.case.workload.wait_s == 0
        self._pause_s = EMPTY_PAUSE_S[0]
        self._highest: dict[int, int] = {}
        self._in_hand: dict[object, int] = {}  # not settled yet: handle -> asked_ns

    def _connect(self) -> Receiver:
        return self._shared.client.receiver(self._queue)

    def _wanted(self) -> bool:
        if not self._shared.signals.finish.is_set():
            return True
        return bool(self._in_hand) and self._failing_s() < TOLERATED_S

    def _step(self, link: Receiver) -> None:
        if self._in_hand:
            self._settle(link)
            return
        deliveries = link.receive(LOOK_EVERY_S)
        for error, failed_ns in deliveries.failed:
            self._shared.recorder.error(self.metric, failed_ns, error)
        for _, answered_ns in deliveries.empty:
            self._shared.recorder.starved(self.metric, answered_ns)
        if len(deliveries.handle):
            self._pause_s = EMPTY_PAUSE_S[0]
            self._take(deliveries)
        elif deliveries.empty and self._polls:
            self._shared.signals.sleep(self._pause_s)
            self._pause_s = min(self._pause_s * 2, EMPTY_PAUSE_S[1])

    def _take(self, deliveries: Deliveries) -> None:
        shared = self._shared
        columns = (deliveries.stamp, deliveries.asked_ns, deliveries.in_hand_ns, deliveries.redelivered)
        for stamp, asked_ns, in_hand_ns, redelivered, handle in zip(*columns, deliveries.handle, strict=True):
            receipt = shared.ledger.receive(stamp, redelivered, self._highest)
            if receipt is None:
                continue
            self._in_hand[handle] = asked_ns
            if asked_ns >= 0:
                shared.recorder.operation("consume", asked_ns, in_hand_ns, self._size)
            else:
                shared.recorder.completion("consume", in_hand_ns, self._size)
            producer, sequence, is_new = receipt
            if is_new and shared.send_times is not None:
                own = shared.send_times.get(producer)
                self._end_to_end(own.find(sequence) if own else None, in_hand_ns)

    def _end_to_end(self, sent_ns: int | None, in_hand_ns: int) -> None:
        if sent_ns is None:
            self._shared.recorder.skip("end_to_end", in_hand_ns)
        else:
            self._shared.recorder.operation("end_to_end", sent_ns, in_hand_ns, self._size)

    def _settle(self, receiver: Receiver) -> None:
        recorder = self._shared.recorder
        settled = receiver.settle(tuple(self._in_hand))
        written_ns = time.monotonic_ns()
        for error, failed_ns in settled.failed:
            recorder.error(self.metric, failed_ns, error)
        for handle, called_ns, replied_ns in zip(
            settled.handle, settled.called_ns, settled.replied_ns, strict=True
        ):
            asked_ns = self._in_hand.pop(handle)
            if replied_ns >= 0:
                recorder.operation("settle", called_ns, replied_ns, self._size)
            if asked_ns >= 0:
                # without a reply, settled is the moment the acknowledgement has been written
                recorder.operation(
                    "consume_cycle", asked_ns, replied_ns if replied_ns >= 0 else written_ns, self._size
                )

    def _lost(self) -> None:
        self._in_hand.clear()  # the target hands them out again: they will count as copies

    def _judge(self) -> None:
        if not self._helper and not self._shared.signals.drained:
            super()._judge()
