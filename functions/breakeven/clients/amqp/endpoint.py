"""What a connection's owner does with events: nothing, unless it asked for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from breakeven.clients.amqp.encoding import CHANNEL
from breakeven.clients.amqp.events import ProtocolError


class _TakesMethods(Protocol):
    def method(self, channel: int, method: Any) -> None: ...


class Endpoint:
    """Refuses everything but methods, which are the link's; senders and receivers take what is theirs."""

    def __init__(self, link: _TakesMethods) -> None:
        self._methods = link

    @staticmethod
    def on_channel(channel: int) -> None:
        """Raise ProtocolError when it is not the one channel that was opened."""
        if channel != CHANNEL:
            raise ProtocolError(f"something for channel {channel}, which is not open")

    def confirmed(self, channel: int, tag: int, multiple: bool, refused: bool) -> None:
        raise ProtocolError("a confirm where none was asked for")

    def returned(self, channel: int, stamp: bytes) -> None:
        raise ProtocolError("a returned message where none was mandatory")

    def delivered(
        self, channel: int, tags: Sequence[int], redelivered: Sequence[bool], stamps: Sequence[bytes]
    ) -> None:
        raise ProtocolError("a message where none was asked for")

    def empty(self, channel: int) -> None:
        raise ProtocolError("an answer to an ask that was not made")

    def heartbeat(self) -> None:
        """The link sees that bytes came."""

    def method(self, channel: int, method: Any) -> None:
        self._methods.method(channel, method)
