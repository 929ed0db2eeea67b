"""Whole loaders on an in-memory broker: cases that go well, alone and together."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.errors import CaseError
from breakeven.loadgen import gates
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.merge import merge
from breakeven.loadgen.record import shared_send_times
from breakeven.loadgen.workers import consumer
from breakeven.results.schemas import TABLES
from tests.support.loaders.loader_runs import Run, assert_all_arrived, brisk, loading, no_thread_left  # noqa: F401
from tests.support.scripted.fake_meeting import FakeMeeting
from tests.support.scripted.fakes import TAG, FakeBroker, Faults, make_case

pytestmark = pytest.mark.usefixtures("brisk", "no_thread_left")

COLUMNS = {table.name: table.columns.keys() for table in TABLES}


@pytest.mark.parametrize("push", [False, True], ids=["get", "push"])
def test_parallel_measures_every_metric_that_exists(push: bool) -> None:
    case = make_case(producers=3, consumers=2, measure_s=1.5)
    run = Run(case, FakeBroker(), push=push, replies=True)
    measurement = run.measured()
    assert_all_arrived(measurement)
    metrics = {"produce", "consume", "settle", "end_to_end"} | (set() if push else {"consume_cycle"})
    assert measurement.totals.keys() == metrics
    for metric, total in measurement.totals.items():
        assert total.stage_s == 1.5
        assert total.cell.total().operations > 0
        assert (total.cell.latencies.count > 0) == (not (push and metric == "consume"))
    assert run.clients[0].opened == run.clients[0].closed
    assert set(measurement.flags) <= {"loader_saturated", "busy_host"}, "beside other tests"


def test_how_long_a_long_poll_waited_for_a_message_is_no_latency() -> None:
    """As with push, what is received is counted and has no request that it would count from."""
    totals = Run(make_case(wait_s=20, measure_s=0.5), FakeBroker(), replies=True).measured().totals
    assert totals.keys() == {"produce", "consume", "settle", "end_to_end"}
    consume = totals["consume"].cell
    assert (consume.latencies.count, consume.total().operations > 0) == (0, True)
    assert totals["settle"].cell.latencies.count > 0


def test_an_ack_without_reply_has_no_settle_but_a_cycle() -> None:
    totals = Run(make_case(), FakeBroker(), replies=False).measured().totals
    assert "settle" not in totals
    assert totals["consume_cycle"].cell.latencies.min_ns >= totals["consume"].cell.latencies.min_ns


def test_rows_have_the_columns_of_the_schemas() -> None:
    case = make_case()
    rows = Run(case, FakeBroker(), replies=True).measured().rows(case)
    assert rows.keys() == {"windows", "latencies", "totals", "ledgers", "loaders", "probes"}
    assert rows.pop("probes") == []  # of a capacity search only
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
    measurement = merge(results, QueueCount(run.broker.depth()))
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


def test_asks_after_the_last_message_of_an_unload_are_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue is full until its last message: whatever comes back empty comes back after that."""
    monkeypatch.setattr(consumer, "EMPTY_PAUSE_S", (0.001, 0.002))
    case = loading(50, consumers=2)
    measurement = Run(case, FakeBroker()).measured()
    consume = measurement.totals["consume"]
    assert consume.cell.total().starved > 0
    (row,) = (row for row in measurement.rows(case)["totals"] if row["metric"] == "consume")
    assert (row["starved"], row["paused_s"]) == (0, 0.0)


def test_a_drain_ends_when_the_ledger_closes_and_producers_help_with_it() -> None:
    """The only consumer serves one of two queues: what is in the other needs the helpers."""
    case = make_case(producers=4, consumers=1, queues=2, drain_s=600.0, measure_s=0.5)
    run = Run(case, FakeBroker())
    results = run.results()
    measurement = merge(results, QueueCount(run.broker.depth()))
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


@pytest.mark.parametrize("mode", ["parallel", "load-unload"])
def test_two_loaders_share_the_work_and_close_one_ledger(mode: str) -> None:
    fields = {"producers": 4, "consumers": 3, "drain_s": 600.0}
    case = make_case(loaders=2, **fields) if mode == "parallel" else loading(600, loaders=2, **fields)
    run = Run(case, FakeBroker())
    results = run.results()
    measurement = merge(results, QueueCount(run.broker.depth()))
    assert_all_arrived(measurement)
    assert [sorted(result.ledger.producers) for result in results] == [[0, 2], [1, 3]]
    assert results[0].stages == results[1].stages
    expected_gates = {"start"} if mode == "parallel" else {"start", "unload"}
    assert run.meeting.arrived.keys() == expected_gates
    assert {row["loader"] for row in measurement.rows(case)["windows"]} == {0, 1}
    if mode == "parallel":
        assert measurement.totals["end_to_end"].cell.skipped == 0, "they share this machine's clock"
        assert "end_to_end_partial" not in measurement.flags


def test_what_a_loader_elsewhere_has_sent_is_skipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shared_send_times, "SHARED_MEMORY", tmp_path / "none")
    measurement = Run(make_case(loaders=2, producers=4, consumers=3), FakeBroker()).measured()
    end_to_end = measurement.totals["end_to_end"].cell
    assert end_to_end.skipped > 0
    assert end_to_end.latencies.count > 0
    assert "end_to_end_partial" in measurement.flags


def test_two_loaders_give_up_on_messages_that_may_never_have_been() -> None:
    faults = Faults(fail={(0, 4): "Unavailable", (1, 5): "Unavailable"})
    case = loading(100, loaders=2, producers=2, consumers=2, drain_s=600.0)
    measurement = Run(case, FakeBroker(faults)).measured()
    ledger = measurement.ledger
    assert (ledger.sent, ledger.unknown, ledger.received, ledger.lost) == (100, 2, 98, 0)
    assert "drain_deadline" not in measurement.flags


@pytest.mark.parametrize(
    ("producers", "consumers", "loaders", "queues"),
    [(5, 5, 2, 1), (5, 5, 2, 5), (4, 4, 2, 2), (10, 1, 2, 1), (1, 10, 2, 1), (40, 40, 10, 5)],
)
def test_every_worker_is_dealt_once_and_loaders_get_messages_of_their_own_back(
    producers, consumers, loaders, queues
) -> None:
    case = make_case(producers=producers, consumers=consumers, loaders=loaders, queues=queues)
    dealt = [Assignment(case, 1, number, tuple(f"q{i}" for i in range(queues))) for number in range(loaders)]
    assert sorted(number for each in dealt for number in each.mine(producers)) == list(range(producers))
    assert sorted(number for each in dealt for number in each.mine(consumers)) == list(range(consumers))
    for each in dealt:
        sent_to = {each.queue(number) for number in each.mine(producers)}
        read_from = {each.queue(number) for number in each.mine(consumers)}
        assert sent_to & read_from or not (sent_to and read_from)
    assert any(each.mine(producers) and each.mine(consumers) for each in dealt)


def test_a_loader_that_is_missing_at_the_gate_fails_the_case() -> None:
    run = Run(make_case(loaders=2, start_deadline_s=0.3), FakeBroker())
    with pytest.raises(CaseError, match=r"barrier 'start' did not open in time: 1 of 2 loaders"):
        run.one(0)
    assert run.clients[0].opened == run.clients[0].closed == 2
    assert run.meeting.stages == {"starting"}


def test_a_loader_that_was_held_up_at_the_gate_does_not_join(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "LATE_S", 1.0)
    run = Run(make_case(), FakeBroker(), FakeMeeting(1, gate_delay_s=-5.0))
    with pytest.raises(CaseError, match="loader 0 passed barrier 'start' too late"):
        run.one(0)


def test_a_restarted_loader_never_joins() -> None:
    run = Run(make_case(), FakeBroker())
    run.one(0)
    with pytest.raises(CaseError, match="was at barrier 'start' before"):
        run.one(0)


def test_checkpoints_hold_the_ledger_so_far_and_are_never_final() -> None:
    run = Run(make_case(measure_s=1.5), FakeBroker())
    final = run.results()[0]
    assert len(run.checkpoints[0]) > 2
    sent = [checkpoint.ledger.producers[0].sent for checkpoint in run.checkpoints[0]]
    assert sent == sorted(sent)
    assert sent[-1] <= final.ledger.producers[0].sent
    for checkpoint in run.checkpoints[0]:
        assert not checkpoint.final
        assert not checkpoint.cells
        assert merge([checkpoint], QueueCount(0)).ledger.lost is None
    killed = merge(run.checkpoints[0][-1:], QueueCount(0))
    assert "ledger_incomplete" in killed.flags
    assert killed.rows(run.case)["totals"] == []


def test_progress_tells_stage_counts_and_rates() -> None:
    run = Run(make_case(measure_s=0.6), FakeBroker())
    run.one(0)
    assert "measure" in run.meeting.stages
    last = run.meeting.progress[0]
    assert 0 < last.received <= last.expected <= last.sent


def test_a_busy_process_is_flagged_as_saturated() -> None:
    result = Run(make_case(), FakeBroker()).results()[0]
    (diagnosis,) = result.diagnoses
    assert diagnosis.stage == "measure"
    assert diagnosis.cpu_share > 0
    assert diagnosis.lag_p99_ms is not None
    assert (diagnosis.offered, diagnosis.blocked_share) == (None, None)  # of open loops only
    result.diagnoses = [diagnosis.model_copy(update={"cpu_share": 0.79})]
    assert "loader_saturated" not in merge([result], QueueCount(0)).flags
    result.diagnoses = [diagnosis.model_copy(update={"cpu_share": 0.8})]
    assert "loader_saturated" in merge([result], QueueCount(0)).flags


def test_the_tag_of_the_case_is_on_every_message() -> None:
    broker = FakeBroker()
    bodies: list[bytes] = []
    store = broker.put
    broker.put = lambda queue, body: (bodies.append(body), store(queue, body))[1]  # type: ignore[method-assign]
    Run(loading(5, message_bytes=1000), broker).results()
    assert len(bodies) == 5
    assert all(body.startswith(TAG.encode()) and len(body) == 1000 for body in bodies)
