"""The native client's reader: the same events however the bytes are split, and no guess about bad ones."""

from __future__ import annotations

import random

import pytest
from pika import spec

from breakeven.clients.amqp.events import ProtocolError
from breakeven.clients.amqp.shape import fetched, pushed
from tests.support.scripted import amqp_wire as wire
from tests.support.scripted.amqp_wire import (
    FRAME_MAX,
    SIZE,
    body,
    deliver,
    feed,
    framed,
    read,
    reader_for,
    stamp,
)

PUSHED = pushed(wire.QUEUE, wire.CONSUMER, SIZE, True, FRAME_MAX)
FETCHED = fetched(wire.QUEUE, SIZE, True, FRAME_MAX)
ON_TWO = wire.content(body(31), 2)
#: each piece of a conversation, and the events it stands for
CONVERSATION = [
    (wire.ack(1), [("confirmed", 1, 1, False, False)]),
    (wire.ack(4, multiple=True), [("confirmed", 1, 4, True, False)]),
    (wire.ack(2, channel=2), [("confirmed", 2, 2, False, False)]),
    (wire.nack(6), [("confirmed", 1, 6, False, True)]),
    (wire.nack(8, multiple=True), [("confirmed", 1, 8, True, True)]),
    (deliver(1) + deliver(2), [("delivered", 1, 1, False, stamp(1)), ("delivered", 1, 2, False, stamp(2))]),
    (wire.HEARTBEAT, []),
    (deliver(3, redelivered=True), [("delivered", 1, 3, True, stamp(3))]),
    (deliver(4, size=SIZE + 1), [("delivered", 1, 4, False, stamp(4))]),
    (deliver(5, content_type="text/plain", headers={"a": 1}), [("delivered", 1, 5, False, stamp(5))]),
    (deliver(6, frame_max=18), [("delivered", 1, 6, False, stamp(6))]),
    (deliver(7, channel=7), [("delivered", 7, 7, False, stamp(7))]),
    (deliver(8, size=16), [("delivered", 1, 8, False, stamp(8))]),
    (
        wire.method(spec.Basic.Deliver("c", 9, False, "", wire.QUEUE)) + b"".join(wire.content(b"")),
        [("delivered", 1, 9, False, b"")],
    ),
    (
        wire.method(spec.Basic.Deliver("c", 30, False, "", wire.QUEUE))
        + wire.method(spec.Basic.Deliver("d", 31, False, "", "other"), 2)
        + ON_TWO[0]
        + b"".join(wire.content(body(30)))
        + wire.HEARTBEAT
        + ON_TWO[1],
        [("delivered", 1, 30, False, stamp(30)), ("delivered", 2, 31, False, stamp(31))],
    ),
    (deliver(40), [("delivered", 1, 40, False, stamp(40))]),
    (wire.get_ok(41, left=3), [("delivered", 1, 41, False, stamp(41))]),
    (wire.get_ok(42, redelivered=True), [("delivered", 1, 42, True, stamp(42))]),
    (wire.method(spec.Basic.GetEmpty("")), [("empty", 1)]),
    (wire.returned(50, FRAME_MAX * 2), [("returned", 1, stamp(50))]),
    (wire.method(spec.Connection.Blocked("low on memory"), 0), [("Connection.Blocked", 0)]),
    (wire.method(spec.Connection.Unblocked(), 0), [("Connection.Unblocked", 0)]),
    (wire.method(spec.Basic.Cancel("c")), [("Basic.Cancel", 1)]),
    (wire.method(spec.Channel.Close(404, "NOT_FOUND", 60, 70)), [("Channel.Close", 1)]),
    (wire.method(spec.Connection.Close(320, "CONNECTION_FORCED", 0, 0), 0), [("Connection.Close", 0)]),
]
BYTES = b"".join(data for data, _ in CONVERSATION)
EVENTS = [event for _, events in CONVERSATION for event in events]


@pytest.mark.parametrize("shape", [None, PUSHED, FETCHED], ids=["general", "pushed", "fetched"])
def test_a_conversation_is_read(shape):
    assert read([BYTES], shape) == EVENTS
    for data, events in CONVERSATION:
        assert read([data], shape) == events


@pytest.mark.parametrize("shape", [None, PUSHED, FETCHED], ids=["general", "pushed", "fetched"])
def test_a_split_at_any_byte_changes_nothing(shape):
    short = BYTES.replace(wire.returned(50, FRAME_MAX * 2), b"")
    events = [event for event in EVENTS if event[0] != "returned"]
    for at in range(len(short) + 1):
        assert read([short[:at], short[at:]], shape) == events, at


@pytest.mark.parametrize("shape", [None, PUSHED, FETCHED], ids=["general", "pushed", "fetched"])
def test_any_number_of_splits_changes_nothing(shape):
    assert read([BYTES[at : at + 1] for at in range(len(BYTES))], shape) == EVENTS
    chance = random.Random(41)
    for _ in range(200):
        cuts = sorted(chance.sample(range(len(BYTES)), chance.randint(1, 60)))
        pieces = [BYTES[a:b] for a, b in zip([0, *cuts], [*cuts, len(BYTES)], strict=True)]
        assert read(pieces, shape) == EVENTS


def test_a_run_of_messages_is_one_event_and_a_wrong_one_among_them_is_found():
    runs: list[int] = []

    class Counting(wire.Seen):
        def delivered(self, channel, tags, redelivered, stamps):
            runs.append(len(tags))
            super().delivered(channel, tags, redelivered, stamps)

    seen = Counting()
    reader = reader_for(seen, PUSHED, capacity=65_536)
    odd = deliver(5, size=SIZE + 1)
    assert len(odd) == len(deliver(5)) + 1
    feed(reader, b"".join(map(deliver, range(1, 5))) + odd + b"".join(map(deliver, range(6, 10))))
    assert runs == [4, 1, 4]
    assert seen.events == [("delivered", 1, tag, False, stamp(tag)) for tag in range(1, 10)]


ODD = {
    "another size": deliver(50, size=SIZE - 1) + b"x",
    "another head": deliver(50, channel=2),
    "other properties": deliver(50, priority=1),
    "a flag that is none": deliver(50, redelivered=True).replace(
        (50).to_bytes(8, "big") + b"\x01", (50).to_bytes(8, "big") + b"\x02"
    ),
    "no end mark": deliver(50)[:-1] + b"\x00",
    "a tag out of turn": deliver(7),
    "redelivered": deliver(50, redelivered=True),
    "nothing odd": deliver(50),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize("shape", [PUSHED, FETCHED], ids=["pushed", "fetched"])
@pytest.mark.parametrize("at", [1, 50, 100])
def test_hundreds_at_once_are_read_as_each_is(odd, shape, at):
    others = [deliver(tag) if shape is PUSHED else wire.get_ok(tag, left=tag) for tag in range(1, 102)]
    data = b"".join([*others[:at], odd, *others[at:]])
    reported = []
    for capacity in (512, 65_536):
        seen = wire.Seen()
        reader = reader_for(seen, shape, capacity=capacity)
        try:
            feed(reader, data)
        except ProtocolError as error:
            reported.append((seen.events, str(error)))
        else:
            reported.append((seen.events, None))
    assert reported[0] == reported[1]
    assert len(reported[0][0]) >= at


@pytest.mark.parametrize("size", [16, 17, 4088, 4089, 65_536, 1_048_576])
@pytest.mark.parametrize("frame_max", [4096, 131_072])
def test_bodies_of_any_size(size, frame_max):
    shape = pushed(wire.QUEUE, wire.CONSUMER, size, True, frame_max)
    assert (shape is None) == (size > frame_max - 8)
    data = deliver(1, size=size, frame_max=frame_max) + deliver(2, size=size, frame_max=frame_max)
    pieces = [data[at : at + 10_000] for at in range(0, len(data), 10_000)]
    expected = [("delivered", 1, 1, False, stamp(1)), ("delivered", 1, 2, False, stamp(2))]
    assert read(pieces, shape, frame_max) == expected


def test_an_unfinished_message_keeps_no_other_frame_back():
    close = wire.method(spec.Connection.Close(320, "CONNECTION_FORCED", 0, 0), 0)
    whole = deliver(1)
    begun = [whole.index(b"\x02\x00\x01"), whole.index(b"\x03\x00\x01")]
    for end in begun:
        assert read([whole[:end] + close], PUSHED) == [("Connection.Close", 0)]


GET_OK = wire.method(spec.Basic.GetOk(1, False, "", "q", 0))
FLAGGED = (1).to_bytes(8, "big") + b"\x01"  # delivery tag 1, redelivered
BEGUN = deliver(1)[: -SIZE - 8]  # method and header
WRONG = [
    ("4097 bytes where at most 4096 are agreed", wire.frame.Body(1, b"x" * 4089).marshal()),
    ("agreed", b"\x01\x00\x01\xff\xff\xff\xff"),
    ("end mark", wire.ack(1)[:-1] + b"\x00"),
    ("no frame begins with 07", b"\x07"),
    ("does not speak AMQP 0-9-1", b"AMQP\x00\x01\x00\x00"),
    ("without its method", wire.content(body(1))[0]),
    ("before its content header", GET_OK + wire.content(b"x" * 20)[1]),
    ("second content header", BEGUN + wire.content(body(1))[0]),
    ("101 bytes where 100 were to come", BEGUN + wire.content(b"x" * 101)[1]),
    ("in the midst of a message", BEGUN + wire.ack(1)),
    ("heartbeat with", framed(8, 0, b"x")),
    ("heartbeat with", framed(8, 1, b"")),
    ("cannot be decoded", framed(1, 1, b"\x00\x01\x00\x63")),
    ("cannot be decoded", framed(1, 1, b"")),
    ("cannot be decoded", GET_OK + framed(2, 1, b"\x00\x0a" + bytes(12))),
    ("Basic.Ack with fields that do not fit", framed(1, 1, b"\x00\x3c\x00\x50" + bytes(8) + b"\x02")),
    (
        "Basic.Deliver with fields that do not",
        deliver(1, redelivered=True).replace(FLAGGED, FLAGGED[:-1] + b"\x02"),
    ),
    ("Basic.Deliver with fields that do not", framed(1, 1, b"\x00\x3c\x00\x3c\x01c" + bytes(10) + b"\xffq")),
]


@pytest.mark.parametrize(("said", "data"), WRONG)
def test_what_is_not_as_agreed_is_said(said, data):
    with pytest.raises(ProtocolError, match=said):
        read([data], PUSHED)


@pytest.mark.parametrize("seed", range(8))
def test_random_bytes_are_refused_or_wait_for_more(seed):
    chance = random.Random(seed)
    for _ in range(400):
        data = chance.randbytes(chance.randint(1, 300))
        kind, size = chance.choice([1, 2, 3, 8]), chance.randint(0, 60)
        frame = framed(kind, chance.randint(0, 2), chance.randbytes(size))
        for sample in (data, frame, frame + data):
            _survive(sample)


@pytest.mark.parametrize("seed", range(8))
def test_damaged_conversations_are_refused_or_read(seed):
    chance = random.Random(seed)
    for _ in range(100):
        damaged = bytearray(BYTES)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(damaged))
            match chance.randrange(3):
                case 0:
                    damaged[at] = chance.randrange(256)
                case 1:
                    del damaged[at : at + chance.randint(1, 9)]
                case _:
                    damaged[at:at] = chance.randbytes(chance.randint(1, 9))
        _survive(bytes(damaged))


def test_a_deeply_nested_table_is_refused():
    nested = b""
    for _ in range(600):
        nested = b"\x00F" + len(nested).to_bytes(4, "big") + nested
    start = b"\x00\x0a\x00\x0a\x00\x09" + len(nested).to_bytes(4, "big") + nested
    with pytest.raises(ProtocolError, match="decoded"):
        read([framed(1, 0, start)])


def _survive(data: bytes) -> None:
    """Read it with and without a shape: both say the same, and memory stays within a frame or two."""
    reported = []
    for shape in (None, PUSHED):
        seen = wire.Seen()
        reader = reader_for(seen, shape)
        try:
            feed(reader, data)
            error = None
        except ProtocolError as found:
            error = str(found)
        assert len(reader.space()) <= 2 * FRAME_MAX
        reported.append((seen.events, error))
    assert reported[0] == reported[1]
