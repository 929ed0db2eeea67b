"""Selection of the messages in hand that are accounted for: the case's own, and the first copy of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from breakeven.clients.base import Deliveries
from breakeven.loadgen.ledger.ledger import Receipts
from breakeven.loadgen.record.timestamps import listed, repeated

T = TypeVar("T")
#: one producer, its sequences, and the instants at which they were in hand
OfProducer = tuple[int, Sequence[int], Sequence[int]]


def ours(deliveries: Deliveries, receipts: Receipts) -> tuple[Deliveries, Receipts]:
    """Without the messages that are not this case's."""
    kept = [index for index, ours in enumerate(receipts.ours) if ours]

    def of(column: Sequence[T]) -> list[T]:
        return [column[index] for index in kept]

    columns_kept = ("stamp", "asked_ns", "in_hand_ns", "redelivered", "handle")
    mine = Deliveries(*(of(getattr(deliveries, name)) for name in columns_kept))
    return mine, Receipts._make(map(of, receipts))


def first_copies(
    receipts: Receipts, in_hand_ns: Sequence[int], loaded: Callable[[int], int] | None = None
) -> Iterator[OfProducer]:
    """First copies, by producer.

    :param loaded: by producer, the first sequence that counts: what was loaded before it is left out
    """
    found = _all_first_copies(receipts, in_hand_ns)
    if loaded is None:
        yield from found
        return
    for producer, sequences, instants in found:
        first, each = loaded(producer), repeated(listed(instants), len(sequences))
        if kept := [index for index, sequence in enumerate(sequences) if sequence >= first]:
            yield producer, [sequences[index] for index in kept], [each[index] for index in kept]


def _all_first_copies(receipts: Receipts, in_hand_ns: Sequence[int]) -> Iterator[OfProducer]:
    count, first = len(receipts.producer), receipts.producer[0]
    if all(receipts.is_new) and receipts.producer.count(first) == count:
        yield first, receipts.sequence, in_hand_ns
        return
    found: dict[int, list[int]] = {}
    for index, (producer, is_new) in enumerate(zip(receipts.producer, receipts.is_new, strict=True)):
        if is_new:
            found.setdefault(producer, []).append(index)
    instants = repeated(listed(in_hand_ns), count)
    for producer, indices in found.items():
        yield (
            producer,
            [receipts.sequence[index] for index in indices],
            [instants[index] for index in indices],
        )
