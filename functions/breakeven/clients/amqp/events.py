"""What a reader tells of the bytes it was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class ProtocolError(Exception):
    """The bytes are not AMQP 0-9-1 as agreed: nothing after them can be trusted."""


class Events(Protocol):
    """Called in the order of the bytes. May raise ProtocolError for what has no business here."""

    def confirmed(self, channel: int, tag: int, multiple: bool, refused: bool) -> None:
        """A publisher confirm, or with ``refused`` a nack."""

    def returned(self, channel: int, stamp: bytes) -> None:
        """A mandatory message that no queue took; ``stamp``: the first bytes of its body."""

    def delivered(
        self, channel: int, tags: Sequence[int], redelivered: Sequence[bool], stamps: Sequence[bytes]
    ) -> None:
        """Whole messages, pushed or asked for, one entry a message in each column."""

    def empty(self, channel: int) -> None:
        """The answer to a ``basic.get`` on a queue without a message."""

    def heartbeat(self) -> None: ...

    def method(self, channel: int, method: Any) -> None:
        """Any other method, as ``pika.spec`` decodes it."""
