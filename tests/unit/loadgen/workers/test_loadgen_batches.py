"""What fills batches of an open loop, and how long they wait: by instants that are given, not by a clock."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from breakeven.loadgen.workers.arrivals import Arrivals, Span
from breakeven.loadgen.workers.in_hand import InHand
from breakeven.loadgen.workers.lingering import Lingering
from breakeven.workload.rate_profile import rate_profile
from tests.support.scripted.fakes import make_case

MS = 1_000_000
#: one message each millisecond
RATE = {"rate": 1000.0, "send_batch": 10, "delete_batch": 10}


def waiting(linger_ms: float, **fields: Any) -> tuple[Lingering, Arrivals]:
    case = make_case(**RATE, linger_ms=linger_ms, **fields)
    span = Span(rate_profile(case.workload), 0, 0, 3000 * MS, 9000 * MS)
    return Lingering(case.workload), Arrivals(case, 0, span)


def test_a_batch_is_sent_when_it_is_full_and_what_is_left_when_it_has_waited_enough() -> None:
    lingering, arrivals = waiting(25)  # due at 0, 1, 2, ... ms
    assert lingering.ready(arrivals, arrivals.due(8 * MS), 8 * MS) == 0
    assert lingering.ready(arrivals, arrivals.due(9 * MS), 9 * MS) == 10
    assert lingering.ready(arrivals, arrivals.due(24 * MS), 24 * MS) == 20
    arrivals.take(20)
    assert lingering.ready(arrivals, 5, 44 * MS) == 0  # the oldest is of 20 ms
    assert lingering.ready(arrivals, 5, 45 * MS) == 5


def test_without_linger_what_is_due_is_sent_however_little() -> None:
    lingering, arrivals = waiting(0)
    assert lingering.ready(arrivals, 3, 2 * MS) == 3
    assert lingering.could_ns((0, 1, 2)) == (0, 1, 2)


def test_the_next_batch_is_ready_when_it_is_full_or_its_oldest_has_waited_and_not_before() -> None:
    lingering, arrivals = waiting(5)
    assert lingering.next_ns(arrivals, 10) == 5 * MS
    lingering, arrivals = waiting(25)
    assert lingering.next_ns(arrivals, 10) == 9 * MS
    assert lingering.next_ns(arrivals, 9) == 25 * MS, "there is no room for a whole one"
    arrivals.rest(sys.maxsize)
    assert lingering.next_ns(arrivals, 10) is None


def test_waiting_for_a_batch_is_not_the_loaders_lateness() -> None:
    lingering, _ = waiting(25)
    due = [number * MS for number in range(13)]
    assert lingering.could_ns(due) == [9 * MS] * 10 + [35 * MS] * 3
    late = [*due[:9], 60 * MS]  # full only when its oldest had waited long enough
    assert lingering.could_ns(late) == [25 * MS] * 9 + [60 * MS]


def test_batches_are_full_across_the_pieces_in_which_arrivals_are_worked_out() -> None:
    lingering, arrivals = waiting(25)
    sizes = []
    for now_ms in range(9, 3000, 10):
        count = lingering.ready(arrivals, arrivals.due(now_ms * MS), now_ms * MS)
        sizes.append(len(arrivals.take(count)))
    assert sizes == [10] * 300
    assert arrivals.next_ns is None


def in_hand(**fields: Any) -> InHand:
    return InHand(make_case(**{**RATE, **fields}).workload)


def asked(*handles: int) -> dict[object, int]:
    return {handle: -handle for handle in handles}


def test_messages_are_settled_in_whole_batches_until_they_have_lingered_enough() -> None:
    held = in_hand(linger_ms=20)
    held.take(asked(*range(8)), 0)
    assert held.to_settle(1 * MS, at_once=False) == ()
    assert held.patience_s(5 * MS, 1.0) == pytest.approx(0.015)
    held.take(asked(*range(8, 13)), 10 * MS)
    assert held.to_settle(11 * MS, at_once=False) == tuple(range(10))
    assert held.to_settle(25 * MS, at_once=False) == tuple(range(10)), "handed in, and not settled yet"
    assert held.settled([0, 5]) == [0, -5]
    assert held.to_settle(30 * MS, at_once=False) == (1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12)
    assert len(held) == 11


def test_at_the_end_nothing_lingers() -> None:
    held = in_hand(linger_ms=20)
    held.take(asked(1, 2, 3), 0)
    assert held.to_settle(0, at_once=True) == (1, 2, 3)
    held.clear()
    assert (len(held), held.to_settle(0, at_once=True), held.patience_s(0, 1.0)) == (0, (), 1.0)


def test_without_linger_all_that_is_in_hand_is_settled() -> None:
    held = in_hand()
    held.take(asked(1, 2, 3), 0)
    assert held.to_settle(0, at_once=False) == (1, 2, 3)


def test_messages_are_processed_one_after_another_once_each_and_settled_by_batches() -> None:
    held, processed = in_hand(delete_batch=2, processing_ms=1.0), []

    def process() -> int:
        processed.append(len(processed))
        return len(processed) * MS

    held.take(asked(1, 2, 3), 0)
    held.process(process)
    assert held.to_settle(2 * MS, at_once=False) == (1, 2)
    held.process(process)
    assert held.to_settle(3 * MS, at_once=False) == (1, 2, 3)
    held.process(process)
    assert processed == [0, 1, 2], "those that are not settled yet are not processed again"
