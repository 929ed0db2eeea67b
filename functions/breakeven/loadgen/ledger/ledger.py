"""Ledger of every message (rule 6 of docs/rules.md), as far as one loader knows.

A message has at most one outcome from its sender; one without is ``unknown``. *Received* means in hand,
whatever became of its settlement.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from breakeven.clients.base import Outcome
from breakeven.clients.columns import joined
from breakeven.clients.fast_path import Ours
from breakeven.loadgen.ledger.sequences import Sequences, SequenceSet
from breakeven.loadgen.ledger.stamp import StampReader
from breakeven.loadgen.record.timestamps import Int64s


@dataclass(slots=True)
class ProducerLedger:
    """One producer's messages: sequences 0 to ``sent - 1``, and those that have an outcome."""

    sent: int = 0
    confirmed: Sequences = field(default_factory=SequenceSet)
    returned: Sequences = field(default_factory=SequenceSet)
    nacked: Sequences = field(default_factory=SequenceSet)

    def answer(self, sequences: Sequence[int], outcomes: Sequence[Outcome]) -> None:
        """What became of messages, one entry a message in each column."""
        if len(sequences) != len(outcomes):
            raise ValueError(f"{len(sequences)} sequences and {len(outcomes)} outcomes")
        if not len(sequences):
            return
        if outcomes.count(outcomes[0]) == len(outcomes):
            self._add(sequences, outcomes[0])
            return
        for sequence, outcome in zip(sequences, outcomes, strict=True):
            self._add((sequence,), outcome)

    def _add(self, sequences: Sequence[int], outcome: Outcome) -> None:
        if outcome is Outcome.CONFIRMED:
            self.confirmed.add_many(sequences)
        elif outcome is Outcome.RETURNED:
            self.returned.add_many(sequences)
        elif outcome is Outcome.NACKED:
            self.nacked.add_many(sequences)

    def refused(self) -> SequenceSet:
        """Told by the target that it did not take them. Confirmed *and* returned is returned."""
        return self.returned | self.nacked

    def copy(self) -> ProducerLedger:
        return ProducerLedger(self.sent, self.confirmed.copy(), self.returned.copy(), self.nacked.copy())


@dataclass(slots=True)
class Ledger:
    """One loader's part of a case's ledger, by producer's number within the case.

    ``received`` holds what this loader's consumers had in hand, whoever sent it; ``duplicates`` counts the
    extra copies among those, ``out_of_order`` messages (not redelivered, not copies) that came after a
    later one of the same producer, queue and consumer.
    """

    producers: dict[int, ProducerLedger] = field(default_factory=dict)
    received: dict[int, Sequences] = field(default_factory=dict)
    duplicates: int = 0
    redelivered: int = 0
    out_of_order: int = 0
    unexpected: int = 0

    def copy(self) -> Ledger:
        return replace(
            self,
            producers={producer: own.copy() for producer, own in self.producers.items()},
            received={producer: numbers.copy() for producer, numbers in self.received.items()},
        )


class Counts(NamedTuple):
    """Messages so far. ``expected``: confirmed or unknown, so queued or received; ``unknown`` of those."""

    sent: int
    expected: int
    unknown: int
    received: int


class Outstanding(NamedTuple):
    """Messages of this loader's producers that its consumers have not had in hand."""

    confirmed: int
    unknown: int


class Receipts(NamedTuple):
    """Messages in hand, one entry a message in each column.

    ``ours``: whether it is one of this case's; of others producer and sequence are -1. ``is_new``: the first
    copy that this loader received.
    """

    ours: Sequence[bool]
    producer: Sequence[int]
    sequence: Sequence[int]
    is_new: Sequence[bool]

    @classmethod
    def together(cls, parts: Sequence[Receipts]) -> Receipts:
        """One behind the other; at least one part."""
        return cls(*map(joined, zip(*parts, strict=True)))


_NOT_OURS = (False, -1, -1, False)
#: fewer messages than this that are no run are dealt with sooner one by one than by numpy (measured)
_FEW = 32


class LoaderLedger:
    """The ledger that a loader's workers write to. Every method may be called from any thread.

    One lock guards all of it, so a snapshot is one instant of the whole ledger: what was confirmed and in
    hand by then is both in it. No outcome and no receipt is noted before it happened, so a killed loader's
    last snapshot claims none that was not; the rest is in doubt, and such a case has no figure for lost.
    """

    def __init__(self, tag: str, producers: int, own: Iterable[int]) -> None:
        """:param producers: how many the case has, in all loaders; ``own`` are the numbers of this one's"""
        self._reader, self._tag = StampReader(tag), tag.encode("ascii")
        self._producers = producers
        self._lock = threading.Lock()
        self._ledger = Ledger({producer: ProducerLedger() for producer in own})

    def ours(self) -> Ours:
        """How to tell the case's messages."""
        return Ours(self._tag, self._producers)

    def submitted(self, producer: int, count: int = 1) -> int:
        """The producer's next messages, sent or about to be: the first of their sequences, from 0."""
        with self._lock:
            own = self._ledger.producers[producer]
            own.sent += count
            return own.sent - count

    def answered(self, producer: int, sequences: Sequence[int], outcomes: Sequence[Outcome]) -> None:
        """What became of messages, one entry a message in each column."""
        with self._lock:
            self._ledger.producers[producer].answer(sequences, outcomes)

    def receive(
        self, stamps: Sequence[bytes], redelivered: Sequence[bool], highest: dict[int, int]
    ) -> Receipts:
        """Messages in hand; those that are not this case's count as unexpected.

        :param highest: by producer, the highest sequence that this consumer has seen; kept by the consumer
        """
        if not len(stamps):
            return Receipts((), (), (), ())
        if len(redelivered) != len(stamps):
            raise ValueError(f"{len(stamps)} stamps and {len(redelivered)} flags")
        run = self._reader.read_run(stamps)
        if run and run[0] < self._producers:
            return self._receive_run(*run, redelivered, highest)
        origins = self._reader.read_many(stamps) if len(stamps) >= _FEW else None
        if origins and origins[0].max() < self._producers:
            return self._receive_mixed(*origins, redelivered, highest)
        return self._receive_each(stamps, redelivered, highest)

    def _receive_run(
        self, producer: int, sequences: Sequence[int], redelivered: Sequence[bool], highest: dict[int, int]
    ) -> Receipts:
        """Messages of one producer, each the one after the one before."""
        count = len(sequences)
        with self._lock:
            is_new = self._receive_from(producer, sequences, redelivered, highest)
        return Receipts([True] * count, [producer] * count, sequences, is_new)

    def _receive_mixed(
        self, producers: Int64s, sequences: Int64s, redelivered: Sequence[bool], highest: dict[int, int]
    ) -> Receipts:
        """Messages of several producers, or with gaps."""
        is_new, again = np.zeros(len(producers), bool), np.asarray(redelivered, dtype=bool)
        with self._lock:
            for producer in np.unique(producers).tolist():
                of = producers == producer
                is_new[of] = self._receive_from(producer, sequences[of].tolist(), again[of].tolist(), highest)
        return Receipts([True] * len(of), producers.tolist(), sequences.tolist(), is_new.tolist())

    def _receive_each(
        self, stamps: Sequence[bytes], redelivered: Sequence[bool], highest: dict[int, int]
    ) -> Receipts:
        """Whatever they are, one by one."""
        origins = [self._reader.read(stamp) for stamp in stamps]
        entries = []
        with self._lock:
            for origin, again in zip(origins, redelivered, strict=True):
                if origin is None or origin[0] >= self._producers:
                    self._ledger.unexpected += 1
                    entries.append(_NOT_OURS)
                else:
                    (is_new,) = self._receive_from(origin[0], (origin[1],), (again,), highest)
                    entries.append((True, *origin, is_new))
        return Receipts(*zip(*entries, strict=True))

    def _receive_from(
        self, producer: int, sequences: Sequence[int], redelivered: Sequence[bool], highest: dict[int, int]
    ) -> Sequence[bool]:
        """Messages of one producer; for each, whether it is new."""
        ledger, known = self._ledger, highest.get(producer, -1)
        received = ledger.received.get(producer)
        if received is None:
            received = ledger.received[producer] = SequenceSet()
        is_new = received.add_many(sequences)
        copies, again = is_new.count(False), redelivered.count(True)
        ledger.duplicates += copies
        ledger.redelivered += again
        if isinstance(sequences, range) and not copies and not again and sequences[0] > known:
            highest[producer] = sequences[-1]
            return is_new
        for sequence, new, copy in zip(sequences, is_new, redelivered, strict=True):
            if new and not copy:
                if sequence < known:
                    ledger.out_of_order += 1
                else:
                    highest[producer] = known = sequence
        return is_new

    def sent(self, producer: int) -> int:
        with self._lock:
            return self._ledger.producers[producer].sent

    def counts(self) -> Counts:
        with self._lock:
            owners = self._ledger.producers.values()
            sent = sum(own.sent for own in owners)
            refused = sum(len(own.returned) + len(own.nacked) for own in owners)
            confirmed = sum(len(own.confirmed) for own in owners)
            received = sum(len(numbers) for numbers in self._ledger.received.values())
        return Counts(sent, sent - refused, max(0, sent - refused - confirmed), received)

    def outstanding(self) -> Outstanding:
        """Exact, by sequence; of use where this loader has all of the case's workers."""
        with self._lock:
            confirmed = total = 0
            for producer, own in self._ledger.producers.items():
                waiting = self._waiting(producer)
                total += len(waiting)
                confirmed += len(own.confirmed & waiting)
        return Outstanding(confirmed, total - confirmed)

    def not_received(self) -> dict[int, Int64s]:
        """By producer, the sequences that were sent, not refused, and not received by this loader."""
        with self._lock:
            return {producer: self._waiting(producer).numbers() for producer in self._ledger.producers}

    def _waiting(self, producer: int) -> SequenceSet:
        own, received = self._ledger.producers[producer], self._ledger.received.get(producer, SequenceSet())
        return SequenceSet.first(own.sent) - (own.refused() | received)

    def snapshot(self) -> Ledger:
        """A consistent copy."""
        with self._lock:
            return self._ledger.copy()
