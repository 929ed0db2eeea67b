"""Both RabbitMQ clients against a real mirrored pair: they must be alike in everything but speed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from breakeven.brokers.access import Access
from breakeven.clients import connections
from breakeven.clients.base import Client, ConnectionLost, Outcome
from breakeven.clients.connections import LOADER_CONNECTION
from breakeven.clients.factory import make_client
from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from breakeven.targets.rabbitmq.rabbitmq_mirrored_pair import RabbitMQMirroredPair
from breakeven.workload.case import Case
from tests.support.loaders.messages import body, receive, send
from tests.support.workflow.processes import eventually

TARGET = "rabbitmq-mirrored-pair"
Opened = tuple[Client, str]


@pytest.fixture(scope="module")
def pair(rabbitmq_pair: Access) -> Iterator[RabbitMQMirroredPair]:
    target = RabbitMQMirroredPair(rabbitmq_pair)
    target.establish()
    yield target
    target.dismantle()


@pytest.fixture(params=["pika", "native"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def opened(
    pair: RabbitMQMirroredPair, queue_case: Callable[..., Case], kind: str
) -> Iterator[Callable[..., Opened]]:
    """``opened(**fields of the workload)``: a client and a fresh queue."""
    clients: list[Client] = []
    queues: list[str] = []

    def make(**fields: object) -> Opened:
        case = queue_case(TARGET, **{"client": kind, **fields})
        prepared = pair.prepare(case, attempt=1)
        queues.extend(prepared.queues)
        client = pair.client(case.workload)
        assert client.name == case.workload.client
        clients.append(client)
        return client, prepared.queues[0]

    yield make
    for client in clients:
        client.close()
    pair.release(tuple(queues))


@pytest.mark.parametrize("consume", ["get", "push"])
@pytest.mark.parametrize("size", [16, 65_536])
def test_messages_go_round(opened, pair, consume, size):
    client, queue = opened(consume=consume, prefetch=4, message_bytes=size)
    sender, receiver = client.sender(queue), client.receiver(queue)
    assert set(send(sender, range(10), size).values()) == {Outcome.CONFIRMED}
    stamps: list[bytes] = []
    while len(stamps) < 10:
        before = time.monotonic_ns()
        got = receive(receiver)
        assert len(got.stamp) <= (4 if consume == "push" else 1)
        assert not any(got.redelivered)
        for asked, in_hand in zip(got.asked_ns, got.in_hand_ns, strict=True):
            assert in_hand <= time.monotonic_ns()
            assert asked == -1 if consume == "push" else before <= asked <= in_hand
        stamps += got.stamp
        settled = receiver.settle(got.handle)
        assert list(settled.handle) == list(got.handle)
        assert list(settled.replied_ns) == [-1] * len(got.handle)
        assert all(before <= called <= time.monotonic_ns() for called in settled.called_ns)
    assert stamps == [body(number) for number in range(10)]
    receiver.close()
    assert pair.depth((queue,)) == 0


def test_a_window_of_messages_is_confirmed(opened, pair):
    client, queue = opened()
    assert Counter(send(client.sender(queue), range(500)).values()) == {Outcome.CONFIRMED: 500}
    assert pair.depth((queue,)) == 500


def test_an_empty_queue_answers_an_ask_at_once(opened):
    client, queue = opened()
    receiver = client.receiver(queue)
    before = time.monotonic_ns()
    got = receiver.receive(5.0)
    assert got.handle == ()
    ((asked, answered),) = got.empty
    assert before <= asked < answered <= time.monotonic_ns()
    send(client.sender(queue), [1])
    assert receiver.receive(5.0).stamp == (body(1),), "the next ask is a new one"


def test_a_push_consumer_waits_no_longer_than_told(opened):
    client, queue = opened(consume="push")
    receiver = client.receiver(queue)
    got = receiver.receive(0.05)
    assert got.handle == ()
    assert got.empty == ()


def test_a_push_consumer_takes_nothing_before_its_first_receive(opened):
    client, queue = opened(consume="push", prefetch=10)
    late, first = client.receiver(queue), client.receiver(queue)
    send(client.sender(queue), range(5))
    assert eventually(lambda: first.settle(first.receive(1.0).handle).handle)
    assert late.receive(0.2).handle == ()


@pytest.mark.parametrize("count", [2, 3, 7])
def test_one_acknowledgement_settles_several(opened, pair, count):
    client, queue = opened(consume="push", prefetch=10, ack_every=3)
    send(client.sender(queue), range(count))
    receiver = client.receiver(queue)
    handles: list[object] = []
    assert eventually(lambda: handles.extend(receiver.receive(0.1).handle) or len(handles) == count)
    assert len(receiver.settle(handles).handle) == count
    receiver.close()  # what is unsettled goes back to the queue
    assert pair.depth((queue,)) == 0
    assert client.receiver(queue).receive(0.2).handle == ()


@pytest.mark.parametrize("consume", ["get", "push"])
def test_without_acknowledgements_what_is_handed_out_is_settled(opened, pair, consume):
    client, queue = opened(consume=consume, acks=False)
    send(client.sender(queue), range(2))
    receiver = client.receiver(queue)
    handles: list[object] = []
    assert eventually(lambda: handles.extend(receiver.receive(0.1).handle) or len(handles) == 2)
    receiver.close()  # before any is settled
    assert pair.depth((queue,)) == 0


@pytest.mark.parametrize("consume", ["get", "push"])
def test_what_is_unsettled_comes_again_and_says_so(opened, consume):
    client, queue = opened(consume=consume, prefetch=3)
    send(client.sender(queue), range(3))
    first = client.receiver(queue)
    settled = receive(first)
    first.settle(settled.handle[:1])
    unsettled = 2 if consume == "push" else len(receive(first).handle)
    first.close()
    again = client.receiver(queue)
    flags = []
    while len(flags) < 2:
        got = receive(again)
        flags += got.redelivered
        again.settle(got.handle)
    assert sum(flags) >= unsettled >= 1


def test_a_message_for_a_deleted_queue_is_returned(opened, pair):
    client, queue = opened()
    sender = client.sender(queue)
    assert send(sender, [1]) == {1: Outcome.CONFIRMED}
    pair.release((queue,))
    assert send(sender, [2, 3]) == {2: Outcome.RETURNED, 3: Outcome.RETURNED}


def test_without_mandatory_a_deleted_queue_swallows_what_it_confirms(opened, pair):
    client, queue = opened(mandatory=False)
    sender = client.sender(queue)
    pair.release((queue,))
    assert send(sender, [1]) == {1: Outcome.CONFIRMED}


def test_a_full_queue_refuses(opened, rabbitmq_pair):
    client, queue = opened()
    full = f"{queue}-full"
    with open_channel(rabbitmq_pair, rabbitmq_pair.nodes) as channel:
        limits = {"x-max-length": 1, "x-overflow": "reject-publish"}
        channel.queue_declare(full, durable=True, arguments=limits)
    sender = client.sender(full)
    assert send(sender, [1]) == {1: Outcome.CONFIRMED}
    assert send(sender, [2]) == {2: Outcome.NACKED}
    with open_channel(rabbitmq_pair, rabbitmq_pair.nodes) as channel:
        channel.queue_delete(full)


def test_without_confirms_an_outcome_is_unknown(opened, pair):
    client, queue = opened(confirms=False)
    sender = client.sender(queue)
    assert set(send(sender, range(200)).values()) == {Outcome.UNKNOWN}
    assert eventually(lambda: pair.depth((queue,)) == 200)


def test_closing_drops_nothing_that_was_submitted(opened, pair, monkeypatch):
    monkeypatch.setattr(connections, "CLOSE_TIMEOUT_S", 60.0)  # nodes of a busy host need more than theirs
    client, queue = opened()
    sender = client.sender(queue)
    sender.submit(range(2000), [body(number) for number in range(2000)])
    sender.close()  # its confirms unread
    sender.close()
    # the queue takes in what its channel was handed a moment after the close is answered
    assert eventually(lambda: pair.depth((queue,)) == 2000)


@pytest.mark.parametrize("persistent", [True, False])
def test_messages_are_as_persistent_as_the_case_says(opened, rabbitmq_pair, persistent):
    client, queue = opened(persistent=persistent)
    send(client.sender(queue), [1])
    with open_channel(rabbitmq_pair, rabbitmq_pair.nodes) as channel:
        _, properties, _ = channel.basic_get(queue, auto_ack=True)
    assert properties.delivery_mode == (2 if persistent else 1)


def loaders_on(access: Access) -> list[tuple[str, str]]:
    """What loaders' connections are for, and their nodes. Names are known a little late, and of a connection
    that broke off while it was opened the broker may list one without a name for good.
    """
    named = [(found.name or "", found.node) for found in Management(access).connections()]
    return sorted(
        (name.removeprefix(LOADER_CONNECTION), node)
        for name, node in named
        if name.startswith(LOADER_CONNECTION)
    )


def test_connections_take_turns_at_the_nodes(opened, rabbitmq_pair):
    client, queue = opened()
    for _ in range(2):
        client.sender(queue)
    client.receiver(queue)
    first, second = (node.name for node in rabbitmq_pair.nodes)
    expected = [(" receiver", second), (" sender", first), (" sender", second)]
    assert eventually(lambda: loaders_on(rabbitmq_pair) == expected), loaders_on(rabbitmq_pair)


def test_an_idle_connection_stays_open(opened, monkeypatch):
    monkeypatch.setattr(connections, "HEARTBEAT_S", 1)
    client, queue = opened()
    sender, receiver = client.sender(queue), client.receiver(queue)
    time.sleep(4.0)  # the broker closes a connection that is silent for two heartbeats
    assert send(sender, [1]) == {1: Outcome.CONFIRMED}
    assert receive(receiver).stamp == (body(1),)


def test_a_consumer_of_a_deleted_queue_loses_its_connection(opened, pair):
    client, queue = opened(consume="push")
    receiver = client.receiver(queue)
    receiver.receive(0.0)
    pair.release((queue,))
    with pytest.raises(ConnectionLost, match="cancelled"):
        receiver.receive(5.0)


def test_an_ask_of_a_queue_that_is_not_there_loses_the_connection(opened):
    client, queue = opened()
    receiver = client.receiver(f"{queue}-none")
    with pytest.raises(ConnectionLost, match="NOT_FOUND"):
        receiver.receive(5.0)
    with pytest.raises(ConnectionLost, match="NOT_FOUND"):
        receiver.settle([1])


def test_a_wrong_password_is_said_without_it(rabbitmq_pair, queue_case, closing, kind):
    access = rabbitmq_pair.model_copy(update={"password": "wrong-one"})
    client = closing(make_client(queue_case(TARGET, client=kind).workload, access))
    with pytest.raises(ConnectionLost, match="ACCESS_REFUSED") as caught:
        client.sender("be-any")
    assert "wrong-one" not in str(caught.value)


def test_a_closed_client_has_closed_its_connections(opened, rabbitmq_pair):
    client, queue = opened()
    client.sender(queue)
    client.receiver(queue)
    assert eventually(lambda: len(loaders_on(rabbitmq_pair)) == 2), loaders_on(rabbitmq_pair)
    client.close()
    assert eventually(lambda: not loaders_on(rabbitmq_pair)), loaders_on(rabbitmq_pair)
