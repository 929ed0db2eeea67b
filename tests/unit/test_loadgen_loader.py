"""Whole loaders on an in-memory broker with programmed faults."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from breakeven.clients.base import CallFailed, ConnectionLost, Outcome
from breakeven.errors import CaseError, LoaderAborted
from breakeven.loadgen import consumer, drain, loader, reporter, worker
from breakeven.loadgen.coordination import CaseProgress, Progress
from breakeven.loadgen.loader import Assignment, run_loader
from breakeven.loadgen.merge import Measurement, merge
from breakeven.loadgen.result import LoaderResult
from breakeven.results.schemas import TABLES
from breakeven.workload.case import Case

from tests.unit.fakes import TAG, FakeBroker, FakeClient, FakeMeeting, Faults, make_case

COLUMNS = {table.name: table.columns.keys() for table in TABLES}


@pytest.fixture(autouse=True)
def _brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that waits waits less."""
    monkeypatch.setattr(reporter, "BEAT_S", 0.05)
    monkeypatch.setattr(reporter, "DRAIN_BEAT_S", 0.05)
    monkeypatch.setattr(reporter, "CHECKPOINT_S", 0.0)
    monkeypatch.setattr(loader, "GATE_POLL_S", 0.01)
    monkeypatch.setattr(loader, "LATE_S", 10.0)
    monkeypatch.setattr(worker, "RETRY_S", (0.01, 0.05))
    monkeypatch.setattr(worker, "OPEN_TIMEOUT_S", 0.2)
    monkeypatch.setattr(worker, "TOLERATED_S", 0.2)
    monkeypatch.setattr(worker, "LOOK_EVERY_S", 0.02)
    monkeypatch.setitem(drain.UNKNOWN_GRACE_S, "rabbitmq-mirrored-pair", 0.3)


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    before = threading.active_count()
    yield
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


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
        return merge(self.results(), self.broker.depth())


def loading(messages: int, **workload: Any) -> Case:
    return make_case(mode="load-unload", messages=messages, **workload)


def assert_all_arrived(measurement: Measurement) -> None:
    ledger = measurement.ledger
    assert ledger.sent == ledger.confirmed == ledger.received > 0
    assert (ledger.missing, ledger.left, ledger.lost, ledger.duplicates) == (0, 0, 0, 0)
    assert ledger.closed


# ---- a case that goes well


@pytest.mark.parametrize("push", [False, True], ids=["get", "push"])
def test_parallel_measures_every_metric_that_exists(push: bool) -> None:
    run = Run(make_case(producers=3, consumers=2), FakeBroker(), push=push, replies=True)
    measurement = run.measured()
    assert_all_arrived(measurement)
    metrics = {"produce", "consume", "settle", "end_to_end"} | (set() if push else {"consume_cycle"})
    assert measurement.totals.keys() == metrics
    for metric, total in measurement.totals.items():
        assert total.stage_s == 0.3
        assert total.cell.total().operations > 0
        assert (total.cell.latencies.count > 0) == (not (push and metric == "consume"))
    assert run.clients[0].opened == run.clients[0].closed
    assert measurement.flags in ([], ["loader_saturated"])


def test_an_ack_without_reply_has_no_settle_but_a_cycle() -> None:
    totals = Run(make_case(), FakeBroker(), replies=False).measured().totals
    assert "settle" not in totals
    assert totals["consume_cycle"].cell.latencies.min_ns >= totals["consume"].cell.latencies.min_ns


def test_rows_have_the_columns_of_the_schemas() -> None:
    case = make_case()
    rows = Run(case, FakeBroker(), replies=True).measured().rows(case)
    assert rows.keys() == {"windows", "latencies", "totals", "ledgers"}
    for table, found in rows.items():
        assert found
        assert all(row.keys() == COLUMNS[table] for row in found)
    totals = {row["metric"]: row for row in rows["totals"]}
    for metric, row in totals.items():
        bins = [r for r in rows["latencies"] if r["metric"] == metric]
        assert sum(r["operations"] for r in bins) == row["operations"]
    windows = [r for r in rows["windows"] if (r["stage"], r["metric"]) == ("measure", "produce")]
    assert sum(r["operations"] for r in windows) == totals["produce"]["completed"]
    assert totals["produce"]["bytes"] == totals["produce"]["completed"] * 64
    assert {r["stage"] for r in rows["windows"]} <= {"warmup", "measure", "drain"}


def test_load_unload_sends_the_share_of_each_producer_and_measures_both_stages() -> None:
    case = loading(1000, producers=3, consumers=2, queues=2)
    run = Run(case, FakeBroker(), answer_s=0.0001)
    results = run.results()
    assert {number: own.sent for number, own in results[0].ledger.producers.items()} == {
        0: 334,
        1: 333,
        2: 333,
    }
    measurement = merge(results, run.broker.depth())
    assert_all_arrived(measurement)
    assert measurement.totals.keys() == {"produce", "consume", "consume_cycle"}
    assert measurement.totals["produce"].cell.total().operations == 1000
    assert measurement.totals["consume"].cell.total().operations == 1000
    assert results[0].stages["unload"] >= results[0].stages["load"] + measurement.produce_s
    stage_s = {row["metric"]: row["stage_s"] for row in measurement.rows(case)["totals"]}
    assert stage_s["produce"] == measurement.produce_s > 0
    assert stage_s["consume"] == stage_s["consume_cycle"] == measurement.consume_s > 0


def test_an_unload_ends_when_the_ledger_closes_and_its_rate_knows_no_waiting() -> None:
    """The drain's deadline is far; a loader that waited for it would outlast the test's own limit."""
    measurement = Run(loading(50, drain_s=600.0), FakeBroker()).measured()
    assert_all_arrived(measurement)
    assert "drain_deadline" not in measurement.flags


def test_a_drain_ends_when_the_ledger_closes_and_producers_help_with_it() -> None:
    """The only consumer serves one of two queues: what is in the other needs the helpers."""
    case = make_case(producers=4, consumers=1, queues=2, drain_s=600.0, measure_s=0.5)
    run = Run(case, FakeBroker())
    results = run.results()
    measurement = merge(results, run.broker.depth())
    assert_all_arrived(measurement)
    assert measurement.rows(case)["windows"][0]["target"] == case.target
    assert ("drain", "consume") in results[0].cells
    assert measurement.totals["consume"].cell.total().operations < measurement.ledger.received


def test_a_loader_without_consumers_of_its_own_helps_to_drain() -> None:
    measurement = Run(make_case(producers=2, consumers=0), FakeBroker()).measured()
    assert_all_arrived(measurement)
    assert measurement.totals["consume"].cell.total().operations == 0


def test_asks_of_an_empty_queue_are_starved_and_polite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer, "EMPTY_PAUSE_S", (0.001, 0.02))
    case = make_case(producers=0, consumers=1, measure_s=0.4)
    measurement = Run(case, FakeBroker()).measured()
    total = measurement.totals["consume"].cell
    assert total.latencies.count == total.total().operations == 0
    assert 0 < total.total().starved <= 0.4 / 0.02 + 10


def test_without_confirms_a_send_is_measured_and_stays_unknown() -> None:
    case = make_case(confirms=False, drain_s=600.0)
    measurement = Run(case, FakeBroker()).measured()
    ledger = measurement.ledger
    assert ledger.sent == ledger.unknown == ledger.received > 0
    assert (ledger.confirmed, ledger.missing, ledger.lost, ledger.closed) == (0, 0, 0, True)
    assert measurement.totals["produce"].cell.latencies.count > 0
    assert "call_errors" not in measurement.flags


# ---- faults, counted exactly


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
    assert measurement.flags.count("drain_deadline") == 1


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
    results = Run(loading(50), FakeBroker(faults)).results()
    ledger = merge(results, 0).ledger
    assert results[0].errors == {"ThrottlingException": 2}
    assert (ledger.sent, ledger.confirmed, ledger.unknown, ledger.received, ledger.lost) == (50, 48, 2, 48, 0)
    assert merge(results, 0).totals["produce"].cell.total().errors == 2


def test_a_lost_connection_is_opened_again_and_its_message_stays_unknown() -> None:
    run = Run(loading(50), FakeBroker(Faults(cut={(0, 20)})))
    results = run.results()
    ledger = merge(results, run.broker.depth()).ledger
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
    measurement = merge(results, run.broker.depth())
    assert results[0].errors == {"connection_lost": 1, "ServiceUnavailable": 1, "InternalError": 1}
    assert_all_arrived(measurement)
    assert measurement.flags.count("call_errors") == 1


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
    ledger = merge(results, broker.depth()).ledger
    assert (ledger.unexpected, ledger.received, ledger.left) == (1, 20, 1)
    assert broker.depth() == 1


# ---- several loaders


@pytest.mark.parametrize("mode", ["parallel", "load-unload"])
def test_two_loaders_share_the_work_and_close_one_ledger(mode: str) -> None:
    fields = {"producers": 4, "consumers": 3, "drain_s": 600.0}
    case = make_case(loaders=2, **fields) if mode == "parallel" else loading(600, loaders=2, **fields)
    run = Run(case, FakeBroker())
    results = run.results()
    measurement = merge(results, run.broker.depth())
    assert_all_arrived(measurement)
    assert [sorted(result.ledger.producers) for result in results] == [[0, 2], [1, 3]]
    assert results[0].stages == results[1].stages
    expected_gates = {"start"} if mode == "parallel" else {"start", "unload"}
    assert run.meeting.arrived.keys() == expected_gates
    assert {row["loader"] for row in measurement.rows(case)["windows"]} == {0, 1}
    if mode == "parallel":
        end_to_end = measurement.totals["end_to_end"].cell
        assert end_to_end.skipped > 0
        assert "end_to_end_partial" in measurement.flags


def test_two_loaders_give_up_on_messages_that_may_never_have_been() -> None:
    faults = Faults(fail={(0, 4): "Unavailable", (1, 5): "Unavailable"})
    case = loading(100, loaders=2, producers=2, consumers=2, drain_s=600.0)
    ledger = Run(case, FakeBroker(faults)).measured().ledger
    assert (ledger.sent, ledger.unknown, ledger.received, ledger.lost) == (100, 2, 98, 0)


def test_a_loader_that_is_missing_at_the_gate_fails_the_case() -> None:
    run = Run(make_case(loaders=2, start_deadline_s=0.3), FakeBroker())
    with pytest.raises(CaseError, match=r"gate 'start' did not open in time: 1 of 2 loaders"):
        run.one(0)
    assert run.clients[0].opened == run.clients[0].closed == 2


def test_a_loader_that_was_held_up_at_the_gate_does_not_join(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "LATE_S", 1.0)
    run = Run(make_case(), FakeBroker(), FakeMeeting(1, gate_delay_s=-5.0))
    with pytest.raises(CaseError, match="loader 0 passed gate 'start' too late"):
        run.one(0)


def test_a_restarted_loader_never_joins() -> None:
    run = Run(make_case(), FakeBroker())
    run.one(0)
    with pytest.raises(CaseError, match="was at gate 'start' before"):
        run.one(0)


# ---- ends before its time


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
    run = Run(make_case(producers=5, consumers=1, measure_s=0.3, drain_s=0.6), broker)
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

    run = Run(make_case(), FakeBroker(), Throttled(1))
    assert_all_arrived(run.measured())
    assert not failures


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
    assert merge(run.checkpoints[0][-1:], 0).ledger.lost is None


# ---- checkpoints


def test_checkpoints_hold_the_ledger_so_far_and_are_never_final() -> None:
    run = Run(make_case(), FakeBroker())
    final = run.results()[0]
    assert len(run.checkpoints[0]) > 2
    sent = [checkpoint.ledger.producers[0].sent for checkpoint in run.checkpoints[0]]
    assert sent == sorted(sent)
    assert sent[-1] <= final.ledger.producers[0].sent
    for checkpoint in run.checkpoints[0]:
        assert not checkpoint.final
        assert not checkpoint.cells
        assert merge([checkpoint], 0).ledger.lost is None
    killed = merge(run.checkpoints[0][-1:], 0)
    assert "ledger_incomplete" in killed.flags
    assert killed.rows(run.case)["totals"] == []


def test_progress_tells_stage_counts_and_rates() -> None:
    run = Run(make_case(measure_s=0.6), FakeBroker())
    run.one(0)
    assert run.meeting.stages >= {"starting", "measure"}
    last = run.meeting.progress[0]
    assert 0 < last.received <= last.expected <= last.sent


def test_a_busy_process_is_flagged_as_saturated() -> None:
    result = Run(make_case(), FakeBroker()).results()[0]
    assert result.cpu_share["measure"] > 0
    result.cpu_share["measure"] = 0.79
    assert "loader_saturated" not in merge([result], 0).flags
    result.cpu_share["measure"] = 0.8
    assert "loader_saturated" in merge([result], 0).flags


def test_the_tag_of_the_case_is_on_every_message() -> None:
    broker = FakeBroker()
    bodies: list[bytes] = []
    store = broker.put
    broker.put = lambda queue, body: (bodies.append(body), store(queue, body))[1]  # type: ignore[method-assign]
    Run(loading(5, message_bytes=1000), broker).results()
    assert len(bodies) == 5
    assert all(body.startswith(TAG.encode()) and len(body) == 1000 for body in bodies)
