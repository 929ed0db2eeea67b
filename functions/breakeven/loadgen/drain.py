"""End of a case's drain: every message that may be in a queue has been in hand."""

from __future__ import annotations

import time
from collections.abc import Callable

from breakeven.loadgen.coordination import CaseProgress
from breakeven.loadgen.ledger.ledger import LoaderLedger, Outstanding
from breakeven.loadgen.workers.worker import Shared
from breakeven.targets.catalog import record_of
from breakeven.workload.case import Case

#: while new messages come more often than this, seconds, a drain is under way, and a deadline ends it
UNDER_WAY_S = 1.0
#: seconds that count as idle between two looks, at most. A longer time without a look is one in which the
#: loader itself was held up, and its consumers with it: nothing can be said of what would have come
HELD_UP_S = 0.25


class Drain:
    """Looks whether the case's ledger is closed.

    A loader that has all of the case's workers knows by sequence. Several go by the totals they exchange,
    in which a copy received by two loaders counts twice: such a case may end its drain early by as many
    messages as it has copies, and these are then counted as left in the queue.
    """

    def __init__(
        self, case: Case, ledger: LoaderLedger, exchanged: Callable[[], CaseProgress | None]
    ) -> None:
        self._case, self._ledger, self._exchanged = case, ledger, exchanged
        self._waits = record_of(case.target).waits.beyond(case.workload.in_hand_s)
        self._received, self._idle_s = -1, 0.0
        self._looked_ns = time.monotonic_ns()

    def is_closed(self, after: int | None = None) -> bool:
        """Every confirmed message was in hand, and every other that may exist was, or has had its time.

        :param after: between two rates of a search, the order whose producers have ended; None: at the end
        """
        patient = self.idle_s() <= self._waits.unknown
        outstanding = self._outstanding(patient, after)
        if outstanding is None or outstanding.confirmed:
            return False
        return not (outstanding.unknown and patient)

    def is_overdue(self, deadline_ns: int) -> bool:
        """Is it past its deadline? Where none comes any more, what may be hidden is waited for beyond it."""
        if time.monotonic_ns() <= deadline_ns:
            return False
        return not UNDER_WAY_S < self.idle_s() < self._waits.hidden

    def is_idle(self, seconds: float) -> bool:
        """Has nothing come for so long, and for as long as a message may be hidden?"""
        return self.idle_s() > max(seconds, self._waits.hidden)

    def still_comes(self) -> bool:
        """Is it too early to say that what has not come does not come any more?"""
        return self.idle_s() < max(UNDER_WAY_S, self._waits.hidden)

    def idle_s(self) -> float:
        """How long the loader has been at work since the case's last new message was seen to have come."""
        now_ns, received = time.monotonic_ns(), self._total_received()
        self._idle_s += min((now_ns - self._looked_ns) / 1e9, HELD_UP_S)
        self._looked_ns = now_ns
        if received != self._received:
            self._received, self._idle_s = received, 0.0
        return self._idle_s

    def _total_received(self) -> int:
        if self._case.loaders == 1:
            return self._ledger.counts().received
        exchanged = self._exchanged()
        return exchanged.received if exchanged else 0

    def _outstanding(self, patient: bool, after: int | None) -> Outstanding | None:
        """None when it is plain that the ledger is not closed."""
        if self._case.loaders == 1:
            counts = self._ledger.counts()
            if patient and counts.received < counts.expected:
                return None  # spares the exact look, which is dearer
            return self._ledger.outstanding()
        exchanged = self._exchanged()
        if exchanged is None or exchanged.reports < self._case.loaders:
            return None
        if exchanged.producing if after is None else exchanged.ended < after:
            return None  # more may be sent
        missing = max(0, exchanged.expected - exchanged.received)
        unknown = min(missing, exchanged.unknown)
        return Outstanding(missing - unknown, unknown)


def censor(shared: Shared) -> None:
    """If the drain ended early: what was not received took at least until now.

    Of several loaders none knows what the others have received.
    """
    send_times, case, now_ns = shared.send_times, shared.case, time.monotonic_ns()
    is_known = case.loaders == 1 and case.workload.mode == "parallel"
    if shared.signals.drained or send_times is None or not is_known:
        return
    for producer, sequences in shared.ledger.not_received().items():
        if own := send_times.get(producer):
            sent_ns = [instant for instant in own.find_many(sequences.tolist()) if instant >= 0]
            shared.recorder.unfinished("end_to_end", sent_ns, now_ns)
