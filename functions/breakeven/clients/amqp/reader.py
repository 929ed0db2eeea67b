"""From bytes to events, however the bytes are split.

Two things come often and always alike: confirms, and messages of the case's own shape. They are read in
runs. Every other frame goes the general way, decoded by ``pika.frame``, and a frame that is not as it must
be ends the connection: nothing is guessed.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pika import frame, spec

from breakeven.clients.amqp.encoding import ACK_HEAD, CHANNEL, FRAME_HEAD, FRAME_OVERHEAD, method_frame
from breakeven.clients.amqp.events import Events, ProtocolError
from breakeven.clients.amqp.shape import DeliveryShape
from breakeven.clients.base import STAMP_BYTES

_CONFIRM = struct.Struct(">11sQBB")
_KINDS = frozenset((spec.FRAME_METHOD, spec.FRAME_HEADER, spec.FRAME_BODY, spec.FRAME_HEARTBEAT))
_WITH_CONTENT = (spec.Basic.Deliver, spec.Basic.GetOk, spec.Basic.Return)
#: methods whose encoding is one and the same for the same fields, so that decoding can be checked
_EXACT = (*_WITH_CONTENT, spec.Basic.Ack, spec.Basic.Nack, spec.Basic.GetEmpty)


@dataclass(slots=True)
class Content:
    """A message that is on its way. ``missing``: bytes of its body to come; None before the header."""

    method: Any
    missing: int | None = None
    stamp: bytes = b""

    def header(self, size: int) -> bool:
        """Its content header; returns whether the message is complete."""
        if self.missing is not None:
            raise ProtocolError("a second content header for one message")
        self.missing = size
        return size == 0

    def body(self, piece: memoryview) -> bool:
        """A piece of its body; returns whether the message is complete."""
        if self.missing is None:
            raise ProtocolError("a body frame before its content header")
        if len(piece) > self.missing:
            raise ProtocolError(f"a body frame of {len(piece)} bytes where {self.missing} were to come")
        if len(self.stamp) < STAMP_BYTES:
            self.stamp += bytes(piece[: STAMP_BYTES - len(self.stamp)])
        self.missing -= len(piece)
        return self.missing == 0


class FrameReader:
    """Give it bytes with ``space`` and ``took``.

    ``events`` is told of messages and confirms, ``shape`` is how messages are expected to look; others are
    read too.

    :param methods: told of any other method, as ``pika.spec`` decodes it, and of its channel
    :param frame_max: the largest whole frame that is accepted, bytes; set again once it is negotiated
    :param capacity: bytes read at once, unless a single message needs more
    """

    def __init__(self, methods: Callable[[int, Any], None], frame_max: int, capacity: int = 65_536) -> None:
        self.events, self._methods, self.frame_max = Events(), methods, frame_max
        self.shape: DeliveryShape | None = None
        self._buffer, self._end = bytearray(capacity), 0
        self._view = memoryview(self._buffer)
        self._contents: dict[int, Content] = {}  # by channel

    def space(self) -> memoryview:
        """Where to write what comes next; never empty. Valid until ``took``."""
        if self._end == len(self._buffer):
            self._view.release()
            self._buffer += bytes(len(self._buffer))
            self._view = memoryview(self._buffer)
        return self._view[self._end :]

    def took(self, count: int) -> None:
        """``count`` bytes were written to ``space``. Raises ProtocolError."""
        self._end += count
        start, end = 0, self._end
        while start < end and (used := self._read(start, end)):
            start += used
        if start:
            self._buffer[: end - start] = self._buffer[start:end]
            self._end = end - start

    @property
    def between_messages(self) -> bool:
        """No message has begun whose content is still to come."""
        return not self._contents

    @property
    def waiting(self) -> int:
        """Bytes that came and have not been dealt with."""
        return self._end

    def lend(self) -> tuple[int, int, int]:
        """The buffer, for somebody else to read into and to deal with: its address, its size, and how many
        bytes are in it. Until ``lent``."""
        start = ctypes.c_char.from_buffer(self._buffer)
        return ctypes.addressof(start), len(self._buffer), self._end

    def lent(self, count: int) -> None:
        """So many bytes are in the buffer now, none of which has been dealt with."""
        self._end = count

    def _read(self, start: int, end: int) -> int:
        """Read from ``buffer[start:end]``; returns how many bytes are done with, 0 when more are needed."""
        if not self._contents:
            shape = self.shape
            if shape is not None and self._buffer.startswith(shape.head, start, end):
                if delivered := shape.take(self._view, start, end):
                    self.events.delivered(CHANNEL, *delivered)
                    return len(delivered[0]) * shape.size
                if shape.begins(self._buffer, start, end):
                    return 0
            elif self._buffer.startswith(ACK_HEAD, start, end) and (used := self._confirms(start, end)):
                return used
        return self._frame(start, end)

    def _confirms(self, start: int, end: int) -> int:
        count = (end - start) // _CONFIRM.size
        used = 0
        for head, tag, multiple, mark in _CONFIRM.iter_unpack(
            self._view[start : start + count * _CONFIRM.size]
        ):
            if head != ACK_HEAD or mark != spec.FRAME_END or multiple > 1:
                break
            self.events.confirmed(CHANNEL, tag, multiple == 1, False)
            used += _CONFIRM.size
        return used

    def _frame(self, start: int, end: int) -> int:
        """One frame, the general way."""
        if self._buffer[start] not in _KINDS:
            raise ProtocolError(_not_a_frame(bytes(self._buffer[start : min(start + 8, end)])))
        if end - start < FRAME_HEAD.size:
            return 0
        kind, channel, size = FRAME_HEAD.unpack_from(self._buffer, start)
        length = size + FRAME_OVERHEAD
        if length > self.frame_max:
            raise ProtocolError(f"a frame of {length} bytes where at most {self.frame_max} are agreed")
        if end - start < length:
            return 0
        if self._buffer[start + length - 1] != spec.FRAME_END:
            raise ProtocolError("a frame without its end mark")
        if kind == spec.FRAME_BODY:
            piece = self._view[start + FRAME_HEAD.size : start + length - 1]
            self._completed(channel, self._content(channel).body(piece))
        elif kind == spec.FRAME_HEARTBEAT:
            if channel or size:
                raise ProtocolError("a heartbeat with a channel or a payload")
        else:
            self._decoded(channel, bytes(self._buffer[start : start + length]))
        return int(length)

    def _decoded(self, channel: int, data: bytes) -> None:
        found = _decode(data)
        if isinstance(found, frame.Header):
            self._completed(channel, self._content(channel).header(found.body_size))
        else:
            self._method(channel, found.method, data)

    def _method(self, channel: int, method: Any, data: bytes) -> None:
        if channel in self._contents:
            raise ProtocolError(f"{method.NAME} in the midst of a message")
        if isinstance(method, _EXACT) and method_frame(method, channel) != data:
            raise ProtocolError(f"{method.NAME} with fields that do not fit it")
        if isinstance(method, _WITH_CONTENT):
            self._contents[channel] = Content(method)
        elif isinstance(method, spec.Basic.Ack | spec.Basic.Nack):
            refused = isinstance(method, spec.Basic.Nack)
            self.events.confirmed(channel, method.delivery_tag, method.multiple, refused)
        elif isinstance(method, spec.Basic.GetEmpty):
            self.events.empty(channel)
        else:
            self._methods(channel, method)

    def _content(self, channel: int) -> Content:
        content = self._contents.get(channel)
        if content is None:
            raise ProtocolError(f"content without its method on channel {channel}")
        return content

    def _completed(self, channel: int, complete: bool) -> None:
        if not complete:
            return
        content = self._contents.pop(channel)
        method = content.method
        if isinstance(method, spec.Basic.Return):
            self.events.returned(channel, content.stamp)
        else:
            self.events.delivered(channel, (method.delivery_tag,), (method.redelivered,), (content.stamp,))


def _decode(data: bytes) -> Any:
    """A whole method or header frame. Whatever pika makes of bytes that are no such frame is one error."""
    try:
        used, found = frame.decode_frame(data)
    except Exception as error:
        raise ProtocolError(f"a frame that cannot be decoded: {type(error).__name__}: {error}") from error
    if used != len(data) or found is None:
        raise ProtocolError("a frame that cannot be decoded")
    return found


def _not_a_frame(data: bytes) -> str:
    if b"AMQP".startswith(data[:4]):
        return "the broker does not speak AMQP 0-9-1"
    return f"no frame begins with {data[:1].hex()}"
