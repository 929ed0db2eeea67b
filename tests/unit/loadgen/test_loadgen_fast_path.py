"""Whole loaders on SQS with programmed faults: the core and the general path count alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from breakeven.clients.base import CallFailed, ConnectionLost
from breakeven.clients.core.loading import SWITCH
from breakeven.clients.sqs import receiver
from breakeven.clients.sqs.client import SqsClient
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.merge import merge
from breakeven.workload.case import Case
from tests.support.loaders.loader_runs import Run, brisk, loading  # noqa: F401
from tests.support.scripted.fakes import FakeBroker, Faults, make_case
from tests.support.scripted.served_broker import CUT, serving

pytestmark = pytest.mark.usefixtures("brisk")


@pytest.fixture(params=["core", "general"])
def made(request, monkeypatch) -> Iterator[Callable[[Case, Faults], Run]]:
    if request.param == "general":
        monkeypatch.setenv(SWITCH, "off")
    driven: list[object] = []
    original = receiver.FastPathReceiver.receive
    monkeypatch.setattr(
        receiver.FastPathReceiver, "receive", lambda self, until: driven.append(self) or original(self, until)
    )
    with ExitStack() as stack:

        def make(case: Case, faults: Faults) -> Run:
            run = Run(case, FakeBroker(faults))
            endpoint = stack.enter_context(serving(run.broker))
            run.clients = [SqsClient(case.workload, endpoint=endpoint) for _ in run.clients]
            for client in run.clients:
                stack.callback(client.close)
            return run

        yield make
    assert bool(driven) == (request.param == "core")


def test_lost_duplicated_and_reordered_messages_are_counted_exactly(made):
    faults = Faults(drop={(0, 3), (0, 50)}, duplicate={(0, 5), (0, 77)}, reorder={(0, 10)})
    ledger = made(loading(200, drain_s=1.0), faults).measured().ledger
    assert (ledger.sent, ledger.confirmed, ledger.received) == (200, 200, 198)
    assert (ledger.lost, ledger.duplicates, ledger.out_of_order) == (2, 2, 1)


def test_a_call_that_fails_is_counted_by_kind_and_not_made_again(made):
    faults = Faults(fail={(0, 4): "ThrottlingException", (0, 49): "ThrottlingException"})
    run = made(loading(50), faults)
    results = run.results()
    ledger = merge(results, QueueCount(0)).ledger
    assert results[0].errors == {"ThrottlingException": 2}
    assert (ledger.sent, ledger.confirmed, ledger.unknown, ledger.received, ledger.lost) == (50, 48, 2, 48, 0)


def test_a_lost_connection_leaves_its_message_unknown(made):
    run = made(loading(50), Faults(cut={(0, 20)}))
    results = run.results()
    ledger = merge(results, QueueCount(run.broker.depth())).ledger
    assert results[0].errors == {"connection_lost": 1}
    assert (ledger.confirmed, ledger.unknown, ledger.received, ledger.missing) == (49, 1, 50, 0)


def test_an_open_loop_counts_what_it_did_not_get_an_answer_to(made):
    case = make_case(rate=200.0, measure_s=1.0, warmup_s=0.0)
    run = made(case, Faults(fail={(0, 4): "ThrottlingException"}, cut={(0, 30)}))
    measurement = merge(run.results(), QueueCount(run.broker.depth()))
    ledger, cell = measurement.ledger, measurement.totals["produce"].cell
    assert (ledger.sent, ledger.confirmed, ledger.unknown) == (200, 198, 2)
    assert (cell.total().errors, cell.unfinished, cell.latencies.count) == (2, 1, 199)
    assert ledger.received == 199


def test_a_consumers_failures_are_counted_and_what_was_in_hand_is_settled_again(made):
    faults = Faults(
        settle_fails=["InternalError"],
        receive_fails=[ConnectionLost("reset"), CallFailed("ServiceUnavailable")],
    )
    run = made(loading(30), faults)
    results = run.results()
    measurement = merge(results, QueueCount(run.broker.depth()))
    assert results[0].errors == {"connection_lost": 1, "ServiceUnavailable": 1, "InternalError": 1}
    ledger = measurement.ledger
    assert (ledger.sent, ledger.received, ledger.duplicates, ledger.left) == (30, 30, 0, 0)
    settled = measurement.totals["settle"].cell.total()
    assert (settled.operations, measurement.totals["consume"].cell.total().operations) == (30, 30)


def test_a_message_whose_deletion_was_cut_comes_again_as_a_copy(made):
    run = made(loading(20), Faults(settle_fails=[CUT]))
    ledger = run.measured().ledger
    assert (ledger.received, ledger.duplicates, ledger.redelivered) == (20, 1, 1)
    assert (ledger.lost, ledger.left) == (0, 0)


def test_messages_of_others_are_counted_and_left(made):
    run = made(loading(20, drain_s=1.0), Faults())
    run.broker.put("q0", b"not of this case, and somebody's")
    measurement = run.measured()
    assert (measurement.ledger.received, measurement.ledger.unexpected) == (20, 1)
    assert run.broker.unsettled == 1


def test_asks_that_came_back_empty_are_counted(made):
    measurement = made(make_case(rate=50.0, warmup_s=0.0, measure_s=1.0), Faults()).measured()
    totals = measurement.totals
    taken, settled = (totals[name].cell.total().operations for name in ("consume", "consume_cycle"))
    assert taken >= settled >= taken - 1 > 10  # the last one's settlement may fall behind the stage's end
    assert totals["consume"].cell.total().starved > 0  # how many hangs on how fast the machine is


def test_a_long_poll_has_no_latency_of_its_own(made):
    measurement = made(make_case(rate=50.0, wait_s=20, warmup_s=0.0, measure_s=1.0), Faults()).measured()
    assert "consume_cycle" not in measurement.totals
    consume, settle = (measurement.totals[name].cell for name in ("consume", "settle"))
    assert consume.latencies.count == 0
    assert consume.total().operations > 10
    assert settle.latencies.count > 10
