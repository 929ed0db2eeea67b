"""Both SQS clients, boto3 and native, against a real SQS server: alike in all that a loader sees."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
import pytest

from breakeven.clients.base import CallFailed, Client, ConnectionLost, Outcome
from breakeven.clients.factory import make_client
from breakeven.clients.reference.boto3_client import Boto3Client
from breakeven.clients.sqs.client import SqsClient
from breakeven.loadgen.ledger.stamp import Stamper, StampReader
from breakeven.terms import SQS_MAX_MESSAGE_BYTES
from breakeven.workload.case import Case
from local.ports import free_ports

NOT_THERE = "QueueDoesNotExist"
CLIENTS = {"boto3": Boto3Client, "native": SqsClient}


@pytest.fixture(params=CLIENTS)
def make(
    request: pytest.FixtureRequest, sqs_environment: str, queue_case: Callable[..., Case]
) -> Iterator[Callable[..., Client]]:
    """``make(**fields of the workload)``: a client of each kind in turn."""
    made: list[Client] = []

    def one(**fields: Any) -> Client:
        made.append(make_client(queue_case("sqs-standard", client=request.param, **fields).workload, None))
        assert type(made[-1]) is CLIENTS[request.param]
        return made[-1]

    yield one
    for client in made:
        client.close()


@pytest.fixture
def client(make: Callable[..., Client]) -> Client:
    return make()


@pytest.fixture
def queue(sqs_environment: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A queue whose messages come back after a second."""
    sqs = boto3.client("sqs")
    name = f"{request.node.originalname.replace('_', '-')[:60]}-{time.monotonic_ns() % 10**8}"
    url = sqs.create_queue(QueueName=name, Attributes={"VisibilityTimeout": "1"})
    yield url["QueueUrl"]
    sqs.delete_queue(QueueUrl=url["QueueUrl"])


@pytest.fixture
def fifo_queue(sqs_environment: str) -> Iterator[str]:
    sqs = boto3.client("sqs")
    name = f"ordered-{time.monotonic_ns() % 10**8}.fifo"
    url = sqs.create_queue(QueueName=name, Attributes={"FifoQueue": "true"})["QueueUrl"]
    yield url
    sqs.delete_queue(QueueUrl=url)


def body(number: int, size: int = 16) -> bytes:
    return (b"%016d" % number).ljust(size, b".")


@pytest.mark.parametrize("size", [16, 65_536, SQS_MAX_MESSAGE_BYTES])
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


def test_an_empty_ask_is_reported(client, queue):
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
    too_large = body(2, SQS_MAX_MESSAGE_BYTES + 1)
    with pytest.raises(CallFailed) as caught:
        sender.submit([1, 2, 3], [body(1), too_large, body(3)])
    assert caught.value.taken == 1
    assert list(sender.poll(0.0).sequence) == [1]


def test_a_handle_that_the_server_does_not_take_holds_up_no_other(client, queue):
    client.sender(queue).submit([1], [body(1)])
    receiver = client.receiver(queue)
    (handle,) = receiver.receive(1.0).handle
    settled = receiver.settle(["no-such-handle", handle])
    assert (list(settled.handle), list(settled.refused)) == ([handle], ["no-such-handle"])
    assert len(settled.failed) == 1


def test_an_ask_waits_as_long_as_the_case_says(make, queue):
    receiver, sender = make(wait_s=5.0).receiver(queue), make().sender(queue)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(receiver.receive, 0.0)
        time.sleep(0.5)
        assert not asked.done()
        before = time.monotonic_ns()
        sender.submit([1], [body(1)])
        got = asked.result()
    assert list(got.stamp) == [body(1)]
    assert got.asked_ns[0] < before < got.in_hand_ns[0]


def test_text_that_json_escapes_arrives_as_it_was(client, queue):
    sent = b'0123456789 "\\/\t\r\n{}'
    client.sender(queue).submit([1], [sent])
    message = boto3.client("sqs").receive_message(QueueUrl=queue)["Messages"][0]
    assert message["Body"].encode() == sent


def test_a_fifo_queue_keeps_each_producers_order_and_takes_a_message_once(client, fifo_queue):
    sender, receiver = client.sender(fifo_queue), client.receiver(fifo_queue)
    bodies = [Stamper("test", producer, 32).body(sequence) for sequence in (1, 2) for producer in (0, 1)]
    sender.submit(range(4), bodies)
    sender.submit([0], bodies[:1])
    assert list(sender.poll(0.0).outcome) == [Outcome.CONFIRMED] * 5
    stamps: list[bytes] = []
    while (got := receiver.receive(1.0)).handle:
        stamps += got.stamp
        receiver.settle(got.handle)
    read = [StampReader("test").read(stamp) for stamp in stamps]
    assert sorted(read) == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert read.index((0, 1)) < read.index((0, 2))
    assert read.index((1, 1)) < read.index((1, 2))


def test_nobody_there_is_a_lost_connection(make, queue, monkeypatch):
    (port,) = free_ports(1)
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", f"http://127.0.0.1:{port}")
    lonely = make()
    with pytest.raises(ConnectionLost, match=str(port)):
        lonely.sender(queue).submit([1], [body(1)])
    with pytest.raises(ConnectionLost, match=str(port)):
        lonely.receiver(queue).receive(1.0)
