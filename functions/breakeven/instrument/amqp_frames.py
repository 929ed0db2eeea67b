"""AMQP frames of a server: those of every message by hand, all others by pika."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from pika import frame, spec
from pika.exceptions import AMQPError

# the form of a frame is written here once more, and not taken from ``clients.amqp.encoding``: the instrument
# is to share no mistake of the client that it measures
HEAD = struct.Struct(">BHI")
METHOD = struct.Struct(">I")
END = bytes((spec.FRAME_END,))
OVERHEAD = HEAD.size + len(END)
PROTOCOL_HEADER: bytes = frame.ProtocolHeader().marshal()
HEARTBEAT: bytes = frame.Heartbeat().marshal()

#: methods of every message, by class and method id
PUBLISH, GET, ACK = spec.Basic.Publish.INDEX, spec.Basic.Get.INDEX, spec.Basic.Ack.INDEX
_CONFIRM = struct.Struct(">BHIIQBB")
_DELIVERY = struct.Struct(">IQB")  # of get-ok; the tag and the redelivered flag of a delivery
TAG_AND_BIT = struct.Struct(">QB")
_BODY_SIZE = struct.Struct(">Q")


class NotAmqp(Exception):
    """The peer sent what cannot be AMQP 0-9-1."""


def split(data: bytes) -> Iterator[tuple[int, int, bytes, int]]:
    """Whole frames as (type, channel, payload, offset behind the frame). Raises NotAmqp."""
    at, end = 0, len(data)
    while end - at >= OVERHEAD:
        kind, channel, size = HEAD.unpack_from(data, at)
        stop = at + HEAD.size + size
        if stop >= end:
            return
        if data[stop] != spec.FRAME_END:
            raise NotAmqp("a frame without its end")
        payload = data[at + HEAD.size : stop]
        at = stop + 1
        yield kind, channel, payload, at


def framed(kind: int, channel: int, payload: bytes) -> bytes:
    return HEAD.pack(kind, channel, len(payload)) + payload + END


def method_frame(channel: int, method: Any) -> bytes:
    return bytes(frame.Method(channel, method).marshal())


def decoded(payload: bytes) -> Any:
    """A method as pika has it. Raises NotAmqp."""
    try:
        method = spec.methods[METHOD.unpack_from(payload)[0]]()
        method.decode(payload, METHOD.size)
    except (AMQPError, KeyError, struct.error, IndexError, ValueError, TypeError) as error:
        raise NotAmqp(f"no method: {error}") from None
    return method


@lru_cache(maxsize=1024)
def publishing(payload: bytes) -> tuple[str, bool]:
    """Queue and mandatory flag of a ``basic.publish``; all to one queue are alike. Raises NotAmqp."""
    method = decoded(payload)
    if method.exchange:
        raise NotAmqp(f"exchange {method.exchange!r}: there is only the default one")
    return method.routing_key, method.mandatory


@lru_cache(maxsize=1024)
def getting(payload: bytes) -> tuple[str, bool]:
    """Queue and no-ack flag of a ``basic.get``. Raises NotAmqp."""
    method = decoded(payload)
    return method.queue, method.no_ack


def body_size(header: bytes) -> int:
    """Of a content header's payload. Raises NotAmqp."""
    if len(header) < METHOD.size + _BODY_SIZE.size:
        raise NotAmqp("a content header that is too short")
    return int(_BODY_SIZE.unpack_from(header, METHOD.size)[0])


def confirm(channel: int, tag: int, *, multiple: bool = False, refused: bool = False) -> bytes:
    index = spec.Basic.Nack.INDEX if refused else spec.Basic.Ack.INDEX
    return _CONFIRM.pack(spec.FRAME_METHOD, channel, 13, index, tag, multiple, spec.FRAME_END)


def get_ok(channel: int, queue: str, tag: int, redelivered: bool, left: int) -> bytes:
    name = queue.encode()
    head = _DELIVERY.pack(spec.Basic.GetOk.INDEX, tag, redelivered)
    return framed(
        spec.FRAME_METHOD, channel, b"%b\0%c%b%b" % (head, len(name), name, left.to_bytes(4, "big"))
    )


def deliver(channel: int, queue: str, consumer_tag: str, tag: int, redelivered: bool) -> bytes:
    name, consumer = queue.encode(), consumer_tag.encode()
    head = METHOD.pack(spec.Basic.Deliver.INDEX) + bytes((len(consumer),)) + consumer
    flags = TAG_AND_BIT.pack(tag, redelivered)
    return framed(spec.FRAME_METHOD, channel, b"%b%b\0%c%b" % (head, flags, len(name), name))


def content(channel: int, properties: bytes, body: bytes, frame_max: int) -> bytes:
    """Header and body frames. ``properties``: the payload of the header that the message came with."""
    parts = [framed(spec.FRAME_HEADER, channel, properties)]
    most = frame_max - OVERHEAD
    parts += [framed(spec.FRAME_BODY, channel, body[at : at + most]) for at in range(0, len(body), most)]
    return b"".join(parts)
