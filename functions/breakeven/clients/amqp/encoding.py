"""What a loader writes: frames that pika encodes once, and that are then only joined with what differs."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pika
from pika import frame, spec

from breakeven.clients.base import STAMP_BYTES, Bodies

#: the one channel that a connection of ours opens
CHANNEL = 1
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


#: frames of fewer messages than this are written sooner by joining than by numpy (measured)
_FEW = 24
_FEW_TAGS = 32
#: memory for prepared frames, bytes: at first, and at most; a batch that needs more is joined
_PREPARED = (1 << 17, 1 << 20)


class _Rows:
    """Prepared frames of messages that differ in their stamps alone, one message a row.

    :param head: what stands before each body
    """

    def __init__(self, head: bytes, rest: bytes, memory: int) -> None:
        self.rest = rest
        row = np.frombuffer(head + bytes(STAMP_BYTES) + rest + END, np.uint8)
        self._row_size, self.capacity = len(row), memory // len(row)
        rows = np.empty((self.capacity, len(row)), np.uint8)
        rows[:] = row
        self._stamps = rows[:, len(head) : len(head) + STAMP_BYTES]
        self._bytes = rows.reshape(-1).data
        self._common = b""  # how the stamps of all rows begin

    def stamped(self, bodies: Bodies) -> memoryview:
        """The frames of at most ``capacity`` messages, until the next call."""
        count, spelled = len(bodies), bodies.spelled()
        if spelled is None:
            self._common = b""
            bodies.stamps(self._stamps[:count])
            return self._bytes[: count * self._row_size]
        common, ends = spelled
        if common != self._common:
            self._stamps[:, : len(common)] = np.frombuffer(common, np.uint8)
            self._common = common
        ends_at = len(common)
        self._stamps[:count, ends_at:] = np.frombuffer(b"".join(ends), np.uint8).reshape(count, -1)
        return self._bytes[: count * self._row_size]


class Publishing:
    """Encodes messages to one queue through the default exchange.

    :param frame_max: the negotiated size of a whole frame, bytes; longer bodies take several frames
    """

    def __init__(self, queue: str, *, persistent: bool, mandatory: bool, frame_max: int) -> None:
        method = spec.Basic.Publish(exchange="", routing_key=queue, mandatory=mandatory)
        self._method, self._persistent = method_frame(method), persistent
        self._chunk = frame_max - FRAME_OVERHEAD
        self._size = -1  # of the bodies that _head is for
        self._head = self._between = b""
        self._rows: _Rows | None = None
        self._spelled = (b"", b"")  # how stamps began lately, and what stood behind them
        self._before = self._behind = self._middle = b""

    def encode(self, bodies: Sequence[bytes]) -> bytes | memoryview:
        """The frames of all messages, in order. Cheapest when all bodies have one size that fits a frame.

        What is returned may be written over by the next call, unless :meth:`keep` comes before it.
        """
        if isinstance(bodies, Bodies):
            if len(bodies) < _FEW:
                if joined := self._joined(bodies):
                    return joined
            elif rows := self._rows_for(bodies):
                return rows.stamped(bodies)
            bodies = list(bodies)
        sizes = set(map(len, bodies))
        if len(sizes) == 1 and 0 < (size := next(iter(sizes))) <= self._chunk:
            if size != self._size:
                self._prepare(size)
            return b"".join((self._head, self._between.join(bodies), END))
        return b"".join(self._pieces(bodies))

    def around(self, size: int) -> tuple[bytes, bytes] | None:
        """What stands before and behind a body of ``size`` bytes; None where its shape is another."""
        if not STAMP_BYTES <= size <= self._chunk:
            return None
        if size != self._size:
            self._prepare(size)
        return self._head, END

    def keep(self) -> None:
        """Leave what was returned to whoever has it."""
        self._rows = None

    def _joined(self, bodies: Bodies) -> bytes | None:
        """The frames, where the stamps begin alike and a body fits a frame."""
        spelled, size = bodies.spelled(), bodies.size
        if spelled is None or not STAMP_BYTES <= size <= self._chunk:
            return None
        if size != self._size:
            self._prepare(size)
        common, ends = spelled
        if self._spelled != (common, bodies.rest):
            self._spelled = (common, bodies.rest)
            self._before, self._behind = self._head + common, bodies.rest + END
            self._middle = self._behind + self._before
        return b"".join((self._before, self._middle.join(ends), self._behind))

    def _rows_for(self, bodies: Bodies) -> _Rows | None:
        """Rows for such bodies; None when they need another shape or more memory."""
        rows, count, size = self._rows, len(bodies), bodies.size
        if rows is not None and rows.rest is bodies.rest and count <= rows.capacity:
            return rows
        if not STAMP_BYTES <= size <= self._chunk:
            return None
        if size != self._size:
            self._prepare(size)
        needed = count * (len(self._head) + size + len(END))
        if needed > _PREPARED[1]:
            return None
        self._rows = _Rows(self._head, bodies.rest, min(max(2 * needed, _PREPARED[0]), _PREPARED[1]))
        return self._rows

    def _prepare(self, size: int) -> None:
        self._size = size
        self._head = self._method + header_frame(size, self._persistent) + body_head(size)
        self._between = END + self._head

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
_ACK_ROW = np.dtype([("head", f"V{len(ACK_HEAD)}"), ("tag", ">i8"), ("tail", f"V{len(_ACK_TAIL)}")])
_ACK_BEFORE = np.frombuffer(ACK, _ACK_ROW)


def acknowledgements(tags: Sequence[Any]) -> bytes:
    """One ``basic.ack`` for each delivery tag; at least one tag."""
    if len(tags) < _FEW_TAGS:
        return b"".join((ACK_HEAD, _BETWEEN_ACKS.join(map(_pack_tag, tags)), _ACK_TAIL))
    rows = _ACK_BEFORE.repeat(len(tags))
    rows["tag"] = np.arange(tags.start, tags.stop) if isinstance(tags, range) else tags
    return rows.tobytes()
