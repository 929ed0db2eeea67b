"""Connections that the compiled core drives, and what they leave to the general path."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from pika import spec

from breakeven.clients.amqp.client import NativeAmqpClient
from breakeven.clients.base import ConnectionLost, Outcome
from breakeven.clients.core import loading, openssl, tls_context
from breakeven.clients.core.messages import OVERTAKEN
from breakeven.clients.fast_path import Origin, SendBatch, Sent, WhenSent
from breakeven.loadgen.workers.producer import TOGETHER_NS
from tests.support.loaders.on_fast_path import MS, PRODUCER, STAMPER, WINDOW, made
from tests.support.scripted import amqp_wire as wire
from tests.support.workflow.processes import eventually

FORCED = wire.method(spec.Connection.Close(320, "CONNECTION_FORCED - node is shut down", 0, 0), 0)
READ_ON, COME_BACK, ANSWERED = WhenSent.READ_ON, WhenSent.COME_BACK, WhenSent.ANSWERED


@pytest.fixture
def client(broker) -> Iterator[NativeAmqpClient]:
    found = made(broker)
    yield found
    found.close()


class Driven:
    """A sender on the fast path, and what came of it so far."""

    def __init__(self, client: NativeAmqpClient, times: np.ndarray | None = None) -> None:
        self.sender = client.sender(wire.QUEUE)
        origin = Origin(STAMPER.tag, PRODUCER, wire.SIZE, STAMPER.rest, STAMPER.bodies, TOGETHER_NS, times)
        assert self.sender.prepare(origin) >= 1000
        self.first, self.due = 0, {}
        self.answered: list[int] = []

    def send(self, most: int = 0, ms: int = 30, then: WhenSent = READ_ON, due_ns=None) -> Sent | None:
        batch = SendBatch(self.first, most, due_ns, then, 0)
        sent = self.sender.send_on_fast_path(batch, time.monotonic_ns() + ms * MS, self.due)
        if sent is not None:
            self.first += len(sent.handed_ns)
            self.answered += sent.sequence
        return sent


@pytest.fixture
def driven(client) -> Driven:
    """With messages 0 to 9 on their way, in tags 1 to 10: as many as the window takes."""
    found = Driven(client)
    assert eventually(lambda: found.send(25) is not None and found.first == WINDOW)
    return found


def listen(driven: Driven, count: int) -> list[int]:
    """What is answered, once it is so many."""
    assert eventually(lambda: driven.send() is not None and len(driven.answered) >= count)
    return driven.answered


def go_on(driven: Driven) -> None:
    for _ in range(200):
        if driven.send(ms=10) is None:
            driven.sender.poll(0.01)


def test_as_many_are_sent_as_the_window_takes(broker, driven):
    assert driven.first == WINDOW
    assert eventually(lambda: len(broker.bodies) == WINDOW)
    assert broker.bodies == list(STAMPER.bodies(0, WINDOW))
    broker.say(wire.ack(3, multiple=True))
    assert eventually(lambda: driven.send(25) is not None and driven.first == WINDOW + 3)
    assert eventually(lambda: len(broker.bodies) == WINDOW + 3)
    assert broker.bodies[WINDOW:] == list(STAMPER.bodies(WINDOW, 3))
    assert driven.answered == [0, 1, 2]


def test_confirms_of_many_and_of_one_in_any_order(broker, driven):
    broker.say(wire.ack(3), wire.HEARTBEAT, wire.ack(2, multiple=True))
    broker.say(wire.ack(10), wire.ack(9, multiple=True))
    assert listen(driven, 10) == [2, 0, 1, 9, 3, 4, 5, 6, 7, 8]


def test_one_that_is_overtaken_by_many_windows_is_answered_once(broker, driven):
    """A broker confirms out of order, and a mirror or a disk may keep one message for long."""
    confirmed = 1
    for _ in range(OVERTAKEN * 3):
        broker.say(*(wire.ack(tag) for tag in range(confirmed + 1, driven.first + 1)))
        listen(driven, driven.first - 1)
        confirmed = driven.first
        driven.send(WINDOW - 1)
    assert OVERTAKEN * WINDOW <= driven.first == confirmed  # it waits for the one, and takes no other's place
    broker.say(wire.ack(1))
    listen(driven, driven.first)
    assert sorted(driven.answered) == list(range(driven.first))


def test_a_split_at_any_byte_changes_nothing(broker, driven):
    for byte in wire.ack(2, multiple=True) + wire.HEARTBEAT + wire.ack(4) + wire.ack(3):
        broker.say(bytes((byte,)))
        driven.send(ms=1)
    assert listen(driven, 4) == [0, 1, 3, 2]


def test_what_is_due_is_sent_when_it_is_due(broker, client):
    driven, now_ns = Driven(client), time.monotonic_ns()
    due_ns = np.array([now_ns + 5 * MS, now_ns + 20 * MS, now_ns + 3_600_000 * MS])
    sent = driven.send(3, ms=1_500, due_ns=due_ns)
    assert sent is not None
    assert len(sent.handed_ns) == 2
    assert (sent.handed_ns >= due_ns[:2]).all()
    assert sent.could_ns.tolist() == due_ns[:2].tolist()
    assert sent.blocked_ns == 0


def test_what_is_due_soon_after_the_first_goes_with_it(broker, client):
    """However late the machine is: then more go together, and never fewer."""
    driven, now_ns = Driven(client), time.monotonic_ns()
    due_ns = now_ns + 5 * MS + np.arange(9) * (TOGETHER_NS * 3 // 10)
    sent = driven.send(9, ms=1_500, due_ns=due_ns)
    assert sent is not None
    assert (sent.handed_ns >= due_ns).all()
    starts = np.flatnonzero(np.diff(sent.handed_ns, prepend=0))
    assert (np.diff(due_ns[starts]) > TOGETHER_NS).all()
    assert len(starts) <= 3


def test_what_is_due_and_has_no_room_waits_and_that_is_reported(broker, client):
    driven, now_ns = Driven(client), time.monotonic_ns()
    due_ns = np.full(WINDOW + 1, now_ns - MS)
    sent = driven.send(WINDOW + 1, ms=300, due_ns=due_ns)
    assert sent is not None
    assert len(sent.handed_ns) == WINDOW
    assert 15 * MS < sent.blocked_ns <= time.monotonic_ns() - now_ns
    broker.say(wire.ack(1))
    sent = driven.send(1, ms=20_000, then=COME_BACK, due_ns=due_ns[WINDOW:])
    assert sent is not None
    assert (sent.due_ns == due_ns[0]).all()
    assert sent.room_since_ns > due_ns[0]
    assert sent.could_ns.tolist() == [sent.room_since_ns]
    assert sent.handed_ns[0] >= sent.room_since_ns


def test_it_comes_back_when_all_is_answered(broker, client):
    driven, began_ns = Driven(client), time.monotonic_ns()
    driven.send(2, ms=20_000, then=COME_BACK)
    broker.say(wire.ack(2, multiple=True))
    assert driven.send(0, ms=20_000, then=ANSWERED) is not None
    assert driven.answered == [0, 1]
    assert time.monotonic_ns() - began_ns < 20_000 * MS


def test_without_confirms_a_message_is_answered_when_it_is_written(broker):
    client = made(broker, confirms=False)
    driven = Driven(client)
    sent = driven.send(1000, ms=5000, then=COME_BACK)
    assert sent is not None
    assert sent.sequence == range(1000)
    assert (sent.answered_ns >= sent.sent_ns).all()
    assert eventually(lambda: len(broker.bodies) == 1000)
    assert broker.bodies == list(STAMPER.bodies(0, 1000))
    client.close()


def test_when_each_was_to_be_sent_is_noted_before_it_is_sent(broker, client):
    times = np.full(8, -1, np.int64)  # the newest, and room for seven
    driven = Driven(client, times)
    now_ns = time.monotonic_ns()
    driven.send(9, ms=20_000, then=COME_BACK, due_ns=np.arange(now_ns, now_ns + 9))
    assert times[0] == 8
    assert times[1:].tolist() == [now_ns + sequence for sequence in (7, 8, 2, 3, 4, 5, 6)]


def test_a_refusal_is_the_general_paths_and_then_it_goes_on_alone(broker, driven):
    broker.say(wire.ack(2, multiple=True), wire.nack(3), wire.ack(4))
    assert eventually(lambda: driven.send() is None or driven.due)
    assert driven.answered == [0, 1]
    reported = driven.sender.poll(2.0)
    assert list(zip(reported.sequence, reported.outcome, strict=True)) == [
        (2, Outcome.NACKED),
        (3, Outcome.CONFIRMED),
    ]
    assert sorted(driven.due) == [2, 3, 4, 5, 6, 7, 8, 9]
    broker.say(wire.ack(10, multiple=True))
    assert listen(driven, 8) == [0, 1, 4, 5, 6, 7, 8, 9]
    assert sorted(driven.due) == [2, 3], "those whose answers the general path has told"


def test_a_returned_message_is_found(broker, driven):
    stamped = wire.method(spec.Basic.Return(312, "NO_ROUTE", "", wire.QUEUE))
    stamped += b"".join(wire.content(STAMPER.body(1)))
    broker.say(stamped, wire.ack(3, multiple=True))
    assert eventually(lambda: driven.send() is None or driven.due)
    reported = driven.sender.poll(2.0)
    assert list(reported.outcome) == [Outcome.CONFIRMED, Outcome.RETURNED, Outcome.CONFIRMED]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (wire.ack(11), "message 11, which was not published"),
        (wire.ack(1) + wire.ack(1), "a second confirm of message 1"),
        (wire.ack(1, multiple=True)[:-1] + b"\x00", "without its end mark"),
        (wire.deliver(1), "a message where none was asked for"),
        (b"HTTP/1.1", "no frame begins with"),
        (FORCED, "CONNECTION_FORCED - node is shut down"),
    ],
)
def test_what_has_no_business_here_loses_the_connection(broker, driven, data, reason):
    broker.say(data)
    with pytest.raises(ConnectionLost, match=reason):
        go_on(driven)
    unanswered = set(range(WINDOW)) - set(driven.answered)
    assert set(driven.due) == unanswered


def test_a_broker_that_vanishes_loses_the_connection_and_no_account(broker, driven):
    broker.say(wire.ack(4, multiple=True))
    broker.hang_up()
    with pytest.raises(ConnectionLost, match="without a word"):
        go_on(driven)
    assert driven.answered == [0, 1, 2, 3]
    assert sorted(driven.due) == [4, 5, 6, 7, 8, 9]


def test_an_orderly_close_reads_what_comes_first(broker, driven):
    broker.say(wire.ack(5, multiple=True))
    driven.sender.close()
    assert broker.heard[-2:] == ["Channel.Close", "Connection.Close"]


def test_nobody_else_reads_from_it_meanwhile(broker, driven):
    broker.say(wire.ack(1))
    driven.sender._link.service()
    assert listen(driven, 1) == [0]


def test_without_a_compiled_core_all_is_the_general_paths(broker, client, monkeypatch):
    monkeypatch.setattr(loading, "_core", lambda: None)
    origin = Origin(STAMPER.tag, PRODUCER, wire.SIZE, STAMPER.rest, STAMPER.bodies, 500_000, None)
    sender = client.sender(wire.QUEUE)
    assert sender.prepare(origin) == 0
    assert str(sender.fallback).startswith("the core is not compiled for ")


def test_what_was_not_written_when_it_had_to_come_back_is_written_and_answered_after_all(plain_broker):
    """Without confirms: a frame for the general path comes while the broker reads nothing."""
    broker = plain_broker
    client = made(broker, confirms=False, window=4000)
    driven = Driven(client)
    broker.pause()
    blocked = wire.method(spec.Connection.Blocked("low on memory"), 0)
    threading.Timer(0.5, broker.say, (blocked,)).start()  # when nothing more goes into the socket
    while len(driven.answered) == driven.first:
        assert driven.send(4000, ms=20_000, then=COME_BACK) is not None
    broker.go_on()
    while len(driven.answered) < driven.first:
        driven.answered += driven.sender.poll(2.0).sequence
    assert eventually(lambda: len(broker.bodies) == driven.first)
    assert broker.bodies == list(STAMPER.bodies(0, driven.first))
    assert driven.send() is not None
    client.close()


def test_a_peer_that_takes_no_more_leaves_no_room(plain_broker):
    """Without confirms no window is ever full: what holds messages up is the socket, and not the loader."""
    broker = plain_broker
    client = made(broker, confirms=False, window=500)
    driven = Driven(client)
    due_ns = np.full(4000, time.monotonic_ns())
    broker.pause()
    threading.Timer(2.0, broker.go_on).start()
    began_ns, stalled_ns = time.monotonic_ns(), 0
    while stalled_ns < 50 * MS:
        sent = driven.send(4000, ms=20_000, then=COME_BACK, due_ns=due_ns)
        assert sent is not None
        late = sent.handed_ns - sent.could_ns
        stalled_ns = sent.blocked_ns
        assert time.monotonic_ns() - began_ns < 20_000 * MS
    assert late.max() < stalled_ns / 2, "what waited for the socket was handed over as soon as it had room"
    assert sent.room_since_ns > due_ns[0]
    assert eventually(lambda: len(broker.bodies) == driven.first)
    client.close()


def test_what_is_no_tls_loses_the_connection_and_no_account(tls_broker, damaging):
    client = made(tls_broker)
    driven = Driven(client)
    driven.send(25)
    tls_broker.say(wire.ack(4, multiple=True))
    assert listen(driven, 4) == [0, 1, 2, 3]
    damaging.set()
    tls_broker.say(wire.ack(5))
    with pytest.raises(ConnectionLost, match="Protocol error"):
        go_on(driven)
    assert sorted(driven.due) == [4, 5, 6, 7, 8, 9]
    client.close()


def test_where_openssl_lacks_a_function_all_is_the_general_paths_and_why_is_said(tls_broker, monkeypatch):
    monkeypatch.setitem(openssl.FUNCTIONS, "SSL_of_another_kind", (None,))
    monkeypatch.setattr(tls_context, "openssl", openssl.openssl.__wrapped__)
    client = made(tls_broker)
    origin = Origin(STAMPER.tag, PRODUCER, wire.SIZE, STAMPER.rest, STAMPER.bodies, 500_000, None)
    sender = client.sender(wire.QUEUE)
    assert sender.prepare(origin) == 0
    assert sender.fallback == "the library of Python's ssl shows no SSL_of_another_kind"
    sender.submit([0], STAMPER.bodies(0, 1))
    assert eventually(lambda: tls_broker.bodies == list(STAMPER.bodies(0, 1)))
    client.close()
