"""Loaders of one case on the in-memory broker, for the tests of whole loaders."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from breakeven.loadgen import gates, reporter
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.loader import run_loader
from breakeven.loadgen.merge import Measurement, merge
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.search import capacity_search
from breakeven.loadgen.self_check import meters
from breakeven.loadgen.workers import worker
from breakeven.targets.record import Waits
from breakeven.workload.case import Case
from tests.support.scripted.fake_meeting import FakeMeeting
from tests.support.scripted.fakes import FakeBroker, FakeClient, make_case
from tests.support.shared import change_record


@pytest.fixture
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that waits waits less."""
    monkeypatch.setattr(capacity_search, "CLEAR_S", 2.0)
    # a host that other tests share is no flag of these
    monkeypatch.setattr(meters, "known_work_ms", lambda: 0.7)
    monkeypatch.setattr(reporter, "BEAT_S", 0.05)
    monkeypatch.setattr(reporter, "DRAIN_BEAT_S", 0.05)
    monkeypatch.setattr(reporter, "CHECKPOINT_S", 0.0)
    monkeypatch.setattr(gates, "GATE_POLL_S", 0.01)
    monkeypatch.setattr(gates, "LATE_S", 10.0)
    monkeypatch.setattr(worker, "RETRY_S", (0.01, 0.05))
    monkeypatch.setattr(worker, "OPEN_TIMEOUT_S", 0.2)
    monkeypatch.setattr(worker, "TOLERATED_S", 0.2)
    monkeypatch.setattr(worker, "LOOK_EVERY_S", 0.02)
    change_record(monkeypatch, "rabbitmq-mirrored-pair", waits=Waits(unknown=0.3))


@pytest.fixture
def no_thread_left() -> Iterator[None]:
    before = threading.active_count()
    yield
    deadline = time.monotonic() + 60
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


class Run:
    """The loaders of one case, each in a thread, as processes would be."""

    def __init__(
        self, case: Case, broker: FakeBroker, meeting: FakeMeeting | None = None, **client: Any
    ) -> None:
        self.case, self.broker = case, broker
        self.meeting = meeting or FakeMeeting(case.loaders)
        self.clients = [
            FakeClient(broker, confirms=case.workload.confirms, **client) for _ in range(case.loaders)
        ]
        self.checkpoints: dict[int, list[LoaderResult]] = {number: [] for number in range(case.loaders)}
        self.queues = tuple(f"q{i}" for i in range(case.workload.queues))

    def one(self, number: int) -> LoaderResult:
        return run_loader(
            Assignment(self.case, 1, number, self.queues),
            self.clients[number],
            self.meeting.of(number),
            self.checkpoints[number].append,
        )

    def results(self) -> list[LoaderResult]:
        """Results of all loaders, as they come back from storage."""
        with ThreadPoolExecutor(self.case.loaders) as pool:
            results = list(pool.map(self.one, range(self.case.loaders)))
        return [LoaderResult.from_json(json.loads(json.dumps(result.to_json()))) for result in results]

    def when(self, stage: str, action: Callable[[], None]) -> None:
        """Do something as soon as a loader reports the stage."""

        def watch() -> None:
            deadline = time.monotonic() + 30
            while stage not in self.meeting.stages and time.monotonic() < deadline:
                time.sleep(0.005)
            action()

        threading.Thread(target=watch).start()

    def measured(self) -> Measurement:
        return merge(self.results(), QueueCount(self.broker.depth()))


def loading(messages: int, **workload: Any) -> Case:
    return make_case(mode="load-unload", messages=messages, **workload)


def assert_all_arrived(measurement: Measurement) -> None:
    ledger = measurement.ledger
    assert ledger.sent == ledger.confirmed == ledger.received > 0
    assert (ledger.missing, ledger.left, ledger.lost, ledger.duplicates) == (0, 0, 0, 0)
    assert ledger.closed
