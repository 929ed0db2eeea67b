"""The fast path: the seam, beside that of ``base``, to connections that the compiled core drives.

On the general path a worker submits, polls, receives and settles, step by step. On the fast path a connection
does all of that by itself for a while, and returns columns of what happened. What is not as always is left to
the general path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol, runtime_checkable

from breakeven.clients.base import CallFailed, ConnectionLost, Deliveries, Int64s, Outcome


class WhenSent(IntEnum):
    """What a sender does on the fast path once it has sent all that it was to send."""

    READ_ON = 0  # go on reading answers until the time is over
    COME_BACK = 1  # there is more to send than one batch holds
    ANSWERED = 2  # that was all: come back when it is answered


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose messages a sender sends on the fast path: how their stamps and bodies are made.

    ``tag``: the case's characters; ``size``: of a body, bytes; ``rest``: what stands behind its stamp;
    ``together_ns``: what is due within this time of each other is sent together.
    ``times``: where to note when each message was to be sent, for end to end: the newest sequence that is
    noted, then instants by sequence modulo their number; None where nobody asks.
    """

    tag: bytes
    producer: int
    size: int
    rest: bytes
    bodies: Callable[[int, int], Sequence[bytes]]  # first sequence, count
    together_ns: int
    times: Int64s | None


@dataclass(frozen=True, slots=True)
class SendBatch:
    """Messages with consecutive sequences to send on the fast path, at most ``window`` without an answer.

    ``due_ns``: when, one entry a message, ascending; None: as soon as there is room.
    ``room_since_ns``: when the window last began to have room, as far as whoever made the batch knows.
    """

    first: int
    most: int
    due_ns: Int64s | None
    when_sent: WhenSent
    room_since_ns: int


@dataclass(slots=True)
class Sent:
    """What a sender did on the fast path: columns of what was sent and answered, one entry a message.

    ``could_ns``: when it was due and had room. ``outcome``: of what was answered.
    ``blocked_ns``: how long messages were due without room.
    ``failed``: sequences that were sent and will have no answer, as their calls failed.
    ``error``: what the worker has to count, and to wait for a while after.
    """

    could_ns: Int64s
    handed_ns: Int64s
    sequence: Sequence[int]
    outcome: Outcome
    due_ns: Int64s
    sent_ns: Int64s
    answered_ns: Int64s
    blocked_ns: int
    room_since_ns: int
    failed: Sequence[int] = ()
    error: CallFailed | ConnectionLost | None = None
    by_general: int = 0  # of what was answered: read by the general path


@runtime_checkable
class FallsBack(Protocol):
    """A sender or receiver whose work the core does by design.

    ``fallback``: why the general path does it all the same, in words, with figure and limit where a size or
    a window is too large; None where the core does, and where what is asked for is the general path's by
    design: batches, ``basic.get``, processing times.
    """

    fallback: str | None


@runtime_checkable
class SendsOnFastPath(Protocol):
    """A sender with a fast path, for one producer's messages."""

    def prepare(self, origin: Origin) -> int:
        """Be ready to send these on the fast path; returns how large a batch may be, 0 where it cannot."""

    def send_on_fast_path(
        self, batch: SendBatch, until_ns: int, due: MutableMapping[int, int]
    ) -> Sent | None:
        """Send and read until ``until_ns``, or until there is reason to come back; None where ``submit`` and
        ``poll`` have to do their part first.

        :param due: when each message that ``submit`` was given and that is unanswered was to be sent. They
            are taken out, and put back with others when ``submit`` and ``poll`` have to go on.

        Raises ConnectionLost, CallFailed.
        """

    def release(self) -> None:
        """Leave what is unanswered to the general path: ``due``, as last given, has all of it again."""


@dataclass(frozen=True, slots=True)
class Ours:
    """How to tell a case's own messages: its stamps' first characters, and how many producers it has."""

    tag: bytes
    producers: int


@dataclass(slots=True)
class Cycles:
    """Messages that were settled by a call, one entry a message: when they were asked for, when that call was
    made, and when it was answered.
    """

    asked_ns: Int64s
    called_ns: Int64s
    replied_ns: Int64s


@dataclass(slots=True)
class Received:
    """What a receiver did on the fast path.

    ``deliveries``: messages of ours, settled or about to be; ``settled``: those whose settlement was a call,
    which AMQP's acknowledgement is not. ``unsettled``: handles of ours for ``settle``, and when each was
    asked for. ``in_hand``: messages that came otherwise than always, and may be anybody's.
    ``error``: what the worker has to count, and to wait for a while after.
    """

    deliveries: Deliveries
    settled: Cycles | None = None
    unsettled: Mapping[object, int] = field(default_factory=dict)
    in_hand: Deliveries | None = None
    error: CallFailed | ConnectionLost | None = None
    by_general: int = 0  # of what was settled: read by the general path


@runtime_checkable
class ReceivesOnFastPath(Protocol):
    """A receiver with a fast path."""

    def expect(self, ours: Ours) -> bool:
        """Be ready to receive these on the fast path; False where it cannot."""

    def receive_on_fast_path(self, until_ns: int) -> Received | None:
        """Receive and settle until ``until_ns``, or until there is reason to come back: an empty answer is
        one where asks do not wait. None where ``receive`` has to do its part first. What is not ours is left
        to the worker. Raises ConnectionLost, CallFailed.
        """
