"""Both SQS clients with several calls in flight for one worker, against a real SQS server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from breakeven.clients.base import Client, ConnectionLost, Outcome
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.reconciliation import account
from breakeven.targets.target import Target, open_target
from breakeven.workload.case import Case
from tests.support.loaders.live_case import PATIENCE_S, live
from tests.support.loaders.messages import body
from tests.support.workflow.processes import eventually

SQS = "sqs-standard"
Opened = tuple[Client, str, Target]


@pytest.fixture(params=["native", "boto3"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def opened(
    sqs_environment: str, queue_case: Callable[..., Case], kind: str
) -> Iterator[Callable[..., Opened]]:
    """``opened(**fields of the workload)``: a client, a fresh queue, the target. No lane is left after it."""
    made: list[tuple[Client, str]] = []
    target = open_target(SQS, None)

    def make(**fields: Any) -> Opened:
        case = queue_case(SQS, client=kind, **{"in_flight": 10, **fields})
        (queue,) = target.prepare(case, attempt=1).queues
        made.append((target.client(case.workload), queue))
        return *made[-1], target

    yield make
    for client, _ in made:
        client.close()
    assert eventually(lambda: not [each for each in threading.enumerate() if " lane " in each.name], 30)
    target.release(tuple(queue for _, queue in made))


def test_messages_go_round(opened):
    client, queue, target = opened()
    sender, receiver = client.sender(queue), client.receiver(queue)
    sender.submit(range(200), [body(number, 1024) for number in range(200)])
    outcomes: dict[int, Outcome] = {}
    deadline = time.monotonic() + PATIENCE_S
    while len(outcomes) < 200:
        assert time.monotonic() < deadline
        answers = sender.poll(1.0)
        outcomes.update(zip(answers.sequence, answers.outcome, strict=True))
    assert set(outcomes.values()) == {Outcome.CONFIRMED}
    stamps: set[bytes] = set()
    waiting: set[object] = set()
    while len(stamps) < 200 or waiting:
        assert time.monotonic() < deadline
        got = receiver.receive(0.1)
        stamps.update(got.stamp)
        waiting.update(got.handle)
        settled = receiver.settle(tuple(waiting))
        assert all(
            called < replied for called, replied in zip(settled.called_ns, settled.replied_ns, strict=True)
        )
        waiting.difference_update(settled.handle)
    assert stamps == {body(number) for number in range(200)}
    assert target.depth((queue,)) == 0
    sender.close()
    receiver.close()


def test_a_queue_that_is_not_there_is_reported_by_its_code(opened):
    client, queue, _ = opened()
    sender = client.sender(f"{queue}-none")
    sender.submit([1], [body(1)])
    with pytest.raises(ConnectionLost, match="no call goes well any more: QueueDoesNotExist"):
        sender.poll(PATIENCE_S)
    sender.close()


@pytest.mark.parametrize("mode", ["parallel", "load-unload"])
def test_a_whole_case_accounts_for_every_message(sqs_environment, queue_case, kind, mode):
    target = open_target(SQS, None)
    messages = {"mode": mode, "messages": 300} if mode == "load-unload" else {}
    case = queue_case(SQS, client=kind, in_flight=4, producers=2, consumers=2, **messages)
    queues = target.prepare(case, attempt=1).queues
    with live(case, queues, target.client(case.workload)) as running:
        result = running.result()
    ledger = account([result], QueueCount(target.depth(queues)))
    assert ledger.sent == ledger.confirmed == ledger.received > 0
    assert (ledger.missing, ledger.lost, ledger.left, ledger.duplicates) == (0, 0, 0, 0)
    assert result.errors == {}
    target.release(queues)
