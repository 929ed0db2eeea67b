"""What a receiver does whose connection the compiled core drives, and what it leaves to the general path."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from pika import spec

from breakeven.clients.amqp.client import NativeAmqpClient
from breakeven.clients.amqp.coalescing import LEAST_WINDOW
from breakeven.clients.base import ConnectionLost
from breakeven.clients.fast_path import Ours
from breakeven.loadgen.ledger.stamp import Stamper
from tests.support.loaders.on_fast_path import MS, PRODUCER, STAMPER, TAG, made
from tests.support.scripted import amqp_wire as wire
from tests.support.workflow.processes import eventually


@pytest.fixture
def client(broker) -> Iterator[NativeAmqpClient]:
    found = made(broker)
    yield found
    found.close()


def expecting(client):
    found = client.receiver(wire.QUEUE)
    assert found.expect(Ours(STAMPER.tag, PRODUCER + 1))
    assert found.receive_on_fast_path(time.monotonic_ns()).deliveries.handle == []
    return found


@pytest.fixture
def receiver(broker, client):
    return expecting(client)


@pytest.fixture
def of_threes(broker):
    client = made(broker, ack_every=3)
    yield expecting(client)
    client.close()


def ours(tag: int, sequence: int, *, redelivered: bool = False, producer: int = PRODUCER) -> bytes:
    head = wire.method(spec.Basic.Deliver(wire.CONSUMER, tag, redelivered, "", wire.QUEUE))
    body = Stamper(TAG, producer, wire.SIZE).body(sequence)
    return head + b"".join(wire.content(body, frame_max=131_072))


def received(receiver, count: int) -> list[tuple[int, bool, bytes]]:
    found: list[tuple[int, bool, bytes]] = []

    def more() -> bool:
        got = receiver.receive_on_fast_path(time.monotonic_ns() + 10 * MS)
        assert got is not None
        taken = got.deliveries
        found.extend(zip(taken.handle, taken.redelivered, taken.stamp, strict=True))
        return len(found) >= count

    assert eventually(more)
    return found


def test_messages_are_taken_in_hand_and_each_is_acknowledged(broker, receiver):
    broker.say(ours(1, 70), wire.HEARTBEAT, ours(2, 71, redelivered=True), ours(4, 60))
    assert received(receiver, 3) == [
        (1, False, STAMPER.stamp(70)),
        (2, True, STAMPER.stamp(71)),
        (4, False, STAMPER.stamp(60)),
    ]
    assert eventually(lambda: broker.acknowledged == [1, 2, 4])


def test_one_acknowledgement_settles_several_and_what_waits_for_company_once_none_comes(broker, of_threes):
    broker.say(*(ours(tag, tag) for tag in range(1, 8)))
    received(of_threes, 7)
    assert eventually(lambda: broker.acknowledged_up_to[:2] == [3, 6])
    assert len(of_threes.receive_on_fast_path(time.monotonic_ns() + MS).deliveries.handle) == 0
    assert eventually(lambda: broker.acknowledged_up_to == [3, 6, 7])
    broker.say(*(ours(tag, tag) for tag in (8, 9, 10)))
    received(of_threes, 3)
    assert eventually(lambda: broker.acknowledged_up_to == [3, 6, 7, 10])
    assert broker.acknowledged == []


def test_a_message_that_is_not_ours_is_settled_with_no_other(broker, of_threes):
    broker.say(ours(1, 5), wire.deliver(2, frame_max=131_072), ours(3, 7), ours(4, 8))
    assert [handle for handle, _, _ in received(of_threes, 1)] == [1]
    assert eventually(lambda: broker.acknowledged_up_to == [1])  # before the general path has its say
    assert of_threes.receive_on_fast_path(time.monotonic_ns() + 10 * MS) is None
    assert list(of_threes.receive(2.0).handle) == [2, 3, 4]
    of_threes.settle([3, 4])
    broker.say(*(ours(tag, tag) for tag in (5, 6, 7)))
    received(of_threes, 3)
    assert eventually(lambda: broker.acknowledged == [3, 4, 5, 6, 7])
    assert broker.acknowledged_up_to == [1]


def struct_of(receiver):
    return receiver._fast_path._struct  # no column has the instant of a write


@pytest.fixture
def gathering(receiver):
    """A receiver at a rate at which acknowledgements wait for each other, for as long as a test says."""

    def for_s(hold_s: float):
        struct = struct_of(receiver)
        struct.c.gathers, struct.c.judged_over_ns = 1, 1 << 62  # whatever comes later
        struct.hold_ns = round(hold_s * 1e9)
        return receiver

    return for_s


def test_an_acknowledgement_waits_for_others_as_long_as_it_may(broker, gathering):
    receiver = gathering(for_s := 0.05)
    broker.say(ours(1, 1))
    taken = receiver.receive_on_fast_path(time.monotonic_ns() + 500 * MS).deliveries.in_hand_ns
    assert len(taken) == 1
    assert struct_of(receiver).c.wrote_ns - taken[0] >= for_s * 1e9
    assert eventually(lambda: broker.acknowledged == [1])


def test_none_waits_once_the_receiver_is_not_driven_any_more(broker, gathering):
    receiver = gathering(60.0)
    broker.say(*(ours(tag, tag) for tag in range(1, 6)))
    received(receiver, 5)
    assert eventually(lambda: broker.acknowledged == [1, 2, 3, 4, 5])


def test_none_waits_where_messages_are_few(broker, receiver):
    struct_of(receiver).hold_ns = 60_000 * MS
    broker.say(ours(1, 1))
    with ThreadPoolExecutor(1) as thread:
        taken = thread.submit(receiver.receive_on_fast_path, time.monotonic_ns() + 60_000 * MS)
        assert eventually(lambda: broker.acknowledged == [1])
        assert not taken.done()
        broker.hang_up()
        assert taken.result().deliveries.handle == [1]


@pytest.mark.parametrize(("prefetch", "gathers"), [(LEAST_WINDOW, True), (LEAST_WINDOW - 1, False)])
def test_acknowledgements_gather_from_a_rate_on_and_never_with_a_small_prefetch(broker, prefetch, gathers):
    client = made(broker, prefetch=prefetch)
    receiver = expecting(client)
    struct, tags = struct_of(receiver).c, iter(range(1, 1_000_000))

    def has_gathered() -> bool:
        """A burst; a machine that stalls in it has another."""
        broker.say(*(ours(tag, tag) for tag, _ in zip(tags, range(500), strict=False)))
        received(receiver, 500)
        return bool(struct.gathers)

    assert eventually(has_gathered) if gathers else not any(has_gathered() for _ in range(5))
    client.close()


def test_without_acknowledgements_none_is_written(broker):
    client = made(broker, acks=False)
    receiver = expecting(client)
    broker.say(ours(1, 5), ours(2, 6), wire.deliver(3, size=16))
    received(receiver, 2)
    assert receiver.receive_on_fast_path(time.monotonic_ns() + MS) is None
    assert list(receiver.receive(2.0).handle) == [3]
    assert list(receiver.settle([3]).handle) == [3]
    client.close()
    assert eventually(lambda: "Channel.Close" in broker.heard)
    assert (broker.acknowledged, broker.acknowledged_up_to) == ([], [])
    assert broker.consumes[-1].no_ack


def test_messages_that_are_split_at_any_byte_are_taken(broker, receiver):
    found = []
    for byte in ours(1, 5) + wire.HEARTBEAT + ours(2, 6):
        broker.say(bytes((byte,)))
        found += receiver.receive_on_fast_path(time.monotonic_ns() + MS).deliveries.handle
    assert found + [handle for handle, _, _ in received(receiver, 2 - len(found))] == [1, 2]


@pytest.mark.parametrize(
    "foreign",
    [
        wire.deliver(2, frame_max=131_072),
        ours(2, 6, producer=PRODUCER + 1),
        ours(2, 6).replace(STAMPER.stamp(6), STAMPER.stamp(6)[:-1] + b"+"),
    ],
    ids=["other", "producer", "alphabet"],
)
def test_what_is_not_ours_is_left_to_the_general_path_and_not_acknowledged(broker, receiver, foreign):
    broker.say(ours(1, 5), foreign, ours(3, 7))
    assert [handle for handle, _, _ in received(receiver, 1)] == [1]
    assert receiver.receive_on_fast_path(time.monotonic_ns() + 10 * MS) is None
    assert list(receiver.receive(2.0).handle) == [2, 3]
    broker.say(ours(4, 8))
    assert [handle for handle, _, _ in received(receiver, 1)] == [4]
    assert eventually(lambda: broker.acknowledged == [1, 4])


def test_a_message_of_another_shape_is_the_general_paths(broker, receiver):
    broker.say(wire.deliver(1, size=16), ours(2, 5))
    assert eventually(lambda: receiver.receive_on_fast_path(time.monotonic_ns() + 10 * MS) is None)
    assert list(receiver.receive(2.0).handle) == [1, 2]


def test_a_broker_that_vanishes_loses_the_receiver(broker, receiver):
    broker.say(ours(1, 5))
    broker.hang_up()
    assert [handle for handle, _, _ in received(receiver, 1)] == [1]
    with pytest.raises(ConnectionLost, match="without a word"):
        received(receiver, 1)
