"""Whole loaders on an in-memory broker with programmed faults, each counted exactly."""

from __future__ import annotations

import pytest

from breakeven.clients.base import CallFailed, ConnectionLost, Outcome
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.merge import merge
from tests.support.loaders.loader_runs import Run, assert_all_arrived, brisk, loading, no_thread_left  # noqa: F401
from tests.support.scripted.fakes import FakeBroker, FakeClient, Faults

pytestmark = pytest.mark.usefixtures("brisk", "no_thread_left")


def test_lost_duplicated_and_reordered_messages_are_counted_exactly() -> None:
    faults = Faults(
        drop={(0, n) for n in (3, 50, 51, 52, 200, 333, 999)},
        duplicate={(0, n) for n in (5, 77, 400, 401, 900)},
        reorder={(0, n) for n in (10, 100, 500)},
    )
    measurement = Run(loading(1000, drain_s=1.0), FakeBroker(faults), answer_s=0.0001).measured()
    ledger = measurement.ledger
    assert (ledger.sent, ledger.confirmed, ledger.received) == (1000, 1000, 993)
    assert (ledger.lost, ledger.missing, ledger.left) == (7, 7, 0)
    assert (ledger.duplicates, ledger.out_of_order) == (5, 3)
    assert "drain_deadline" in measurement.flags


def test_returned_and_nacked_messages_are_not_waited_for() -> None:
    faults = Faults(outcome={(0, 1): Outcome.RETURNED, (0, 2): Outcome.RETURNED, (0, 7): Outcome.NACKED})
    measurement = Run(loading(100, drain_s=600.0), FakeBroker(faults)).measured()
    ledger = measurement.ledger
    assert (ledger.sent, ledger.confirmed, ledger.returned, ledger.nacked) == (100, 97, 2, 1)
    assert (ledger.received, ledger.missing, ledger.lost) == (97, 3, 0)
    assert "call_errors" in measurement.flags
    assert measurement.totals["produce"].cell.total().operations == 97


def test_a_call_that_fails_is_counted_by_kind_and_not_made_again() -> None:
    faults = Faults(fail={(0, 4): "ThrottlingException", (0, 9): "ThrottlingException"})
    results = Run(loading(50, drain_s=600.0), FakeBroker(faults)).results()
    ledger = merge(results, QueueCount(0)).ledger
    assert results[0].errors == {"ThrottlingException": 2}
    assert "drain_deadline" not in results[0].flags
    assert (ledger.sent, ledger.confirmed, ledger.unknown, ledger.received, ledger.lost) == (50, 48, 2, 48, 0)
    assert merge(results, QueueCount(0)).totals["produce"].cell.total().errors == 2


def test_a_lost_connection_is_opened_again_and_its_message_stays_unknown() -> None:
    run = Run(loading(50), FakeBroker(Faults(cut={(0, 20)})))
    results = run.results()
    ledger = merge(results, QueueCount(run.broker.depth())).ledger
    assert results[0].errors == {"connection_lost": 1}
    assert (ledger.confirmed, ledger.unknown, ledger.received, ledger.missing) == (49, 1, 50, 0)
    assert run.clients[0].opened == run.clients[0].closed == 3


def test_a_consumers_failures_are_counted_and_what_was_in_hand_is_settled_again() -> None:
    faults = Faults(
        settle_fails=["InternalError"],
        receive_fails=[ConnectionLost("reset"), CallFailed("ServiceUnavailable")],
    )
    run = Run(loading(30), FakeBroker(faults))
    results = run.results()
    measurement = merge(results, QueueCount(run.broker.depth()))
    assert results[0].errors == {"connection_lost": 1, "ServiceUnavailable": 1, "InternalError": 1}
    assert_all_arrived(measurement)
    assert "call_errors" in measurement.flags


def test_a_message_in_hand_when_the_connection_is_lost_comes_again_as_a_copy() -> None:
    class Cutting(FakeClient):
        """Its first settlement loses the connection."""

        def receiver(self, queue: str):
            opened = super().receiver(queue)
            if self.opened == 2:  # after the sender: the first receiver
                opened.settle = cut
            return opened

    def cut(handles: object) -> None:
        raise ConnectionLost("reset")

    run = Run(loading(20), FakeBroker())
    run.clients = [Cutting(run.broker)]
    ledger = run.measured().ledger
    assert (ledger.received, ledger.duplicates, ledger.redelivered) == (20, 1, 1)
    assert (ledger.lost, ledger.closed) == (0, True)


def test_a_body_that_is_not_ours_is_unexpected_and_not_settled_away() -> None:
    broker = FakeBroker()
    broker.put("q0", b"somebody else's")
    run = Run(loading(20), broker)
    results = run.results()
    ledger = merge(results, QueueCount(broker.depth())).ledger
    assert (ledger.unexpected, ledger.received, ledger.left) == (1, 20, 0), "left is ours alone"
    assert broker.depth() == 1
