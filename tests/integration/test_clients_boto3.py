"""The boto3 client against a real SQS server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import boto3
import pytest

from breakeven.clients.base import CallFailed, ConnectionLost, Outcome
from breakeven.clients.boto3_client import Boto3Client
from breakeven.clients.factory import make_client
from breakeven.targets.limits import MAX_MESSAGE_BYTES
from breakeven.workload.case import Case
from local.ports import free_ports

NOT_THERE = "QueueDoesNotExist"


@pytest.fixture
def client(sqs_environment: str, queue_case: Callable[..., Case]) -> Iterator[Boto3Client]:
    made = make_client(queue_case("sqs-standard").workload, None)
    assert isinstance(made, Boto3Client)
    yield made
    made.close()


@pytest.fixture
def queue(sqs_environment: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A queue whose messages come back after a second."""
    sqs = boto3.client("sqs")
    name = f"{request.node.originalname.replace('_', '-')[:60]}-{time.monotonic_ns() % 10**8}"
    url = sqs.create_queue(QueueName=name, Attributes={"VisibilityTimeout": "1"})
    yield url["QueueUrl"]
    sqs.delete_queue(QueueUrl=url["QueueUrl"])


def body(number: int, size: int = 16) -> bytes:
    return (b"%016d" % number).ljust(size, b".")


@pytest.mark.parametrize("size", [16, 65_536, MAX_MESSAGE_BYTES["sqs-standard"]])
def test_messages_go_round(client, queue, size):
    sender, receiver = client.sender(queue), client.receiver(queue)
    before = time.monotonic_ns()
    sender.submit([7, 8], [body(7, size), body(8, size)])
    answers = sender.poll(5.0)
    assert list(answers.sequence) == [7, 8]
    assert list(answers.outcome) == [Outcome.CONFIRMED] * 2
    for sent, answered in zip(answers.sent_ns, answers.answered_ns, strict=True):
        assert before <= sent < answered <= time.monotonic_ns()
    assert list(sender.poll(0.0).sequence) == []
    stamps = []
    for _ in range(2):
        asked = time.monotonic_ns()
        got = receiver.receive(5.0)
        assert asked <= got.asked_ns[0] < got.in_hand_ns[0] <= time.monotonic_ns()
        assert list(got.redelivered) == [False]
        assert got.empty == ()
        stamps += got.stamp
        settled = receiver.settle(got.handle)
        assert list(settled.handle) == list(got.handle)
        assert got.in_hand_ns[0] <= settled.called_ns[0] < settled.replied_ns[0] <= time.monotonic_ns()
    assert sorted(stamps) == [body(7), body(8)]
    assert receiver.receive(0.0).handle == ()


def test_an_empty_ask_is_told(client, queue):
    before = time.monotonic_ns()
    got = client.receiver(queue).receive(5.0)
    ((asked, answered),) = got.empty
    assert before <= asked < answered <= time.monotonic_ns()


def test_what_is_unsettled_comes_again_and_says_so(client, queue):
    client.sender(queue).submit([1], [body(1)])
    receiver = client.receiver(queue)
    assert list(receiver.receive(1.0).redelivered) == [False]
    time.sleep(1.2)
    again = client.receiver(queue).receive(1.0)
    assert list(again.redelivered) == [True]
    assert list(again.stamp) == [body(1)]


def test_a_call_that_fails_is_not_a_lost_connection(client, queue):
    with pytest.raises(CallFailed) as caught:
        client.sender(f"{queue}-none").submit([1], [body(1)])
    assert caught.value.code == NOT_THERE
    with pytest.raises(CallFailed) as caught:
        client.receiver(f"{queue}-none").receive(1.0)
    assert caught.value.code == NOT_THERE


def test_what_was_taken_before_a_failing_call_is_answered(client, queue):
    sender = client.sender(queue)
    too_large = body(2, MAX_MESSAGE_BYTES["sqs-standard"] + 1)
    with pytest.raises(CallFailed) as caught:
        sender.submit([1, 2, 3], [body(1), too_large, body(3)])
    assert caught.value.taken == 1
    assert list(sender.poll(0.0).sequence) == [1]


def test_what_was_settled_before_a_failing_call_is_told(client, queue):
    client.sender(queue).submit([1], [body(1)])
    receiver = client.receiver(queue)
    (handle,) = receiver.receive(1.0).handle
    assert list(receiver.settle([handle, "no-such-handle"]).handle) == [handle]
    with pytest.raises(CallFailed):
        receiver.settle(["no-such-handle"])


def test_nobody_there_is_a_lost_connection(client, queue, monkeypatch, queue_case):
    (port,) = free_ports(1)
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", f"http://127.0.0.1:{port}")
    lonely = make_client(queue_case("sqs-standard").workload, None)
    with pytest.raises(ConnectionLost, match=str(port)):
        lonely.sender(queue).submit([1], [body(1)])
    with pytest.raises(ConnectionLost, match=str(port)):
        lonely.receiver(queue).receive(1.0)
    lonely.close()
