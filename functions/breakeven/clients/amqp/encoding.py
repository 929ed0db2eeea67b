"""Frames that a loader writes: pika encodes them once, and they are then only joined with what differs."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pika
from pika import frame, spec

from breakeven.clients.base import Bodies

#: the one channel that a connection of ours opens
CHANNEL = 1
# ``instrument.amqp_frames`` and the tests' scripted broker write these once more, on purpose: a server that
# took them from the client would share its mistakes, and find none of them
#: bytes of a frame that are not payload: type, channel and size before it, the end mark after it
FRAME_OVERHEAD = 8
FRAME_HEAD = struct.Struct(">BHI")
END = bytes((spec.FRAME_END,))
PROTOCOL_HEADER: bytes = frame.ProtocolHeader().marshal()
HEARTBEAT: bytes = frame.Heartbeat().marshal()

_TAG_BYTES = 8
_pack_tag = struct.Struct(">Q").pack


def method_frame(method: Any, channel: int = CHANNEL) -> bytes:
    """One method of ``pika.spec`` as a frame."""
    return bytes(frame.Method(channel, method).marshal())


def properties(persistent: bool) -> Any:
    """What every message of ours carries beside its body."""
    mode = pika.DeliveryMode.Persistent if persistent else pika.DeliveryMode.Transient
    return pika.BasicProperties(delivery_mode=mode.value)


def header_frame(size: int, persistent: bool) -> bytes:
    """The content header of a body of ``size`` bytes."""
    return bytes(frame.Header(CHANNEL, size, properties(persistent)).marshal())


def body_head(size: int) -> bytes:
    """What stands before ``size`` bytes of a body in their frame."""
    return FRAME_HEAD.pack(spec.FRAME_BODY, CHANNEL, size)


class Publishing:
    """Encodes messages to one queue through the default exchange.

    :param frame_max: the negotiated size of a whole frame, bytes; longer bodies take several frames
    """

    def __init__(self, queue: str, *, persistent: bool, mandatory: bool, frame_max: int) -> None:
        method = spec.Basic.Publish(exchange="", routing_key=queue, mandatory=mandatory)
        self._method, self._persistent = method_frame(method), persistent
        self._chunk = frame_max - FRAME_OVERHEAD
        self._size, self._head = -1, b""  # of the latest bodies

    def encode(self, bodies: Sequence[bytes]) -> bytes:
        """The frames of all messages, in order. Cheapest when all bodies have one size that fits a frame."""
        if isinstance(bodies, Bodies):
            spelled, head = bodies.spelled(), self.head(bodies.size)
            if spelled and head:
                common, ends = spelled
                before, behind = head + common, bodies.rest + END
                return b"".join((before, (behind + before).join(ends), behind))
            bodies = list(bodies)
        sizes = set(map(len, bodies))
        if len(sizes) == 1 and (head := self.head(sizes.pop())):
            return b"".join((head, (END + head).join(bodies), END))
        return b"".join(self._pieces(bodies))

    def head(self, size: int) -> bytes | None:
        """What stands before a body of that size, with ``END`` behind it; None where it needs more frames."""
        if not 0 < size <= self._chunk:
            return None
        if size != self._size:
            self._size = size
            self._head = self._method + header_frame(size, self._persistent) + body_head(size)
        return self._head

    def _pieces(self, bodies: Iterable[bytes]) -> Iterator[bytes]:
        for body in bodies:
            yield self._method
            yield header_frame(len(body), self._persistent)
            for start in range(0, len(body), self._chunk):
                chunk = body[start : start + self._chunk]
                yield body_head(len(chunk))
                yield chunk
                yield END


#: the acknowledgement of one message, or a broker's confirm of one; its tag is behind the head
ACK = method_frame(spec.Basic.Ack(delivery_tag=0, multiple=False))
ACK_HEAD, _ACK_TAIL = ACK[: -_TAG_BYTES - 2], ACK[-2:]
_BETWEEN_ACKS = _ACK_TAIL + ACK_HEAD


#: the same of all messages up to its tag
ACK_UP_TO = method_frame(spec.Basic.Ack(delivery_tag=0, multiple=True))


def acknowledgements(tags: Sequence[Any]) -> bytes:
    """One ``basic.ack`` for each delivery tag; at least one tag."""
    return b"".join((ACK_HEAD, _BETWEEN_ACKS.join(map(_pack_tag, tags)), _ACK_TAIL))


def acknowledgements_up_to(tags: Sequence[Any]) -> bytes:
    """For each delivery tag one ``basic.ack`` of all messages up to it."""
    return b"".join(method_frame(spec.Basic.Ack(delivery_tag=tag, multiple=True)) for tag in tags)
