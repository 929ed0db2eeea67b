"""What a case's rows say of how it was driven: its last messages, pauses, lag and place."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace
from typing import Any

import pytest
from aws_lambda_powertools.utilities.metadata import clear_metadata_cache

from breakeven.clients.base import Deliveries
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.coordination import CaseProgress
from breakeven.loadgen.ledger.ledger import Counts, Ledger, LoaderLedger
from breakeven.loadgen.loader import _Loader
from breakeven.loadgen.merge import merge
from breakeven.loadgen.record.cell import Cell
from breakeven.loadgen.record.histogram import Histogram
from breakeven.loadgen.record.recorder import Recorder
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.self_check import diagnosis, host
from breakeven.loadgen.self_check.diagnosis import Diagnosis, diagnose
from breakeven.loadgen.self_check.host import OF_A_FUNCTION, OF_A_TASK, zone
from breakeven.loadgen.self_check.host_use import HostUse
from breakeven.loadgen.stages import Timeline
from breakeven.loadgen.workers import consumer
from breakeven.loadgen.workers.consumer import Consumer
from breakeven.loadgen.workers.signals import Signals
from breakeven.terms import Flag
from tests.support.scripted.fake_meeting import FakeMeeting
from tests.support.scripted.fakes import FakeBroker, FakeClient, make_case

SECOND_NS = 10**9
HIDDEN_S = 30.2


def unloaded(messages: int, late: int) -> LoaderResult:
    """All in hand within 0.4 s, but for the last, which come when they are visible again."""
    recorder = Recorder(timeline := Timeline("load-unload"))
    timeline.begin("unload", 0, 0.0)
    instants = [round(0.4 * SECOND_NS * (n + 1) / messages) for n in range(messages - late)]
    for instant in [*instants, *[round(HIDDEN_S * SECOND_NS)] * late]:
        recorder.operation("consume", instant - 1000, instant, 64)
    result = LoaderResult("run", "case", 1, 0, 1, "load-unload", 1.0, final=True, ledger=Ledger())
    result.cells, result.stages = recorder.cells(), {"unload": 0.0}
    return LoaderResult.from_json(json.loads(json.dumps(result.to_json())))


def total_of(result: LoaderResult) -> tuple[dict[Flag, str], dict[str, Any]]:
    measurement = merge([result], None)
    (row,) = measurement.rows(make_case(client="native"))["totals"]
    return measurement.flags, row


def test_one_message_hidden_for_30_s_is_said_to_set_the_unloads_rate() -> None:
    flags, row = total_of(unloaded(2000, late=1))
    assert "slow_tail" in flags
    assert row["completed"] / row["stage_s"] == pytest.approx(66.2, rel=0.01)
    assert row["early_completed"] == 1999
    assert row["early_completed"] / row["early_s"] == pytest.approx(5000, rel=0.01)


@pytest.mark.parametrize(("messages", "late"), [(2000, 0), (2000, 20), (500, 1)])
def test_an_unload_without_a_tail_of_its_own_is_not(messages: int, late: int) -> None:
    """No late message; many, which are no tail; too few in all to leave any out."""
    flags, row = total_of(unloaded(messages, late))
    assert "slow_tail" not in flags
    assert row["early_s"] == (None if messages < 1000 else pytest.approx(row["stage_s"]))


class Polling:
    """A consumer whose asks come back empty, on a clock of its own; ``slept`` in its pauses, seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, outstanding: bool) -> None:
        self.now_ns, self.slept, self.outstanding = 5 * SECOND_NS, [], outstanding
        timeline = Timeline("parallel")
        timeline.begin("measure", 0, 0.0)
        self.recorder = Recorder(timeline)
        monkeypatch.setattr(consumer, "time", SimpleNamespace(monotonic_ns=lambda: self.now_ns))
        signals = Signals()
        monkeypatch.setattr(signals, "sleep", self._sleep)
        shared: Any = SimpleNamespace(
            case=make_case(), recorder=self.recorder, signals=signals, outstanding=lambda: self.outstanding
        )
        self._consumer = Consumer("consumer 0", "q", shared)

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_ns += round(seconds * SECOND_NS)

    def ask(self) -> None:
        self._consumer._rest(Deliveries((), (), (), (), (), empty=((self.now_ns, self.now_ns),)))

    @property
    def paused_s(self) -> float:
        cell = self.recorder.cells().get(("measure", "consume"), Cell())
        return cell.paused_ns / SECOND_NS


def test_with_messages_outstanding_an_empty_ask_is_followed_by_the_next_at_once(monkeypatch) -> None:
    polling = Polling(monkeypatch, outstanding=True)
    for _ in range(100):
        polling.ask()
        polling.now_ns += SECOND_NS // 50
    assert (polling.slept, polling.paused_s) == ([], 0.0)
    polling.now_ns += 5 * SECOND_NS  # hidden, or lost: it is not hurried after for ever
    polling.ask()
    assert polling.slept == [consumer.EMPTY_PAUSE_S[0]]


def test_pauses_after_empty_asks_are_reported(monkeypatch) -> None:
    polling = Polling(monkeypatch, outstanding=False)
    for _ in range(8):
        polling.ask()
    assert polling.slept == [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.064]
    assert polling.paused_s == pytest.approx(0.191)
    result = LoaderResult("run", "case", 1, 0, 1, "parallel", 10.0, final=True, ledger=Ledger())
    result.cells = polling.recorder.cells()
    assert total_of(result)[1]["paused_s"] == pytest.approx(0.191)


def test_of_an_unload_empty_asks_count_up_to_each_workers_last_message() -> None:
    recorder = Recorder(timeline := Timeline("load-unload"))
    timeline.begin("unload", 0, 0.0)
    for instant in range(10, 60, 10):
        recorder.starved("consume", instant)
        recorder.paused("consume", instant, instant + 4)
    recorder.operation("consume", 32, 35, 64)
    recorder.waited_out("consume", [40, 50], 8)
    for mode, found in (("load-unload", (3, 12)), ("parallel", (5, 20))):
        result = LoaderResult("run", "case", 1, 0, 1, mode, 10.0, final=True, ledger=Ledger())
        cell = recorder.cells()["unload", "consume"]
        result.cells = {("unload" if mode == "load-unload" else "measure", "consume"): cell}
        result.stages = {"unload": 0.0}
        _, row = total_of(LoaderResult.from_json(json.loads(json.dumps(result.to_json()))))
        assert (row["starved"], round(row["paused_s"] * 1e9)) == found


@pytest.mark.parametrize("received", [59, 60])
def test_one_loader_knows_what_is_outstanding_and_several_what_they_last_exchanged(
    monkeypatch: pytest.MonkeyPatch, received: int
) -> None:
    monkeypatch.setattr(LoaderLedger, "counts", lambda _: Counts(60, 60, 0, received))
    sole = loader_of(1)
    assert sole.shared.outstanding() == (received < 60)
    one_of_two = loader_of(2)
    assert not one_of_two.shared.outstanding(), "nothing was exchanged yet"
    latest = CaseProgress(2, producing=False, sent=60, expected=60, received=received, aborted=None)
    monkeypatch.setattr(one_of_two._reporter, "_latest", latest)
    assert one_of_two.shared.outstanding() == (received < 60)
    one_of_two.shared.close()


def loader_of(loaders: int) -> _Loader:
    """The first of so many, not started."""
    assignment = Assignment(make_case(loaders=loaders), 1, 0, ("q",))
    return _Loader(assignment, FakeClient(FakeBroker()), FakeMeeting(loaders).of(0), lambda _: None)


def lags(late_ms: float) -> Histogram:
    found = Histogram()
    for _ in range(95):
        found.add(50_000)
    for _ in range(5):
        found.add(round(late_ms * 1e6))
    return found


def diagnosed(late_ms: float) -> Diagnosis:
    return diagnose("measure", 0.3, lags(late_ms), HostUse(), Histogram(), (), 0.0)


def test_a_throttled_function_that_uses_little_is_saturated_by_its_lag(monkeypatch) -> None:
    monkeypatch.setenv(OF_A_FUNCTION, "169.254.100.1:9001")
    (evidence,) = diagnosed(9.0).evidence()
    assert evidence.startswith("a thread of it woke 9.00 ms late or later")
    assert diagnosed(0.8).evidence() == []
    an_open_loop = SimpleNamespace(offered=10, achieved=10, blocked_ns=0)
    found = diagnose("measure", 0.3, lags(9.0), HostUse(), Histogram(), [an_open_loop], 10.0)
    assert found.evidence() == [evidence]
    result = LoaderResult("run", "case", 1, 0, 1, "parallel", 10.0, final=True, ledger=Ledger())
    result.diagnoses = [diagnosed(9.0)]
    assert "loader_saturated" in merge([result], None).flags


def test_lag_on_a_host_that_is_shared_with_the_target_is_not_the_loaders(monkeypatch) -> None:
    for name in (OF_A_FUNCTION, OF_A_TASK):
        monkeypatch.delenv(name, raising=False)
    assert diagnosed(9.0).evidence() == []
    assert diagnosis.LAG_S < 0.009


@contextmanager
def metadata(status: int, body: bytes) -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    """A metadata endpoint: its address, and the paths and tokens that it was asked with."""
    asked: list[tuple[str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers.get("Authorization")))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


@pytest.fixture
def function(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """What every function's environment has, but for the endpoint's address."""
    monkeypatch.setenv("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")
    monkeypatch.setenv("AWS_LAMBDA_METADATA_TOKEN", "a-token")
    monkeypatch.delenv("POWERTOOLS_DEV", raising=False)
    clear_metadata_cache()
    yield monkeypatch
    clear_metadata_cache()


def test_a_function_learns_the_id_of_its_zone_from_lambdas_metadata_endpoint(function) -> None:
    with metadata(200, b'{"AvailabilityZoneID": "use1-az1"}') as (address, asked):
        function.setenv(OF_A_FUNCTION, address)
        found = zone({OF_A_FUNCTION: address})
    assert found == {"zone": "use1-az1", "zone_unknown": None}
    assert asked == [("/2026-01-15/metadata/execution-environment", "Bearer a-token")]


def test_the_rows_of_a_loader_say_its_zone(function) -> None:
    host.facts.cache_clear()
    with metadata(200, b'{"AvailabilityZoneID": "use1-az1"}') as (address, _):
        function.setenv(OF_A_FUNCTION, address)
        reported = host.facts()
    host.facts.cache_clear()
    result = LoaderResult(
        "run", "case", 1, 0, 1, "parallel", 10.0, final=True, ledger=Ledger(), host=reported
    )
    result.diagnoses = [diagnosed(0.8)]
    (row,) = merge([result], None).rows(make_case())["loaders"]
    assert (row["zone"], row["zone_unknown"]) == ("use1-az1", None)


@pytest.mark.parametrize(("status", "body"), [(500, b""), (200, b"{}"), (200, b"who knows")])
def test_a_metadata_endpoint_that_does_not_tell_leaves_the_zone_unknown_with_its_reason(
    function, status: int, body: bytes
) -> None:
    with metadata(status, body) as (address, _):
        function.setenv(OF_A_FUNCTION, address)
        of_function = zone({OF_A_FUNCTION: address})
        of_task = zone({OF_A_TASK: f"http://{address}/v4/abc"})
    assert of_function["zone"] is of_task["zone"] is None
    assert str(of_function["zone_unknown"]).startswith("Lambda's metadata endpoint")
    assert str(of_task["zone_unknown"]).startswith("the task metadata endpoint")


def test_a_task_learns_the_name_of_its_zone_and_elsewhere_there_is_none() -> None:
    with metadata(200, b'{"Cluster": "c", "AvailabilityZone": "us-east-1c"}') as (address, asked):
        assert zone({OF_A_TASK: f"http://{address}/v4/abc"})["zone"] == "us-east-1c"
    assert asked == [("/v4/abc/task", None)]
    nowhere = zone({})
    assert nowhere["zone"] is None
    assert nowhere["zone_unknown"]
