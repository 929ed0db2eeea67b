"""Messages that come in pieces: a method, a content header, and any number of body frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from breakeven.clients.amqp.events import ProtocolError
from breakeven.clients.base import STAMP_BYTES


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
