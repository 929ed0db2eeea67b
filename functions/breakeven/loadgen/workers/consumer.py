"""The consumer: ask (or wait for what is pushed), take in hand, process, settle, ask again."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from breakeven.clients import columns
from breakeven.clients.base import Deliveries, Receiver, Settled
from breakeven.clients.fast_path import ReceivesOnFastPath
from breakeven.loadgen.ledger.ledger import Receipts
from breakeven.loadgen.record.timestamps import Sizes, as_one, listed, repeated
from breakeven.loadgen.workers.first_copies import first_copies, ours
from breakeven.loadgen.workers.in_hand import InHand
from breakeven.loadgen.workers.worker import FAST_PATH_NS, MIXED, TOLERATED_S, Shared, Worker
from breakeven.workload.rate_profile import Profile

#: the pause after an ask that came back empty, seconds: the first, and the most it doubles to while the
#: queue stays empty. A message that arrives in a pause waits for its end, so up to 64 ms of an end-to-end
#: latency on an idle queue is ours. Long polls and push consumers have no pause.
EMPTY_PAUSE_S = (0.001, 0.064)
#: how long asks go on without a pause while messages are outstanding and none comes: one that is hidden comes
#: back after many times this, and a lost one never, seconds
EAGER_S = 5.0


class Consumer(Worker[Receiver]):
    """Consumes from one queue until the drain is over.

    A body that is not this case's is counted and left unsettled: whoever owns it must not lose it.

    :param helper: joins for the drain only; its failure is not the case's
    """

    metric = "consume"

    def __init__(self, name: str, queue: str, shared: Shared, *, helper: bool = False) -> None:
        super().__init__(name, queue, shared)
        workload = shared.case.workload
        self._helper, self._size, self._polls = helper, workload.message_bytes, workload.wait_s == 0
        #: what counts from a request: how long one waited is no latency (rule 2 of docs/rules.md)
        self._cycle = ("consume_cycle",) if self._polls else ()
        self._pause_s = EMPTY_PAUSE_S[0]
        self._eager_since_ns: int | None = None  # asks have come back empty since, with messages outstanding
        self._empty_ns: list[int] = []  # asks that have come back empty since its last message
        self._rested_ns = 0  # and how long it has paused
        self._highest: dict[int, int] = {}
        self._in_hand = InHand(workload)
        self._taken: list[tuple[Deliveries, Receipts]] = []  # not accounted for yet
        #: asked_ns, when it was written, and of a mix the bytes
        self._settled: list[tuple[Sequence[int], Settled, int, Sequence[int]]] = []
        self._held_bytes: dict[object, int] = {}  # of a mix: those in hand, by handle
        self._fast_path: ReceivesOnFastPath | None = None
        self._processing: Profile | None = None
        if workload.processing_ms or workload.processing_profile:
            self._processing = Profile(workload.processing_ms, workload.warmup_s, workload.processing_profile)

    def work(self) -> None:
        try:
            super().work()
        finally:
            if self._empty_ns:
                self._shared.recorder.waited_out(self.metric, self._empty_ns, self._rested_ns)

    def _connect(self) -> Receiver:
        link = self._shared.client.receiver(self._queue)
        self._fast_path = None
        if self._shared.sizes is not None:
            if isinstance(link, ReceivesOnFastPath):
                self._shared.recorder.fell_back(MIXED)
        elif self._processing is None and isinstance(link, ReceivesOnFastPath):
            self._fast_path = link if link.expect(self._shared.ledger.ours()) else None
            self._note_path(link)
        return link

    def _wanted(self) -> bool:
        if not self._shared.signals.finish.is_set():
            return True
        return bool(self._in_hand) and self._failing_s() < TOLERATED_S

    def _step(self, link: Receiver) -> None:
        if self._in_hand and (handles := self._to_settle()):
            self._settle(link, handles)
            return
        if self._fast_path is not None and self._received_on_fast_path(self._fast_path):
            return
        if not self._polls:
            self._release()  # a long poll waits for seconds, whatever it is asked
        deliveries = link.receive(self._in_hand.patience_s(time.monotonic_ns(), self._patience_s()))
        self._shared.recorder.calls(self.metric, deliveries.calls)
        for error, failed_ns in deliveries.failed:
            self._shared.recorder.error(self.metric, failed_ns, error)
        self._starved(deliveries)
        if len(deliveries.handle):
            self._pause_s, self._eager_since_ns = EMPTY_PAUSE_S[0], None
            self._take(deliveries)
        else:
            self._release_old()
            self._rest(deliveries)

    def _receipts(self, deliveries: Deliveries) -> Receipts:
        receipts = self._shared.ledger.receive(deliveries.stamp, deliveries.redelivered, self._highest)
        if self._shared.group_order is not None:
            self._shared.group_order.took(receipts, deliveries.redelivered, deliveries.in_hand_ns)
        return receipts

    def _take(self, deliveries: Deliveries) -> None:
        receipts = self._receipts(deliveries)
        if not all(receipts.ours):
            deliveries, receipts = ours(deliveries, receipts)
            if not receipts.ours:
                return
        if self._shared.sizes is not None:
            sizes = self._shared.sizes.of_many(receipts.producer, receipts.sequence)
            self._held_bytes.update(zip(deliveries.handle, sizes.tolist(), strict=True))
        asked_ns = dict(zip(deliveries.handle, deliveries.asked_ns, strict=True))
        self._in_hand.take(asked_ns, time.monotonic_ns())
        self._taken.append((deliveries, receipts))
        self._hold(len(receipts.ours), int(deliveries.in_hand_ns[-1]))

    def _received_on_fast_path(self, link: ReceivesOnFastPath) -> bool:
        """Take the fast path for a while; False where the general path has to go first."""
        received = link.receive_on_fast_path(time.monotonic_ns() + FAST_PATH_NS)
        if received is None:
            return False
        if len(received.deliveries.in_hand_ns):
            self._pause_s, self._eager_since_ns = EMPTY_PAUSE_S[0], None
            self._count(received.deliveries)
        if received.settled is not None and len(received.settled.asked_ns):
            recorder, settled = self._shared.recorder, received.settled
            recorder.operations("settle", settled.called_ns, settled.replied_ns, self._size)
            for metric in self._cycle:
                recorder.operations(metric, settled.asked_ns, settled.replied_ns, self._size)
            for metric in ("settle", *self._cycle):
                recorder.by_core(metric, settled.replied_ns, received.by_general)
        self._starved(received.deliveries)
        if received.in_hand is not None:
            self._take(received.in_hand)
        self._in_hand.take(dict(received.unsettled), time.monotonic_ns())
        if received.error:
            if received.deliveries.empty or len(received.deliveries.in_hand_ns):
                self._well()  # before it failed
            raise received.error
        self._rest(received.deliveries)
        return True

    def _count(self, deliveries: Deliveries) -> None:
        """Messages that were taken in hand, and settled or about to be, on the fast path."""
        receipts = self._receipts(deliveries)
        self._taken.append((deliveries, receipts))
        self._account()
        self._shared.recorder.by_core("consume", deliveries.in_hand_ns)

    def _starved(self, deliveries: Deliveries) -> None:
        if len(deliveries.in_hand_ns):
            self._empty_ns, self._rested_ns = [], 0
        for _, answered_ns in deliveries.empty:
            self._shared.recorder.starved(self.metric, answered_ns)
            if not len(deliveries.in_hand_ns) or answered_ns > deliveries.in_hand_ns[-1]:
                self._empty_ns.append(answered_ns)

    def _rest(self, deliveries: Deliveries) -> None:
        """Pause after an ask that came back empty, where asks do not wait themselves.

        SQS' short polls ask some of its servers only, and may be empty where the queue is not (SQS developer
        guide, "Amazon SQS short and long polling"): while messages are outstanding there is no pause.
        """
        if not deliveries.empty or not self._polls:
            return
        began_ns = time.monotonic_ns()
        if self._is_eager(began_ns):
            return
        self._shared.signals.sleep(self._pause_s)
        ended_ns = time.monotonic_ns()
        self._shared.recorder.paused(self.metric, began_ns, ended_ns)
        self._rested_ns += ended_ns - began_ns
        self._pause_s = min(self._pause_s * 2, EMPTY_PAUSE_S[1])

    def _is_eager(self, now_ns: int) -> bool:
        """Is a message to be expected at any moment?"""
        if not self._shared.outstanding():
            self._eager_since_ns = None
            return False
        if self._eager_since_ns is None:
            self._eager_since_ns = now_ns
        return now_ns - self._eager_since_ns < EAGER_S * 1e9

    def _account(self) -> None:
        if self._taken:
            taken, self._taken = self._taken, []
            self._account_for(*zip(*taken, strict=True))
        if self._settled:
            settled, self._settled = self._settled, []
            self._account_for_settled(*zip(*settled, strict=True))

    def _account_for(self, deliveries: Sequence[Deliveries], receipts: Sequence[Receipts]) -> None:
        recorder, in_hand_ns = (
            self._shared.recorder,
            columns.joined([each.in_hand_ns for each in deliveries]),
        )
        sizes: Sizes = self._size
        if self._shared.sizes is not None:
            received = Receipts.together(receipts)
            sizes = self._shared.sizes.of_many(received.producer, received.sequence)
        if self._polls and deliveries[0].asked_ns[0] >= 0:
            asked_ns = columns.joined([each.asked_ns for each in deliveries])
            recorder.operations("consume", asked_ns, in_hand_ns, sizes)
        else:
            recorder.completions("consume", as_one(in_hand_ns), len(in_hand_ns), sizes)
        if self._shared.send_times is not None:
            self._end_to_end(Receipts.together(receipts), in_hand_ns)

    def _end_to_end(self, receipts: Receipts, in_hand_ns: Sequence[int]) -> None:
        """Of first copies; by producer, as each has its own send times."""
        send_times, recorder = self._shared.send_times, self._shared.recorder
        assert send_times is not None
        for producer, sequences, instants in first_copies(receipts, in_hand_ns, self._shared.loaded):
            ended_ns = instants
            own = send_times.get(producer)
            if own is None:
                recorder.skip("end_to_end", int(ended_ns[-1]), len(sequences))
                continue
            found, sent_ns = sequences, own.find_many(sequences)
            if min(sent_ns) < 0:
                each_ns = repeated(listed(ended_ns), len(sequences))
                rows = zip(sequences, sent_ns, each_ns, strict=True)
                known = [row for row in rows if row[1] >= 0]
                recorder.skip("end_to_end", int(ended_ns[-1]), len(sequences) - len(known))
                if not known:
                    continue
                found, sent_ns, ended_ns = map(list, zip(*known, strict=True))
            sizes = self._size if self._shared.sizes is None else self._shared.sizes.of(producer, found)
            recorder.operations("end_to_end", sent_ns, as_one(ended_ns), sizes)
            if self._shared.trend is not None:
                self._shared.trend.add(sent_ns, ended_ns)

    def _to_settle(self) -> tuple[object, ...]:
        """What is to be settled next, once it is processed."""
        self._in_hand.process(self._process)
        return self._in_hand.to_settle(time.monotonic_ns(), at_once=self._shared.signals.finish.is_set())

    def _process(self) -> int:
        """Process one message; returns when that was done."""
        assert self._processing is not None
        started_ns = self._shared.timeline.work_ns
        elapsed_s = (time.monotonic_ns() - started_ns) / 1e9
        self._shared.signals.sleep(self._processing.at(elapsed_s) / 1e3)
        return time.monotonic_ns()

    def _settle(self, receiver: Receiver, handles: Sequence[object]) -> None:
        recorder = self._shared.recorder
        settled = receiver.settle(handles)
        written_ns = time.monotonic_ns()
        for error, failed_ns in settled.failed:
            recorder.error(self.metric, failed_ns, error)
        recorder.calls("settle", settled.calls)
        self._in_hand.settled(settled.refused)
        self._bytes_of(settled.refused)
        if not len(settled.handle):
            return
        asked_ns, sizes = self._in_hand.settled(settled.handle), self._bytes_of(settled.handle)
        if asked_ns[0] >= 0 or settled.replied_ns[0] >= 0:
            self._settled.append((asked_ns, settled, written_ns, sizes))
        self._hold(0, written_ns)

    def _bytes_of(self, handles: Sequence[object]) -> Sequence[int]:
        """Of a mix the bytes of messages that are no longer in hand; else nothing."""
        return [self._held_bytes.pop(handle) for handle in handles] if self._held_bytes else ()

    def _account_for_settled(
        self,
        asked_ns: Sequence[Sequence[int]],
        settled: Sequence[Settled],
        written_ns: Sequence[int],
        mixed: Sequence[Sequence[int]],
    ) -> None:
        recorder, asked = self._shared.recorder, columns.joined(asked_ns)
        sizes: Sizes = np.asarray(columns.joined(mixed), np.int64) if mixed[0] else self._size
        # without a reply, settled is the moment the acknowledgement has been written
        ended_ns = columns.repeated(written_ns, asked_ns)
        if settled[0].replied_ns[0] >= 0:
            ended_ns = columns.joined([each.replied_ns for each in settled])
            called_ns = columns.joined([each.called_ns for each in settled])
            recorder.operations("settle", called_ns, ended_ns, sizes)
        if asked[0] >= 0:
            for metric in self._cycle:
                recorder.operations(metric, asked, ended_ns, sizes)

    def _lost(self) -> None:
        self._held_bytes.clear()
        self._in_hand.clear()  # the target hands them out again: they will count as copies

    def _judge(self) -> None:
        if not self._helper and not self._shared.signals.drained:
            super()._judge()
