"""Whole cases whose workers have several calls in flight: the same ledger, the same endings."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from breakeven.clients.base import CallFailed, ConnectionLost
from breakeven.clients.factory import make_client
from breakeven.clients.pool import connection_pool
from breakeven.clients.pool.pooled_client import PooledClient
from breakeven.errors import CaseError
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.merge import merge
from tests.support.loaders.loader_runs import Run, assert_all_arrived, brisk, loading, no_thread_left  # noqa: F401
from tests.support.scripted.fakes import FakeBroker, FakeClient, FakeReceiver, Faults, make_case

pytestmark = pytest.mark.usefixtures("no_thread_left")


@pytest.fixture(autouse=True)
def short_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_pool, "REST_S", (0.01, 0.05))


class Anywhere(FakeClient):
    """A message may be settled on any connection, as with SQS."""

    def __init__(self, broker: FakeBroker) -> None:
        super().__init__(broker, replies=True)
        self._in_hand: dict[object, Any] = {}
        self._handles = itertools.count()

    def receiver(self, queue: str) -> FakeReceiver:
        opened = super().receiver(queue)
        opened._in_hand, opened._handles = self._in_hand, self._handles
        opened.close = lambda: None
        return opened


@pytest.mark.usefixtures("brisk")
def test_a_whole_case_on_a_pool_accounts_for_every_message() -> None:
    faults = Faults(
        drop={(0, 3), (0, 50)}, duplicate={(0, 5)}, fail={(0, 7): "Throttled"}, cut={(0, 9)},
        settle_fails=["InternalError"], receive_fails=[ConnectionLost("reset"), CallFailed("Unavailable")],
    )  # fmt: skip
    run = Run(loading(300, consumers=2, drain_s=1.0), FakeBroker(faults))
    run.clients = [PooledClient(Anywhere(run.broker), 4)]
    (result,) = run.results()
    ledger = merge([result], QueueCount(run.broker.depth())).ledger
    assert (ledger.sent, ledger.confirmed, ledger.unknown, ledger.lost) == (300, 298, 2, 2)
    assert ledger.duplicates >= 1
    assert result.errors == {"Throttled": 1, "connection_lost": 2, "InternalError": 1, "Unavailable": 1}


@pytest.mark.usefixtures("brisk")
def test_a_parallel_case_on_a_pool_is_measured_as_any_other() -> None:
    run = Run(make_case(producers=2, consumers=2), FakeBroker())
    run.clients = [PooledClient(Anywhere(run.broker), 3)]
    measurement = run.measured()
    assert_all_arrived(measurement)
    assert measurement.totals.keys() == {"produce", "consume", "settle", "consume_cycle", "end_to_end"}


@pytest.mark.usefixtures("brisk")
def test_a_target_that_vanishes_under_a_pool_fails_the_case() -> None:
    broker = FakeBroker()
    run = Run(make_case(measure_s=1.0), broker)
    run.clients = [PooledClient(Anywhere(broker), 3)]
    run.when("measure", broker.down.set)
    with pytest.raises(CaseError, match=r"the fake broker is down; no call went well for"):
        run.one(0)
    assert run.checkpoints[0][-1].final


@pytest.mark.parametrize("kind", ["native", "boto3"])
def test_only_a_case_that_asks_for_it_gets_a_pool(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    plain = make_client(make_case(client=kind).workload, None)
    assert not isinstance(plain, PooledClient)
    many = make_client(make_case(client=kind, in_flight=10).workload, None)
    assert isinstance(many, PooledClient)
    assert many.name == plain.name == kind
    for client in (plain, many):
        client.close()
