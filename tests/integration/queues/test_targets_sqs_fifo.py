"""FIFO queues on the SQS server: how they are made, and what a case finds of their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
import pytest

from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.merge import Measurement, merge
from breakeven.targets.target import Target, open_target
from breakeven.workload.case import Case
from tests.support.loaders.live_case import live

Driven = Callable[..., tuple[Measurement, list[str]]]


@pytest.fixture
def target(sqs_environment: str) -> Target:
    return open_target("sqs-fifo", None)


def test_queues_are_of_high_throughput_mode_and_are_known_by_their_name(
    target: Target, queue_case: Callable[..., Case]
) -> None:
    case = queue_case("sqs-fifo", client="native", queues=2)
    found = target.prepare(case, attempt=1)
    assert target.prepare(case, attempt=1) == found
    sqs = boto3.client("sqs")
    for queue in found.queues:
        assert queue.endswith(".fifo")
        has = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
        assert has["FifoQueue"] == "true"
        assert has["VisibilityTimeout"] == "30"
    assert target.depth(found.queues) == 0
    target.release(found.queues)
    target.release(found.queues)


def test_what_is_in_hand_for_long_is_hidden_for_as_long(
    target: Target, queue_case: Callable[..., Case]
) -> None:
    case = queue_case("sqs-fifo", receive_batch=10, in_flight=2, processing_ms=5000.0, linger_ms=2500.0)
    (queue,) = target.prepare(case, attempt=1).queues
    has = boto3.client("sqs").get_queue_attributes(QueueUrl=queue, AttributeNames=["VisibilityTimeout"])
    assert has["Attributes"]["VisibilityTimeout"] == "133"  # 30 + 2 x 10 x 5 + 2.5, in whole seconds
    target.release((queue,))


@pytest.fixture
def driven(target: Target, queue_case: Callable[..., Case]) -> Driven:
    """Drives a case with these fields; what it measured, and which path each worker took."""

    def drive(client: str, **fields: Any) -> tuple[Measurement, list[str]]:
        counts = {"producers": 2, "consumers": 3, "drain_s": 60, "client": client}
        case = queue_case("sqs-fifo", **{**counts, **fields})
        queues = target.prepare(case, attempt=1).queues
        with live(case, queues, target.client(case.workload)) as running:
            result = running.result()
        target.release(queues)
        return merge([result], QueueCount(0)), list(result.fallbacks)

    return drive


@pytest.mark.parametrize("client", ["native", "boto3"])
@pytest.mark.parametrize("batch", [1, 10])
def test_each_producers_messages_are_in_hand_in_their_order_whoever_takes_them(
    driven: Driven, client: str, batch: int
) -> None:
    tens = {"send_batch": batch, "receive_batch": batch, "delete_batch": batch, "window": batch}
    found, fallbacks = driven(client, mode="load-unload", messages=100, groups="producer", **tens)
    ledger = found.ledger
    assert ledger.closed
    assert ledger.received == ledger.sent == 100
    assert (ledger.lost, ledger.duplicates, ledger.out_of_order) == (0, 0, 0)
    assert not fallbacks


@pytest.mark.parametrize("client", ["native", "boto3"])
def test_messages_that_are_groups_of_their_own_wait_for_no_other(driven: Driven, client: str) -> None:
    found, fallbacks = driven(client, groups="message", consumers=2, rate=40.0, measure_s=2, in_flight=5)
    assert found.ledger.closed
    assert found.ledger.received == found.ledger.sent > 0
    assert (found.ledger.lost, found.ledger.duplicates) == (0, 0)
    assert not fallbacks
