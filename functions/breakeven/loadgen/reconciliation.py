"""The account of a case (rule 6 of docs/rules.md): its loaders' ledgers and what is left in the queues."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from breakeven.loadgen import case_figures
from breakeven.loadgen.ledger.ledger import Ledger, ProducerLedger
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.ledger.sequences import SequenceSet
from breakeven.loadgen.result import LoaderResult


class Account(case_figures.Ledger):
    """Messages. ``sent = confirmed + returned + nacked + unknown``; ``sent = received + missing + left``.

    Of a complete ledger what was received is believed before any count: ``left`` is never more than what was
    not received, so that a message that came back after it had been in hand, or that is not ours, is not
    left. ``lost``: confirmed and missing. Where the count is exact, it is lessened by what is left, so that
    it is at least this many; by an estimate it never is. None when a loader ended without its ledger, since
    its receipts are in doubt; and when the drain was cut short while messages still came, and only an
    estimate says how many more would have. ``complete``: no loader ended so. ``closed``: complete, lost is
    known, and nothing is left.
    """

    complete: bool

    @property
    def estimates(self) -> bool:
        """Does what is left go by an estimate?"""
        return self.left > 0 and self.queue_count_exact is False

    def row(self) -> dict[str, Any]:
        """The columns of ``results.schemas.LEDGERS`` but the case's."""
        return self.model_dump(by_alias=True, exclude={"complete"})


@dataclass(frozen=True, slots=True)
class _Outcomes:
    """One producer's messages over all loaders, as counts."""

    sent: int
    confirmed: int
    returned: int
    nacked: int
    received: int
    confirmed_not_received: int
    not_received: int  # of those that were not refused: what may be in a queue
    copies: int  # received by more than one loader


def outstanding(results: list[LoaderResult]) -> int:
    """Messages that may be in a queue: sent, not refused, and in nobody's hand."""
    return sum(each.not_received for each in _by_producer(results))


def account(results: list[LoaderResult], count: QueueCount | None) -> Account:
    """Add the loaders' ledgers up.

    A message in hand that its (killed) sender's last checkpoint does not know was sent all the same: it
    counts as sent and unknown.

    :param count: what the target says is left; None: it was not asked
    """
    ledgers, producers = [result.ledger for result in results], _by_producer(results)
    sent, confirmed = sum(p.sent for p in producers), sum(p.confirmed for p in producers)
    returned, nacked = sum(p.returned for p in producers), sum(p.nacked for p in producers)
    received = sum(p.received for p in producers)
    complete = (
        bool(results) and len(results) == results[0].loaders and all(result.final for result in results)
    )
    left = _left(results, producers, count) if complete else count.messages if count else 0
    lost = _lost(results, producers, left, count) if complete else None
    return Account(
        sent=sent,
        confirmed=confirmed,
        returned=returned,
        nacked=nacked,
        unknown=sent - confirmed - returned - nacked,
        received=received,
        missing=max(0, sent - received - left),
        left=left,
        lost=lost,
        duplicates=sum(ledger.duplicates for ledger in ledgers) + sum(p.copies for p in producers),
        redelivered=sum(ledger.redelivered for ledger in ledgers),
        out_of_order=sum(ledger.out_of_order for ledger in ledgers),
        unexpected=sum(ledger.unexpected for ledger in ledgers),
        complete=complete,
        closed=complete and lost is not None and left == 0,
        queue_count=count.messages if count else None,
        queue_count_exact=count.exact if count else None,
        queue_count_steady=count.steady if count else None,
    )


def _by_producer(results: list[LoaderResult]) -> list[_Outcomes]:
    ledgers = [result.ledger for result in results]
    numbers = {number for ledger in ledgers for number in (*ledger.producers, *ledger.received)}
    return [_outcomes(ledgers, number) for number in sorted(numbers)]


def _left(results: list[LoaderResult], producers: list[_Outcomes], count: QueueCount | None) -> int:
    if count is None or not (count.exact or was_cut_short(results)):
        return 0  # nothing more came while it was waited for: an estimate does not tell better
    return min(count.messages, sum(p.not_received for p in producers))


def _lost(
    results: list[LoaderResult], producers: list[_Outcomes], left: int, count: QueueCount | None
) -> int | None:
    lost = sum(p.confirmed_not_received for p in producers)
    if count is None or count.exact:
        return max(0, lost - left)
    return None if lost and was_cut_short(results) else lost


def was_cut_short(results: list[LoaderResult]) -> bool:
    """Did the drain end while new messages still came?"""
    return any(result.still_came for result in results)


def _outcomes(ledgers: list[Ledger], number: int) -> _Outcomes:
    own = next(
        (ledger.producers[number] for ledger in ledgers if number in ledger.producers), ProducerLedger()
    )
    parts = [ledger.received[number] for ledger in ledgers if number in ledger.received]
    received = _union(parts)
    nacked = own.nacked - own.returned
    confirmed = own.confirmed - own.refused()
    return _Outcomes(
        sent=len(SequenceSet.first(own.sent) | received),
        confirmed=len(confirmed),
        returned=len(own.returned),
        nacked=len(nacked),
        received=len(received),
        confirmed_not_received=len(confirmed - received),
        not_received=len(SequenceSet.first(own.sent) - own.refused() - received),
        copies=sum(len(part) for part in parts) - len(received),
    )


def _union(parts: Iterable[SequenceSet]) -> SequenceSet:
    result = SequenceSet()
    for part in parts:
        result = result | part
    return result
