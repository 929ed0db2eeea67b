"""The account of a case (rule 6 of the design): its loaders' ledgers and what is left in the queues."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from breakeven.loadgen.ledger import Ledger, ProducerLedger
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.sequences import SequenceSet


@dataclass(frozen=True, slots=True)
class Account:
    """Messages. ``sent = confirmed + returned + nacked + unknown``; ``sent = received + missing + left``.

    ``lost``: confirmed and missing, less what may be left in the queues, so at least this many; None when
    a loader ended without its ledger, since its receipts are in doubt. ``complete``: no loader did.
    ``closed``: complete, and nothing is left. With messages left the terms need not add up: one that was
    handed out and came back is received and left, and what is not ours is left as well.
    """

    sent: int
    confirmed: int
    returned: int
    nacked: int
    unknown: int
    received: int
    missing: int
    left: int
    lost: int | None
    duplicates: int
    redelivered: int
    out_of_order: int
    unexpected: int
    complete: bool
    closed: bool

    def row(self) -> dict[str, Any]:
        """The columns of ``results.schemas.LEDGERS`` but the case's."""
        return {
            "sent": self.sent,
            "confirmed": self.confirmed,
            "returned": self.returned,
            "nacked": self.nacked,
            "unknown": self.unknown,
            "received": self.received,
            "missing": self.missing,
            "left_in_queue": self.left,
            "lost": self.lost,
            "duplicates": self.duplicates,
            "redelivered": self.redelivered,
            "out_of_order": self.out_of_order,
            "unexpected": self.unexpected,
            "closed": self.closed,
        }


@dataclass(frozen=True, slots=True)
class _Outcomes:
    """One producer's messages over all loaders, as counts."""

    sent: int
    confirmed: int
    returned: int
    nacked: int
    received: int
    confirmed_not_received: int
    copies: int  # received by more than one loader


def account(results: list[LoaderResult], left: int) -> Account:
    """Add the loaders' ledgers up.

    A message in hand that its (killed) sender's last checkpoint does not know was sent all the same: it
    counts as sent and unknown.
    """
    ledgers = [result.ledger for result in results]
    numbers = {number for ledger in ledgers for number in (*ledger.producers, *ledger.received)}
    producers = [_outcomes(ledgers, number) for number in sorted(numbers)]
    sent, confirmed = sum(p.sent for p in producers), sum(p.confirmed for p in producers)
    returned, nacked = sum(p.returned for p in producers), sum(p.nacked for p in producers)
    received = sum(p.received for p in producers)
    complete = (
        bool(results) and len(results) == results[0].loaders and all(result.final for result in results)
    )
    lost = max(0, sum(p.confirmed_not_received for p in producers) - left)
    return Account(
        sent=sent,
        confirmed=confirmed,
        returned=returned,
        nacked=nacked,
        unknown=sent - confirmed - returned - nacked,
        received=received,
        missing=max(0, sent - received - left),
        left=left,
        lost=lost if complete else None,
        duplicates=sum(ledger.duplicates for ledger in ledgers) + sum(p.copies for p in producers),
        redelivered=sum(ledger.redelivered for ledger in ledgers),
        out_of_order=sum(ledger.out_of_order for ledger in ledgers),
        unexpected=sum(ledger.unexpected for ledger in ledgers),
        complete=complete,
        closed=complete and left == 0,
    )


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
        copies=sum(len(part) for part in parts) - len(received),
    )


def _union(parts: Iterable[SequenceSet]) -> SequenceSet:
    result = SequenceSet()
    for part in parts:
        result = result | part
    return result
