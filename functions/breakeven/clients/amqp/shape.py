"""Shape of a message of ours when it comes back, so that a buffer full of them is read in one go.

Only what is the same byte for byte in its fixed places is taken; everything else is the general path's.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from pika import spec

from breakeven.clients.amqp.encoding import FRAME_OVERHEAD, body_head, header_frame, method_frame
from breakeven.clients.base import STAMP_BYTES

_TAG_AND_FLAG = 9
_COUNT = 4  # get-ok tells how many messages are left: any number


#: messages that stand one behind the other, as ``Events.delivered`` takes them: tags, redelivered, stamps
Delivered = tuple[Sequence[int], Sequence[bool], Sequence[bytes]]


class DeliveryShape:
    """Messages of one size from one queue, each with a body that fits one frame."""

    def __init__(self, head: bytes, before_gap: bytes, gap: int, after_gap: bytes, size: int) -> None:
        self.head = head
        rest = size - STAMP_BYTES
        self._columns = struct.Struct(
            f">{len(head)}sQB{len(before_gap)}s{gap}x{len(after_gap)}s{STAMP_BYTES}s{rest}xB"
        )
        self._before_gap, self._gap, self._after_gap = before_gap, gap, after_gap
        before_at = len(head) + _TAG_AND_FLAG
        after_at = before_at + len(before_gap) + gap
        self._fixed = ((0, head), (before_at, before_gap), (after_at, after_gap))

    @property
    def pieces(self) -> tuple[bytes, bytes, bytes] | None:
        """What is the same in all: before tag and flag, between those and the body's frames, and up to the
        stamp. None where something else that differs is in between."""
        return None if self._gap else (self.head, self._before_gap, self._after_gap)

    @property
    def size(self) -> int:
        """Bytes of a whole message with all its frames."""
        return self._columns.size

    def take(self, buffer: memoryview, start: int, end: int) -> Delivered | None:
        """The messages of this shape at the start of ``buffer[start:end]``; None when there are none."""
        count = (end - start) // self.size
        if not count:
            return None
        if count == 1:
            row = self._columns.unpack_from(buffer, start)
            return (row[1:2], (row[2] == 1,), row[5:6]) if self._is_ours(row) else None
        rows = list(self._columns.iter_unpack(buffer[start : start + count * self.size]))
        heads, tags, flags, befores, afters, stamps, ends = zip(*rows, strict=True)
        same = (
            heads.count(self.head) == count
            and befores.count(self._before_gap) == count
            and afters.count(self._after_gap) == count
            and ends.count(spec.FRAME_END) == count
            and max(flags) <= 1
        )
        if not same:
            good = next((n for n, row in enumerate(rows) if not self._is_ours(row)), count)
            tags, flags, stamps = tags[:good], flags[:good], stamps[:good]
        if not tags:
            return None
        return tags, tuple(map(bool, flags)), stamps

    def begins(self, buffer: bytearray, start: int, end: int) -> bool:
        """Does ``buffer[start:end]`` hold the first bytes of a message of this shape, and not all of it?

        Then no other frame can be hidden in it: to wait for the rest keeps nothing back.
        """
        if end - start >= self.size:
            return False
        return all(
            buffer.startswith(piece[: max(0, end - start - offset)], min(start + offset, end), end)
            for offset, piece in self._fixed
        )

    def _is_ours(self, row: tuple[bytes, int, int, bytes, bytes, bytes, int]) -> bool:
        head, _, flag, before, after, _, end = row
        fixed = (head, before, after, end) == (self.head, self._before_gap, self._after_gap, spec.FRAME_END)
        return fixed and flag <= 1


def pushed(queue: str, consumer: str, size: int, persistent: bool, frame_max: int) -> DeliveryShape | None:
    """``basic.deliver`` and its content; None when a message of ``size`` bytes has no such shape."""
    method = method_frame(
        spec.Basic.Deliver(
            consumer_tag=consumer, delivery_tag=0, redelivered=False, exchange="", routing_key=queue
        )
    )
    head = FRAME_OVERHEAD - 1 + 4 + 1 + len(consumer.encode())
    return _shape(method, head, 0, size, persistent, frame_max)


def fetched(queue: str, size: int, persistent: bool, frame_max: int) -> DeliveryShape | None:
    """``basic.get-ok`` and its content; None when a message of ``size`` bytes has no such shape."""
    method = method_frame(
        spec.Basic.GetOk(delivery_tag=0, redelivered=False, exchange="", routing_key=queue, message_count=0)
    )
    return _shape(method, FRAME_OVERHEAD - 1 + 4, _COUNT, size, persistent, frame_max)


def _shape(
    method: bytes, head: int, gap: int, size: int, persistent: bool, frame_max: int
) -> DeliveryShape | None:
    if not STAMP_BYTES <= size <= frame_max - FRAME_OVERHEAD:
        return None
    names_end = len(method) - 1 - gap
    after = method[names_end + gap :] + header_frame(size, persistent) + body_head(size)
    return DeliveryShape(method[:head], method[head + _TAG_AND_FLAG : names_end], gap, after, size)
