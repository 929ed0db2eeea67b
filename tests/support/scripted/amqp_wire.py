"""AMQP as a broker writes it, encoded by pika, and what a reader makes of it."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any

import pika
from pika import frame, spec

from breakeven.clients.amqp.events import Events
from breakeven.clients.amqp.reader import FrameReader
from breakeven.clients.amqp.shape import DeliveryShape

# the form of a frame is written here once more, and not taken from ``breakeven.clients.amqp.encoding``: a
# scripted broker is to share no mistake of the client that it tests
#: of a frame: type, channel, and the size of what is between it and the end mark
HEAD = struct.Struct(">BHI")
PROTOCOL_HEADER: bytes = frame.ProtocolHeader().marshal()
HEARTBEAT: bytes = frame.Heartbeat().marshal()
QUEUE, CONSUMER, SIZE, FRAME_MAX = "be-queue", "c", 100, 4096


def method(method: Any, channel: int = 1) -> bytes:
    return frame.Method(channel, method).marshal()


def framed(kind: int, channel: int, payload: bytes) -> bytes:
    """A frame of any payload, also one that makes no sense."""
    return HEAD.pack(kind, channel, len(payload)) + payload + bytes((spec.FRAME_END,))


def content(body: bytes, channel: int = 1, frame_max: int = FRAME_MAX, **properties: Any) -> list[bytes]:
    """A content header and the body frames, apart."""
    carried = pika.BasicProperties(**(properties or {"delivery_mode": 2}))
    chunks = [body[at : at + frame_max - 8] for at in range(0, len(body), frame_max - 8)]
    return [
        frame.Header(channel, len(body), carried).marshal(),
        *(frame.Body(channel, chunk).marshal() for chunk in chunks),
    ]


def stamp(number: int) -> bytes:
    return b"%016d" % number


def body(number: int, size: int = SIZE) -> bytes:
    return stamp(number).ljust(size, b"x")


def deliver(tag: int, *, redelivered: bool = False, size: int = SIZE, channel: int = 1, **kept: Any) -> bytes:
    head = method(spec.Basic.Deliver(CONSUMER, tag, redelivered, "", QUEUE), channel)
    return head + b"".join(content(body(tag, size), channel, **kept))


def get_ok(tag: int, *, left: int = 0, redelivered: bool = False) -> bytes:
    return method(spec.Basic.GetOk(tag, redelivered, "", QUEUE, left)) + b"".join(content(body(tag)))


def returned(number: int, size: int = SIZE) -> bytes:
    head = method(spec.Basic.Return(312, "NO_ROUTE", "", QUEUE))
    return head + b"".join(content(body(number, size)))


def ack(tag: int, multiple: bool = False, channel: int = 1) -> bytes:
    return method(spec.Basic.Ack(tag, multiple), channel)


def nack(tag: int, multiple: bool = False) -> bytes:
    return method(spec.Basic.Nack(tag, multiple, False))


class Seen(Events):
    """Notes events as plain values, one a message."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []

    def confirmed(self, channel: int, tag: int, multiple: bool, refused: bool) -> None:
        self.events.append(("confirmed", channel, tag, multiple, refused))

    def returned(self, channel: int, stamp: bytes) -> None:
        self.events.append(("returned", channel, stamp))

    def delivered(
        self, channel: int, tags: Sequence[int], redelivered: Sequence[bool], stamps: Sequence[bytes]
    ) -> None:
        for columns in zip(tags, redelivered, stamps, strict=True):
            self.events.append(("delivered", channel, *columns))

    def empty(self, channel: int) -> None:
        self.events.append(("empty", channel))

    def method(self, channel: int, method: Any) -> None:
        self.events.append((method.NAME, channel))


def reader_for(
    seen: Seen, shape: DeliveryShape | None, frame_max: int = FRAME_MAX, capacity: int = 512
) -> FrameReader:
    reader = FrameReader(seen.method, frame_max, capacity)
    reader.events, reader.shape = seen, shape
    return reader


def feed(reader: FrameReader, data: bytes) -> None:
    """Have a copy of ``data`` read. Raises ProtocolError."""
    while data:
        with reader.space() as space:
            count = min(len(space), len(data))
            space[:count] = data[:count]
        reader.took(count)
        data = data[count:]


def read(
    pieces: Iterable[bytes], shape: DeliveryShape | None = None, frame_max: int = FRAME_MAX
) -> list[tuple[Any, ...]]:
    """The events of bytes that come in these pieces."""
    seen = Seen()
    reader = reader_for(seen, shape, frame_max)
    for piece in pieces:
        feed(reader, piece)
    return seen.events
