"""The native client and what a broker may say to it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from pika import spec

from breakeven.brokers.access import Access
from breakeven.clients import connections
from breakeven.clients.amqp import link
from breakeven.clients.amqp.client import NativeAmqpClient
from breakeven.clients.amqp.wire import Wire
from breakeven.clients.base import Answers, ConnectionLost, Outcome
from breakeven.clients.factory import make_client
from breakeven.errors import CaseError
from breakeven.loadgen.ledger.stamp import Stamper
from local.ports import free_ports
from tests.support.scripted import amqp_wire as wire
from tests.support.scripted.fakes import make_case
from tests.support.scripted.scripted_broker import ScriptedBroker, scripted
from tests.support.workflow.processes import eventually

CONFIRMED, RETURNED, NACKED = Outcome.CONFIRMED, Outcome.RETURNED, Outcome.NACKED
FORCED = wire.method(spec.Connection.Close(320, "CONNECTION_FORCED - node is shut down", 0, 0), 0)


@pytest.fixture
def broker() -> Iterator[ScriptedBroker]:
    with scripted() as found:
        yield found


@pytest.fixture
def client(broker) -> Iterator[NativeAmqpClient]:
    workload = make_case(client="native", consume="push", prefetch=10, message_bytes=wire.SIZE).workload
    with_broker = NativeAmqpClient(workload, broker.access)
    yield with_broker
    with_broker.close()


@pytest.fixture
def sender(client):
    """With messages 10 to 15 on their way, in tags 1 to 6."""
    found = client.sender(wire.QUEUE)
    found.submit(range(10, 16), [wire.body(number) for number in range(10, 16)])
    return found


def outcomes_of(sender, count: int) -> list[tuple[int, Outcome]]:
    outcomes: list[tuple[int, Outcome]] = []
    while len(outcomes) < count:
        answers: Answers = sender.poll(2.0)
        assert answers.sequence, "an answer in time"
        outcomes += zip(answers.sequence, answers.outcome, strict=True)
    return outcomes


def test_confirms_of_many_and_of_one_in_any_order(broker, sender):
    broker.say(wire.ack(3), wire.ack(2, multiple=True), wire.nack(6), wire.ack(5, multiple=True))
    assert outcomes_of(sender, 6) == [
        (12, CONFIRMED),
        (10, CONFIRMED),
        (11, CONFIRMED),
        (15, NACKED),
        (13, CONFIRMED),
        (14, CONFIRMED),
    ]


def test_returned_and_then_confirmed_is_returned(broker, sender):
    broker.say(wire.returned(11), wire.ack(1), wire.returned(14), wire.ack(6, multiple=True))
    assert outcomes_of(sender, 6) == [
        (10, CONFIRMED),
        (11, RETURNED),
        (12, CONFIRMED),
        (13, CONFIRMED),
        (14, RETURNED),
        (15, CONFIRMED),
    ]


def test_a_refusal_of_many(broker, sender):
    broker.say(wire.nack(0, multiple=True))
    assert outcomes_of(sender, 6) == [(number, NACKED) for number in range(10, 16)]


def test_what_was_answered_before_a_close_is_reported_and_the_rest_is_not(broker, sender):
    broker.say(wire.ack(2, multiple=True), FORCED)
    broker.hang_up()
    assert outcomes_of(sender, 2) == [(10, CONFIRMED), (11, CONFIRMED)]
    for _ in range(2):
        with pytest.raises(ConnectionLost, match=r"\(320\) CONNECTION_FORCED - node is shut down"):
            sender.poll(2.0)
    with pytest.raises(ConnectionLost, match="320"):
        sender.submit([20], [wire.body(20)])
    assert eventually(lambda: "Connection.CloseOk" in broker.heard)
    sender.close()
    assert "Connection.Close" not in broker.heard, "it is closed already"


def test_a_closed_channel_is_answered_and_its_connection_closed_in_order(broker, sender):
    broker.say(wire.method(spec.Channel.Close(406, "PRECONDITION_FAILED", 60, 80)))
    with pytest.raises(ConnectionLost, match="406"):
        sender.poll(2.0)
    sender.close()
    assert eventually(lambda: broker.heard[-2:] == ["Channel.CloseOk", "Connection.Close"])


@pytest.mark.parametrize("count", [7, 47, 48, 300])
def test_a_batch_is_answered_as_a_whole_and_in_parts(broker, client, count):
    sender = client.sender(wire.QUEUE)
    sender.submit(range(count), Stamper("test", 0, wire.SIZE).bodies(0, count))
    sender.submit(range(count, 2 * count), Stamper("test", 0, wire.SIZE).bodies(count, count))
    broker.say(wire.ack(3), wire.ack(count + 2, multiple=True), wire.ack(2 * count, multiple=True))
    answers: list[Answers] = []
    while sum(len(one.sequence) for one in answers) < 2 * count:
        answers.append(sender.poll(2.0))
    columns = [
        [entry for one in answers for entry in getattr(one, name)]
        for name in ("sequence", "outcome", "sent_ns", "answered_ns")
    ]
    sequences, outcomes, sent_ns, answered_ns = columns
    assert sequences == [2, 0, 1, *range(3, 2 * count)]
    assert outcomes == [CONFIRMED] * 2 * count
    by_sequence = dict(zip(sequences, sent_ns, strict=True))
    assert len({by_sequence[n] for n in range(count)}) == 1
    assert by_sequence[0] < by_sequence[count] < min(answered_ns)
    assert eventually(lambda: broker.bodies == list(Stamper("test", 0, wire.SIZE).bodies(0, 2 * count)))


def test_a_returned_message_of_a_batch_is_found(broker, client):
    sender = client.sender(wire.QUEUE)
    bodies = Stamper("test", 0, wire.SIZE).bodies(0, 60)
    sender.submit(range(60), bodies)
    stamp = bodies[41][:16]
    head = wire.method(spec.Basic.Return(312, "NO_ROUTE", "", wire.QUEUE))
    broker.say(head + b"".join(wire.content(stamp.ljust(wire.SIZE, b"x"))), wire.ack(60, multiple=True))
    assert outcomes_of(sender, 60) == [(n, RETURNED if n == 41 else CONFIRMED) for n in range(60)]


def test_what_the_socket_does_not_take_at_once_is_written_as_it_was(broker, client, monkeypatch):
    """The frames of a batch are patched for the next: not those that are still to be written."""
    sender = client.sender(wire.QUEUE)
    all_of_it = Wire._send
    monkeypatch.setattr(Wire, "_send", lambda self, data: all_of_it(self, memoryview(data)[:3000]))
    stamper = Stamper("test", 0, wire.SIZE)
    for first in range(0, 1000, 100):
        sender.submit(range(first, first + 100), stamper.bodies(first, 100))
        sender.poll(0.0)
    while len(broker.bodies) < 1000:
        sender.poll(0.01)
    assert broker.bodies == list(stamper.bodies(0, 1000))


def test_what_the_broker_said_is_read_though_what_is_unsent_cannot_be_written(broker, sender):
    class Shut:
        """Takes nothing at first, and then is closed for what is written."""

        def __init__(self, inner: socket.socket) -> None:
            self.inner, self.sends = inner, 0

        def send(self, data: bytes, flags: int) -> int:
            self.sends += 1
            if self.sends > 1:
                raise BrokenPipeError(32, "Broken pipe")
            return 0

        def __getattr__(self, name: str) -> object:
            return getattr(self.inner, name)

    stream = sender._link._wire
    stream._socket = Shut(stream._socket)
    sender.submit([20], [wire.body(20)])
    assert stream.unsent
    broker.say(wire.ack(2, multiple=True), FORCED)
    assert outcomes_of(sender, 2) == [(10, CONFIRMED), (11, CONFIRMED)]
    with pytest.raises(ConnectionLost, match=r"\(320\) CONNECTION_FORCED"):
        sender.poll(2.0)


def test_an_orderly_close_reads_what_comes_first(broker, sender):
    broker.say(wire.ack(6, multiple=True), wire.returned(15))
    sender.close()
    assert eventually(lambda: broker.heard[-2:] == ["Channel.Close", "Connection.Close"])
    with pytest.raises(ConnectionLost, match="closed"):
        sender.submit([20], [wire.body(20)])


@pytest.mark.parametrize("kind", ["native", "pika"])
def test_unconfirmed_messages_are_all_read_before_a_close_ends(broker, monkeypatch, kind):
    """A broker that is slow to read: a close that gave up on it could reset the connection, and lose them."""
    monkeypatch.setattr(connections, "CLOSE_TIMEOUT_S", 0.05)
    client = make_client(make_case(client=kind, confirms=False).workload, broker.access)
    sender = client.sender(wire.QUEUE)
    broker.pause()
    sender.submit(range(20), [wire.body(number) for number in range(20)])
    later = threading.Timer(0.5, broker.go_on)
    later.start()
    sender.close()
    assert broker.heard[-1] == "Connection.Close"
    assert broker.bodies == [wire.body(number) for number in range(20)]
    later.join()
    client.close()


@pytest.mark.parametrize("kind", ["native", "pika"])
def test_a_blocked_connection_is_waited_for_and_not_without_end(broker, monkeypatch, kind):
    client = make_client(make_case(client=kind, window=10).workload, broker.access)
    sender = client.sender(wire.QUEUE)
    sender.submit([1, 2], [wire.body(1), wire.body(2)])
    broker.say(wire.method(spec.Connection.Blocked("low on memory"), 0))
    assert not sender.poll(0.2).sequence
    monkeypatch.setattr(connections, "CALL_TIMEOUT_S", 0.2)
    assert not sender.poll(0.5).sequence, "for longer than an answer may take"
    broker.say(wire.method(spec.Connection.Unblocked(), 0), wire.ack(1))
    assert list(sender.poll(5.0).sequence) == [1]
    broker.say(wire.method(spec.Connection.Blocked("low on disk"), 0))
    monkeypatch.setattr(connections, "BLOCKED_TIMEOUT_S", 0.3)
    with pytest.raises(ConnectionLost, match=r"taken nothing for 0.3 s \(connection.blocked\)"):
        poll_for_ever(sender)
    client.close()


def poll_for_ever(sender) -> None:
    while True:
        assert not sender.poll(0.1).sequence


def test_what_is_written_to_a_blocked_connection_waits_with_it(broker, monkeypatch):
    """Without confirms a send ends with its write, for which a broker that takes nothing makes no room."""
    client = make_client(make_case(client="native", confirms=False, window=4000).workload, broker.access)
    sender = client.sender(wire.QUEUE)
    broker.pause()
    broker.say(wire.method(spec.Connection.Blocked("low on memory"), 0))
    assert not sender.poll(0.2).sequence
    monkeypatch.setattr(connections, "CALL_TIMEOUT_S", 0.1)
    later = threading.Timer(1.0, broker.go_on)
    later.start()
    body = bytes(1 << 20)
    sender.submit(range(40), [body] * 40)
    assert len(sender.poll(1.0).sequence) == 40
    later.join()
    client.close()


def test_a_silent_broker_is_noticed_and_is_shown_that_we_live(monkeypatch):
    monkeypatch.setattr(connections, "HEARTBEAT_S", 1)
    monkeypatch.setattr(link, "_LOOK_S", 0.1)
    with scripted() as broker:
        client = NativeAmqpClient(make_case(client="native").workload, broker.access)
        sender = client.sender(wire.QUEUE)
        with pytest.raises(ConnectionLost, match="no sign of life"):
            sender.poll(20.0)
        assert "Heartbeat" in broker.heard
        client.close()


@pytest.mark.parametrize(
    ("said", "data"),
    [
        ("a confirm of message 7, which was not published", wire.ack(7)),
        ("protocol error: a frame without its end mark", wire.ack(1)[:-1] + b"\x00"),
        ("a message where none was asked for", wire.deliver(1)),
        ("an answer to an ask that was not made", wire.method(spec.Basic.GetEmpty(""))),
        ("channel 2, which is not open", wire.ack(1, channel=2)),
        ("Connection.Close on channel 1", wire.method(spec.Connection.Close(320, "x", 0, 0), 1)),
        ("Channel.Flow, which nobody asked for", wire.method(spec.Channel.Flow(False))),
        ("Confirm.SelectOk, which nobody asked for", wire.method(spec.Confirm.SelectOk())),
    ],
)
def test_what_has_no_business_here_loses_the_connection(broker, sender, said, data):
    broker.say(data)
    with pytest.raises(ConnectionLost, match=said):
        sender.poll(2.0)


def test_a_broker_that_vanishes_loses_the_connection(broker, sender):
    broker.hang_up()
    with pytest.raises(ConnectionLost, match="without a word"):
        sender.poll(2.0)


def test_messages_of_ours_and_others_are_received(broker, client):
    receiver = client.receiver(wire.QUEUE)
    assert receiver.receive(0.0).handle == ()
    broker.say(wire.deliver(1), wire.deliver(2, redelivered=True), wire.deliver(3, size=16, priority=1))
    got = receiver.receive(2.0)
    while len(got.handle) < 3:
        more = receiver.receive(2.0)
        got = type(got)(*(getattr(got, name) + getattr(more, name) for name in got.__slots__))
    assert list(zip(got.handle, got.redelivered, got.stamp, strict=True)) == [
        (1, False, wire.stamp(1)),
        (2, True, wire.stamp(2)),
        (3, False, wire.stamp(3)),
    ]
    assert list(receiver.settle(got.handle).handle) == [1, 2, 3]
    assert eventually(lambda: broker.heard.count("Basic.Ack") == 3)


def test_the_smaller_frame_of_both_is_used():
    with scripted(frame_max=4096) as broker:
        client = NativeAmqpClient(make_case(client="native").workload, broker.access)
        client.sender(wire.QUEUE).submit([1], [wire.body(1, 10_000)])
        assert eventually(lambda: broker.heard.count("Body") == 3)
        client.close()


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"mechanisms": "EXTERNAL"}, "PLAIN"), ({"frame_max": 4095}, "frames of at most 4095 bytes")],
)
def test_a_broker_with_which_nothing_can_be_agreed_is_reported_so(settings, said):
    with scripted(**settings) as broker:
        client = NativeAmqpClient(make_case(client="native").workload, broker.access)
        with pytest.raises(ConnectionLost, match=f"^127.0.0.1:[0-9]+: [^:]*{said}"):
            client.sender(wire.QUEUE)
        client.close()


def test_a_broker_that_is_not_there_loses_the_connection(broker):
    (node,), (port,) = broker.access.nodes, free_ports(1)
    access = broker.access.model_copy(update={"nodes": (node.model_copy(update={"amqp_port": port}),)})
    client = NativeAmqpClient(make_case(client="native").workload, access)
    with pytest.raises(ConnectionLost, match=str(port)):
        client.sender(wire.QUEUE)
    client.close()


def test_a_client_speaks_to_its_own_kind_of_target(broker):
    assert make_client(make_case(client="native").workload, broker.access).name == "native"
    with pytest.raises(CaseError, match="boto3"):
        make_client(make_case(client="boto3").workload, broker.access)
    with pytest.raises(CaseError, match="no broker node"):
        make_client(make_case(client="native").workload, Access(username="u", password="p"))


def test_a_client_that_is_told_of_no_such_node_says_so_and_asks_again_for_each_connection(broker):
    workload = make_case(client="native", connect_to="leader").workload
    known = broker.access.nodes[0].name
    leaders = iter(["elsewhere", "", known])
    client = NativeAmqpClient(workload, broker.access, leader_of=lambda _: next(leaders))
    for said in ("its leader is on elsewhere, and no such node is there", "its leader is on no node"):
        with pytest.raises(ConnectionLost, match=said):
            client.sender(wire.QUEUE)
    client.sender(wire.QUEUE)
    client.close()


def test_a_client_that_nobody_tells_where_leaders_are_is_none(broker):
    with pytest.raises(ValueError, match="connect_to other: nobody tells where leaders are"):
        NativeAmqpClient(make_case(client="native", connect_to="other").workload, broker.access)
