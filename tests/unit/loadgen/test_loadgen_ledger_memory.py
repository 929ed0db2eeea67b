"""What a ledger of a hundred million messages takes: next to nothing in order, and so much a gap."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pydantic import TypeAdapter

from breakeven.loadgen.ledger.ledger import Ledger, ProducerLedger
from breakeven.loadgen.ledger.sequences import SequenceSet

MESSAGES = 100_000_000
#: the last of them come one by one, in order; the ones before as they are after the same
ONE_BY_ONE = 200_000
#: a chunk with a gap (512 bytes) and its entries; a case with a gap also keeps count of whole chunks
BYTES_A_GAP, BYTES_ANY_GAP = 800, 4_000_000


class Traced:
    bytes = 0


@contextmanager
def traced() -> Iterator[Traced]:
    """What is still held at the end of what was taken within."""
    held = Traced()
    tracemalloc.start()
    try:
        yield held
        held.bytes = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def in_order() -> SequenceSet:
    numbers = SequenceSet.first(MESSAGES - ONE_BY_ONE)
    for number in range(MESSAGES - ONE_BY_ONE, MESSAGES):
        assert numbers.add(number)
    return numbers


@pytest.mark.thorough
def test_a_hundred_million_in_order_take_next_to_nothing() -> None:
    with traced() as held:
        ledger = Ledger({0: ProducerLedger(MESSAGES, confirmed=in_order())}, {0: in_order()})
        document = TypeAdapter(Ledger).dump_python(ledger, mode="json")
    assert len(ledger.producers[0].confirmed) == len(ledger.received[0]) == MESSAGES
    assert held.bytes < 100_000
    assert len(str(document)) < 1000
    assert TypeAdapter(Ledger).validate_python(document).received[0] == SequenceSet.first(MESSAGES)


@pytest.mark.parametrize("gaps", [1, 100, 10_000])
def test_gaps_take_memory_by_their_number(gaps: int) -> None:
    missing = random.Random(5).sample(range(MESSAGES), gaps)
    with traced() as held:
        absent = SequenceSet()
        for number in missing:
            absent.add(number)
        received = SequenceSet.first(MESSAGES) - absent
        del absent
    assert len(received) == MESSAGES - gaps
    assert held.bytes < BYTES_ANY_GAP + BYTES_A_GAP * gaps
    lost = SequenceSet.first(MESSAGES) - received
    assert len(lost) == gaps
    assert not any(lost.add(number) for number in missing)
