"""Events in the bytes that a reader was given."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.clients.amqp.encoding import CHANNEL


class ProtocolError(Exception):
    """The bytes are not AMQP 0-9-1 as agreed: nothing after them can be trusted."""


class Events:
    """Called in the order of the bytes. Refuses everything; senders and receivers take what is theirs."""

    @staticmethod
    def on_channel(channel: int) -> None:
        """Raise ProtocolError when it is not the one channel that was opened."""
        if channel != CHANNEL:
            raise ProtocolError(f"something for channel {channel}, which is not open")

    def confirmed(self, channel: int, tag: int, multiple: bool, refused: bool) -> None:
        """A publisher confirm, or with ``refused`` a nack."""
        raise ProtocolError("a confirm where none was asked for")

    def returned(self, channel: int, stamp: bytes) -> None:
        """A mandatory message that no queue took; ``stamp``: the first bytes of its body."""
        raise ProtocolError("a returned message where none was mandatory")

    def delivered(
        self, channel: int, tags: Sequence[int], redelivered: Sequence[bool], stamps: Sequence[bytes]
    ) -> None:
        """Whole messages, pushed or asked for, one entry a message in each column."""
        raise ProtocolError("a message where none was asked for")

    def empty(self, channel: int) -> None:
        """The answer to a ``basic.get`` on a queue without a message."""
        raise ProtocolError("an answer to an ask that was not made")
