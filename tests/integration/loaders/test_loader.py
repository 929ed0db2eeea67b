"""Whole loaders against real brokers and a real SQS server: every message is accounted for."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from breakeven.errors import CaseError
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.body_sizes import BodySizes
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.loader import run_loader
from breakeven.loadgen.merge import Measurement, merge
from breakeven.loadgen.result import LoaderResult
from breakeven.targets.target import Target
from breakeven.terms import TargetName
from breakeven.workload.case import Case
from tests.support.loaders.real_targets import opened
from tests.support.scripted.fake_meeting import FakeMeeting

PARALLEL = {
    "producers": 4,
    "consumers": 4,
    "message_bytes": 1024,
    "warmup_s": 0.5,
    "measure_s": 2.0,
    "drain_s": 30.0,
}
LOAD_UNLOAD = {
    **PARALLEL,
    "mode": "load-unload",
    "messages": 200,
    "queues": 2,
    "warmup_s": 0.0,
}
MakeCase = Callable[..., Case]


class Bench:
    """A target with the fresh queues of one case."""

    def __init__(self, target: Target, case: Case) -> None:
        self.target, self.case = target, case
        self.queues = target.prepare(case, 1).queues
        self.meeting = FakeMeeting(case.loaders, gate_delay_s=0.3)
        self.checkpoints: list[LoaderResult] = []

    def measured(self) -> Measurement:
        with ThreadPoolExecutor(self.case.loaders) as pool:
            results = list(pool.map(self.one, range(self.case.loaders)))
        documents = [json.loads(json.dumps(result.to_json())) for result in results]
        return merge([LoaderResult.from_json(document) for document in documents], QueueCount(self.left()))

    def one(self, loader: int) -> LoaderResult:
        client = self.target.client(self.case.workload)
        try:
            assignment = Assignment(self.case, 1, loader, self.queues)
            return run_loader(assignment, client, self.meeting.of(loader), self.checkpoints.append)
        finally:
            client.close()

    def left(self) -> int:
        return self.target.depth(self.queues)


@pytest.fixture
def bench(request: pytest.FixtureRequest, queue_case: MakeCase) -> Iterator[Callable[..., Bench]]:
    """``bench(target, loaders=1, **workload)``; the queues are deleted after the test."""
    made: list[Bench] = []

    def make(name: TargetName, *, loaders: int = 1, **fields: object) -> Bench:
        case = queue_case(name, **fields).model_copy(update={"loaders": loaders})
        made.append(Bench(opened(request, name), case))
        return made[-1]

    yield make
    for each in made:
        each.target.release(each.queues)


def assert_closed(measurement: Measurement) -> None:
    ledger = measurement.ledger
    assert ledger.sent == ledger.confirmed == ledger.received > 0
    assert (ledger.lost, ledger.missing, ledger.left, ledger.unknown) == (0, 0, 0, 0)
    assert (ledger.duplicates, ledger.unexpected) == (0, 0)
    assert ledger.closed
    assert set(measurement.flags) <= {"loader_saturated", "busy_host", "end_to_end_partial"}


def assert_measured(measurement: Measurement, *metrics: str) -> None:
    assert measurement.totals.keys() == set(metrics)
    for total in measurement.totals.values():
        assert total.cell.latencies.count > 0
        assert total.stage_s


@pytest.mark.parametrize("loaders", [1, 2])
@pytest.mark.parametrize(
    ("target", "client", "metrics"),
    [
        ("rabbitmq-mirrored-pair", "pika", ("produce", "consume", "consume_cycle", "end_to_end")),
        *(
            ("sqs-standard", client, ("produce", "consume", "settle", "consume_cycle", "end_to_end"))
            for client in ("boto3", "native")
        ),
    ],
)
def test_parallel(
    bench: Callable[..., Bench], target: str, client: str, metrics: tuple[str, ...], loaders: int
) -> None:
    measurement = bench(target, loaders=loaders, client=client, **PARALLEL).measured()
    assert_closed(measurement)
    assert_measured(measurement, *metrics)
    assert "end_to_end_partial" not in measurement.flags, "loaders of one machine share its clock"


@pytest.mark.parametrize(
    ("target", "metrics"),
    [
        ("rabbitmq-mirrored-pair", ("produce", "consume", "consume_cycle")),
        ("sqs-standard", ("produce", "consume", "settle", "consume_cycle")),
    ],
)
def test_load_and_unload_by_two_loaders(
    bench: Callable[..., Bench], target: str, metrics: tuple[str, ...]
) -> None:
    measurement = bench(target, loaders=2, **LOAD_UNLOAD).measured()
    assert_closed(measurement)
    assert_measured(measurement, *metrics)
    assert measurement.ledger.sent == 200
    assert {
        metric: total.cell.total().operations for metric, total in measurement.totals.items()
    } == dict.fromkeys(metrics, 200)


@pytest.mark.parametrize("client", ["pika", "native"])
def test_pushed_messages_have_no_ask(bench: Callable[..., Bench], client: str) -> None:
    fields = {**PARALLEL, "client": client, "consume": "push", "prefetch": 20, "measure_s": 1.0}
    measurement = bench("rabbitmq-mirrored-pair", **fields).measured()
    assert_closed(measurement)
    assert measurement.totals.keys() == {"produce", "consume", "end_to_end"}
    assert measurement.totals["consume"].cell.latencies.count == 0
    assert measurement.totals["consume"].cell.total().operations > 0


@pytest.mark.parametrize("client", ["pika", "native"])
@pytest.mark.parametrize("settled", [{"acks": False}, {"ack_every": 7}, {"prefetch": 0, "ack_every": 100}])
def test_however_messages_are_settled_each_is_accounted_for(
    bench: Callable[..., Bench], client: str, settled: dict[str, Any]
) -> None:
    fields = {**PARALLEL, "client": client, "consume": "push", "prefetch": 20, "window": 20, "measure_s": 1.0}
    measurement = bench("rabbitmq-mirrored-pair", **{**fields, **settled}).measured()
    assert_closed(measurement)
    assert measurement.ledger.received == measurement.ledger.sent > 0
    assert (measurement.ledger.duplicates, measurement.ledger.redelivered) == (0, 0)


@pytest.mark.parametrize("client", ["pika", "native"])
def test_without_confirms_every_message_is_unknown_and_still_found(
    bench: Callable[..., Bench], client: str
) -> None:
    fields = {**PARALLEL, "client": client, "confirms": False, "producers": 1, "warmup_s": 0.0}
    fields |= {"measure_s": 0.5, "consume": "push", "prefetch": 200}  # without confirms they may be many
    measurement = bench("rabbitmq-mirrored-pair", **fields).measured()
    ledger = measurement.ledger
    assert ledger.sent == ledger.unknown == ledger.received > 0
    assert (ledger.confirmed, ledger.missing, ledger.left, ledger.lost) == (0, 0, 0, 0)
    assert measurement.totals["produce"].cell.latencies.count > 0


@pytest.mark.parametrize("client", ["pika", "native"])
def test_queues_that_vanish_in_mid_case_fail_it_with_the_reason_and_its_ledger(
    bench: Callable[..., Bench], client: str
) -> None:
    made = bench(
        "rabbitmq-mirrored-pair", **{**PARALLEL, "client": client, "measure_s": 12.0, "drain_s": 1.0}
    )

    def delete_when_measuring() -> None:
        deadline = time.monotonic() + 30
        while "measure" not in made.meeting.stages and time.monotonic() < deadline:
            time.sleep(0.05)
        made.target.release(made.queues)

    thread = threading.Thread(target=delete_when_measuring)
    thread.start()
    with pytest.raises(CaseError, match=r"consumer \d+: .*no queue"):
        made.one(0)
    thread.join()
    last = made.checkpoints[-1]
    assert last.final
    assert last.errors["returned"] > 0
    assert last.errors["connection_lost"] > 0
    account = merge([last], QueueCount(0)).ledger
    assert account.sent == account.confirmed + account.returned + account.nacked + account.unknown
    assert account.returned == last.errors["returned"]


@pytest.mark.parametrize(
    ("target", "client", "fields"),
    [
        ("rabbitmq-mirrored-pair", "native", {"consume": "push", "prefetch": 20, "window": 20}),
        ("rabbitmq-mirrored-pair", "native", {}),
        ("rabbitmq-mirrored-pair", "pika", {"consume": "push", "prefetch": 20, "window": 20}),
        ("sqs-standard", "native", {}),
        ("sqs-standard", "boto3", {"send_batch": 10, "receive_batch": 10, "delete_batch": 10, "window": 10}),
    ],
)
def test_messages_of_several_sizes_arrive_and_their_bytes_are_counted(
    bench: Callable[..., Bench], target: str, client: str, fields: dict[str, Any]
) -> None:
    mix = {16: 50, 1024: 30, 65_536: 20}
    fields = {**PARALLEL, "client": client, "producers": 1, "consumers": 1, "measure_s": 1.0, **fields}
    made = bench(target, message_mix=mix, **fields)
    result = made.one(0)
    ledger = merge([result], QueueCount(made.left())).ledger
    assert ledger.sent == ledger.confirmed == ledger.received
    assert (ledger.duplicates, ledger.unexpected, ledger.closed) == (0, 0, True)
    sizes = BodySizes(made.case).of(0, range(ledger.sent))
    assert set(sizes.tolist()) == mix.keys()
    sent = int(sizes.sum())
    for metric in ("produce", "consume"):
        stages = [cell.total() for (_, name), cell in result.cells.items() if name == metric]
        assert (sum(each.operations for each in stages), sum(each.size for each in stages)) == (
            ledger.sent,
            sent,
        )
    assert result.fallbacks == (["messages of several sizes"] if client == "native" else [])


@pytest.mark.parametrize("target", ["rabbitmq-mirrored-pair", "sqs-standard"])
@pytest.mark.parametrize(
    "workers", [{"producers": 0}, {"producers": 2}, {"producers": 2, "rate": 50.0, "window": 20}]
)
def test_queues_that_were_loaded_are_consumed_and_all_of_it_is_accounted_for(
    bench: Callable[..., Bench], target: str, workers: dict[str, Any]
) -> None:
    fields = {**PARALLEL, "consumers": 2, "queues": 2, "prefill": 301, "warmup_s": 0.0, "measure_s": 1.0}
    measurement = bench(target, **{**fields, "client": "native", **workers}).measured()
    assert_closed(measurement)
    assert measurement.ledger.received == measurement.ledger.sent >= 301
    assert (measurement.ledger.sent == 301) == (workers["producers"] == 0)
    assert measurement.totals["consume"].cell.latencies.count > 0
    assert ("end_to_end" in measurement.totals) == (workers["producers"] > 0)


@pytest.mark.parametrize("target", ["rabbitmq-mirrored-pair", "sqs-standard"])
@pytest.mark.parametrize("arriving", [{}, {"rate": 50.0, "window": 20}])
def test_publishing_alone_is_measured_and_all_of_it_received_afterwards(
    bench: Callable[..., Bench], target: str, arriving: dict[str, Any]
) -> None:
    fields = {**PARALLEL, "producers": 2, "consumers": 0, "measure_s": 1.0, "warmup_s": 0.0, "drain_s": 60.0}
    measurement = bench(target, **{**fields, **arriving}).measured()
    assert_closed(measurement)
    assert measurement.ledger.received == measurement.ledger.sent > 0
    assert measurement.totals["produce"].cell.latencies.count > 0
    assert "end_to_end" not in measurement.totals
    assert [t.cell.total().operations for n, t in measurement.totals.items() if n == "consume"] == [0]
