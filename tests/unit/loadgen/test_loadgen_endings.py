"""Loaders that end before their time: with the reason, their ledger, and no thread left."""

from __future__ import annotations

import threading

import pytest

from breakeven.clients.base import CallFailed
from breakeven.errors import CaseError, LoaderAborted
from breakeven.loadgen import loader, reporter
from breakeven.loadgen.coordination import CaseProgress, Progress
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.merge import merge
from breakeven.loadgen.result import LoaderResult
from tests.support.loaders.loader_runs import Run, assert_all_arrived, brisk, loading, no_thread_left  # noqa: F401
from tests.support.scripted.fake_meeting import FakeMeeting
from tests.support.scripted.fakes import FakeBroker, FakeClient, make_case

pytestmark = pytest.mark.usefixtures("brisk", "no_thread_left")


def failed(run: Run) -> LoaderResult:
    """The last checkpoint of a loader that ended with an error."""
    last = run.checkpoints[0][-1]
    assert last.final
    assert last.reason
    return last


def test_an_abort_by_someone_else_stops_the_loader_and_keeps_its_ledger() -> None:
    run = Run(make_case(measure_s=300.0), FakeBroker())
    run.when("measure", lambda: setattr(run.meeting, "aborted", "loader 1 was killed"))
    with pytest.raises(LoaderAborted, match="loader 1 was killed"):
        run.one(0)
    last = failed(run)
    assert last.reason == "loader 1 was killed"
    assert last.ledger.producers[0].sent > 0
    assert last.cells
    assert run.clients[0].opened == run.clients[0].closed


def test_a_broker_that_vanishes_fails_the_case_with_the_reason_and_its_ledger() -> None:
    broker = FakeBroker()
    run = Run(make_case(measure_s=1.0), broker)
    run.when("measure", broker.down.set)
    with pytest.raises(CaseError, match=r"producer 0: the fake broker is down; no call went well for"):
        run.one(0)
    assert failed(run).errors["connection_lost"] >= 2
    assert failed(run).ledger.producers[0].sent > 0


def test_a_broker_that_vanishes_in_the_drain_fails_the_case_at_its_deadline() -> None:
    broker = FakeBroker()
    broker.take = lambda queue: None  # or there might be nothing left to drain
    run = Run(make_case(producers=5, consumers=1, measure_s=0.3, drain_s=3.0), broker)
    run.when("drain", broker.down.set)
    with pytest.raises(CaseError, match=r"consumer 0: the fake broker is down"):
        run.one(0)
    assert "drain_deadline" in failed(run).flags


def test_a_broker_that_nobody_reaches_fails_the_case_before_the_gate() -> None:
    broker = FakeBroker()
    broker.down.set()
    run = Run(make_case(), broker)
    with pytest.raises(CaseError, match="cannot connect to rabbitmq-mirrored-pair: the fake broker is down"):
        run.one(0)
    assert not run.meeting.arrived


def test_calls_that_never_succeed_fail_the_case() -> None:
    class Forbidden(FakeClient):
        def receiver(self, queue: str):
            opened = super().receiver(queue)
            opened.receive = forbidden
            return opened

    def forbidden(timeout_s: float) -> None:
        raise CallFailed("AccessDenied")

    run = Run(loading(10, drain_s=0.3), FakeBroker())
    run.clients = [Forbidden(run.broker)]
    with pytest.raises(CaseError, match="consumer 0: AccessDenied"):
        run.one(0)


def test_a_load_that_outlasts_the_limit_fails_the_case() -> None:
    run = Run(loading(1_000_000, limit_s=3.0), FakeBroker())
    with pytest.raises(CaseError, match=r"messages were sent when the loader's limit of 3 s came"):
        run.one(0)
    assert failed(run).ledger.producers[0].sent > 0


def test_an_error_of_our_own_is_not_hidden() -> None:
    class Broken(FakeClient):
        def sender(self, queue: str):
            opened = super().sender(queue)
            opened.submit = lambda sequences, bodies: 1 / 0
            return opened

    run = Run(make_case(), FakeBroker())
    run.clients = [Broken(run.broker)]
    with pytest.raises(ZeroDivisionError):
        run.one(0)


def test_progress_that_cannot_be_shared_fails_the_case() -> None:
    class Unreachable(FakeMeeting):
        def of(self, number: int):
            coordinator = super().of(number)
            coordinator.exchange = refuse
            return coordinator

    def refuse(progress: object) -> None:
        raise OSError("no table")

    run = Run(make_case(measure_s=300.0), FakeBroker(), Unreachable(1))
    with pytest.raises(CaseError, match="cannot share its progress: OSError: no table"):
        run.one(0)


def test_a_few_beats_may_fail() -> None:
    failures = [OSError("throttled")] * 3

    class Throttled(FakeMeeting):
        def of(self, number: int):
            coordinator = super().of(number)
            exchange = coordinator.exchange

            def sometimes(progress: Progress) -> CaseProgress:
                if failures:
                    raise failures.pop()
                return exchange(progress)

            coordinator.exchange = sometimes
            return coordinator

    run = Run(make_case(measure_s=1.5), FakeBroker(), Throttled(1))
    assert_all_arrived(run.measured())
    assert not failures


def test_consumers_end_what_they_have_in_hand_when_all_is_received(monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer than a call may take: the last messages are in hand, one behind the other."""
    monkeypatch.setattr(loader, "CALL_TIMEOUT_S", 0.1)
    slow = {"consume": "push", "prefetch": 100, "processing_ms": 10.0, "consumers": 1}
    assert_all_arrived(Run(loading(100, drain_s=60.0, **slow), FakeBroker()).measured())


def test_a_beat_that_comes_back_late_saves_nothing_over_the_last_checkpoint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reporter, "STOP_TIMEOUT_S", 0.05)
    broker, ended = FakeBroker(), threading.Event()

    class Late(FakeMeeting):
        def of(self, number: int):
            coordinator = super().of(number)
            exchange = coordinator.exchange

            def held(progress: Progress) -> CaseProgress:
                if progress.stage == "measure":
                    broker.down.set()
                    ended.wait(30)
                return exchange(progress)

            coordinator.exchange = held
            return coordinator

    run = Run(make_case(measure_s=1.0), broker, Late(1))
    with pytest.raises(CaseError, match="the fake broker is down"):
        run.one(0)
    assert failed(run)
    ended.set()
    (heartbeat,) = (thread for thread in threading.enumerate() if thread.name == "heartbeat")
    heartbeat.join()
    assert failed(run)


def test_a_worker_that_does_not_end_fails_the_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "CALL_TIMEOUT_S", 0.1)
    monkeypatch.setattr(loader, "GIVE_UP_S", 0.1)
    release = threading.Event()

    class Stuck(FakeClient):
        def receiver(self, queue: str):
            opened = super().receiver(queue)
            opened.close = release.wait
            return opened

    run = Run(loading(10), FakeBroker())
    run.clients = [Stuck(run.broker)]
    try:
        with pytest.raises(CaseError, match=r"did not end within 0.1 s: consumer 0"):
            run.one(0)
    finally:
        release.set()
    assert not run.checkpoints[0][-1].final
    assert merge(run.checkpoints[0][-1:], QueueCount(0)).ledger.lost is None
