"""What only the native RabbitMQ client is asked: frames of every size, forced closes, TLS. On real nodes."""

from __future__ import annotations

import itertools
import ssl
from collections import Counter
from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest

from breakeven.brokers.access import Access
from breakeven.clients import connections
from breakeven.clients.amqp.client import NativeAmqpClient
from breakeven.clients.base import ConnectionLost, Outcome, Sender
from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from breakeven.targets.rabbitmq.rabbitmq_mirrored_pair import RabbitMQMirroredPair
from breakeven.workload.case import Case, Workload
from tests.support.loaders.messages import PATIENCE_S, body, receive, send
from tests.support.scripted.certificates import make_certificate
from tests.support.scripted.tls import terminator
from tests.support.workflow.processes import eventually

TARGET = "rabbitmq-mirrored-pair"


@pytest.fixture(scope="module")
def pair(rabbitmq_pair: Access) -> Iterator[RabbitMQMirroredPair]:
    target = RabbitMQMirroredPair(rabbitmq_pair)
    target.establish()
    yield target
    target.dismantle()


@pytest.fixture
def prepared(
    pair: RabbitMQMirroredPair, queue_case: Callable[..., Case]
) -> Iterator[Callable[..., tuple[Workload, str]]]:
    """``prepared(**fields of the workload)``: the workload and a fresh queue."""
    queues: list[str] = []

    def make(**fields: object) -> tuple[Workload, str]:
        case = queue_case(TARGET, client="native", **fields)
        queues.extend(pair.prepare(case, attempt=1).queues)
        return case.workload, queues[-1]

    yield make
    pair.release(tuple(queues))


@pytest.fixture
def opened(prepared, closing) -> Callable[..., NativeAmqpClient]:
    """``opened(workload, access, …)``: a client that is closed before its queue is deleted."""
    return lambda *args: closing(NativeAmqpClient(*args))


@pytest.mark.parametrize("frame_max", [4096, 131_072])
@pytest.mark.parametrize("size", [65_536, 1_048_576])
@pytest.mark.parametrize("consume", ["get", "push"])
def test_large_bodies_over_frames_of_any_size(prepared, opened, rabbitmq_pair, frame_max, size, consume):
    workload, queue = prepared(message_bytes=size, consume=consume, prefetch=3)
    client = opened(workload, rabbitmq_pair, frame_max)
    assert set(send(client.sender(queue), range(7), size).values()) == {Outcome.CONFIRMED}
    receiver, stamps = client.receiver(queue), []
    while len(stamps) < 6:
        got = receive(receiver)
        stamps += got.stamp
        receiver.settle(got.handle[: 6 - len(stamps) + len(got.handle)])
    assert stamps[:6] == [body(number) for number in range(6)]
    client.close()
    with open_channel(rabbitmq_pair, rabbitmq_pair.nodes) as channel:
        _, _, whole = channel.basic_get(queue, auto_ack=True)
    assert whole == body(6, size), "as it was sent, to the last byte"


@pytest.mark.parametrize("sent_ahead", [0, 10_000], ids=["confirms read", "confirms unread"])
def test_an_orderly_close_loses_nothing_of_ten_thousand(
    prepared, opened, pair, rabbitmq_pair, sent_ahead, monkeypatch
):
    monkeypatch.setattr(connections, "CLOSE_TIMEOUT_S", 60.0)  # nodes of a busy host need more than theirs
    workload, queue = prepared()
    client = opened(workload, rabbitmq_pair)
    sender = client.sender(queue)
    if sent_ahead:
        sender.submit(range(10_000), [body(number) for number in range(10_000)])
    else:
        for first in range(0, 10_000, 200):
            assert set(send(sender, range(first, first + 200)).values()) == {Outcome.CONFIRMED}
    sender.close()
    # the queue takes in what its channel was handed a moment after the close is answered
    assert eventually(lambda: pair.depth((queue,)) == 10_000), pair.depth((queue,))


def test_what_a_forced_close_left_unanswered_is_not_answered(prepared, opened, pair, rabbitmq_pair):
    workload, queue = prepared()
    client = opened(workload, rabbitmq_pair)
    sender = client.sender(queue)
    assert send(sender, [0]) == {0: Outcome.CONFIRMED}
    close = Closing(Management(rabbitmq_pair))
    counts = Counter(submitted=1, answered=1)
    with pytest.raises(ConnectionLost, match=r"\(320\) CONNECTION_FORCED"):
        keep_sending(sender, counts, close)
    assert counts["answered"] < counts["submitted"]
    sender.close()
    # the queue takes in what its channel was handed a moment after the close
    assert eventually(lambda: counts["answered"] <= pair.depth((queue,))), counts
    assert pair.depth((queue,)) <= counts["submitted"]
    assert send(client.sender(queue), [1]) == {1: Outcome.CONFIRMED}, "a new connection is well"


class Closing:
    """Closes the one connection of ours from the broker's side, as an operator would."""

    def __init__(self, management: Management) -> None:
        self._management = management
        assert eventually(lambda: len(self._names()) == 1), "known to the statistics, too"
        (self._name,) = self._names()

    def __call__(self) -> None:
        self._management._ask("DELETE", f"/api/connections/{quote(self._name, safe='')}")

    def _names(self) -> set[str]:
        fresh = self._management._ask("GET", "/api/connections?disable_stats=true")
        late = self._management._ask("GET", "/api/connections?columns=name,client_properties")
        ours = {one["name"] for one in late if one.get("client_properties", {}).get("connection_name")}
        return {one["name"] for one in fresh} & ours


def keep_sending(sender: Sender, counts: Counter[str], close: Callable[[], None]) -> None:
    """Batches of 1000 until it fails; ``close`` is called in between."""
    for number in itertools.count(1):
        batch = range(number * 1000, number * 1000 + 1000)
        counts["submitted"] += 1000
        sender.submit(batch, [body(sequence) for sequence in batch])
        if number == 5:
            close()
        answers = sender.poll(PATIENCE_S)
        assert set(answers.outcome) == {Outcome.CONFIRMED}
        counts["answered"] += len(answers.sequence)


@pytest.mark.parametrize("size", [1024, 200_000])
def test_tls_when_the_access_says_so(prepared, opened, rabbitmq_pair, tmp_path, monkeypatch, size):
    make_certificate(tmp_path / "broker.pem")
    workload, queue = prepared(consume="push", prefetch=50, message_bytes=size)
    node = rabbitmq_pair.nodes[0]
    with terminator(tmp_path / "broker.pem", node.amqp_port) as port:
        behind = node.model_copy(update={"amqp_port": port})
        access = rabbitmq_pair.model_copy(update={"tls": True, "nodes": (behind,)})
        client = opened(workload, access)
        with pytest.raises(ConnectionLost, match="certificate"):
            client.sender(queue)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "broker.pem"))
        assert ssl.get_default_verify_paths().cafile == str(tmp_path / "broker.pem")
        assert set(send(client.sender(queue), range(300), size).values()) == {Outcome.CONFIRMED}
        receiver, stamps = client.receiver(queue), []
        while len(stamps) < 300:
            got = receive(receiver)
            receiver.settle(got.handle)
            stamps += got.stamp
        assert stamps == [body(number) for number in range(300)]


def test_plain_where_the_access_says_so_is_not_mistaken_for_tls(rabbitmq_pair, prepared, opened):
    workload, queue = prepared()
    client = opened(workload, rabbitmq_pair.model_copy(update={"tls": True}))
    with pytest.raises(ConnectionLost, match="SSL"):
        client.sender(queue)
