"""Interface of a queue's client: the seam between measuring and driving.

A *client* opens senders and receivers on the queues of one case. The loader knows only these
protocols, so that a reference client (pika, boto3: one call at a time) and a client with its own
event loop (batches, many calls in flight) are driven alike:

* ``submit`` hands over a batch and may return before any of it is answered;
* ``poll`` returns the answers that have arrived since, as parallel columns (lists or arrays).

A closed-loop worker submits one and polls until it is answered; an open loop submits what is due
and polls what has come. All instants are ``time.monotonic_ns`` of the loader's own host.
Senders and receivers are used by one thread only; the client's methods may be called from many.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias, overload

from breakeven.workload.node_faults import MAX_FAULT_S

if TYPE_CHECKING:  # functions that drive no queue import this, too, and numpy takes a third of their start
    import numpy as np
    import numpy.typing as npt

#: the ledger's stamp: the first bytes of a body, which tell one message from every other
STAMP_BYTES = 16
#: of the number that a stamp holds behind its tag: the producer stands above so many bits of sequence
SEQUENCE_BITS = 54

Int64s: TypeAlias = "npt.NDArray[np.int64]"


class Outcome(StrEnum):
    """What became of a published message, as far as its sender knows."""

    CONFIRMED = "confirmed"
    RETURNED = "returned"  # unroutable; confirmed *and* returned is returned
    NACKED = "nacked"
    UNKNOWN = "unknown"  # no answer: the connection closed, or the deadline came first


class Bodies(Sequence[bytes]):
    """Bodies of one size that differ in their stamps alone; as ``bytes`` they are made when asked for."""

    #: of one body, bytes
    size: int
    #: what stands behind the stamp in every one of them
    rest: bytes

    @abstractmethod
    def spelled(self) -> tuple[bytes, Sequence[bytes]] | None:
        """How all the stamps begin, and how each goes on; None when they do not begin alike."""


class Stamps(Sequence[bytes]):
    """A column of stamps, each whole, in one piece.

    :param joined: one behind the other
    """

    def __init__(self, joined: bytes) -> None:
        self.joined = joined

    def __len__(self) -> int:
        return len(self.joined) // STAMP_BYTES

    def __iter__(self) -> Iterator[bytes]:
        return (self.joined[at : at + STAMP_BYTES] for at in range(0, len(self.joined), STAMP_BYTES))

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(index, slice):
            return tuple(self)[index]
        at = range(0, len(self.joined), STAMP_BYTES)[index]
        return self.joined[at : at + STAMP_BYTES]


class ConnectionLost(Exception):
    """The connection is gone. What was submitted and not answered is ``unknown``."""


class CallFailed(Exception):
    """The target answered a call with an error; the connection is well and the call may be made again.

    :param code: the target's name for the error, such as ``ThrottlingException``
    :param taken: ``submit`` only: how many messages of the batch were taken before the call that failed.
        Those will be answered; the rest were not submitted.
    :param said: what the target told of it besides
    :param count: how many operations failed with it
    """

    def __init__(self, code: str, taken: int = 0, said: str = "", count: int = 1) -> None:
        self.code, self.taken, self.said, self.count = code, taken, said, count
        super().__init__(f"{code}: {said}" if said else code)


# These are made for every few messages, and a frozen dataclass takes a microsecond longer to make.


@dataclass(slots=True)
class Answers:
    """Answers to submitted messages, one entry a message in each column: a range, list, tuple or array.

    ``error``: of a message that is ``unknown`` since its call failed, what that counts as (the target's
    code, or ``connection_lost``), else None; empty of a sender that raises what fails.
    """

    sequence: Sequence[int]
    outcome: Sequence[Outcome]
    sent_ns: Sequence[int]
    answered_ns: Sequence[int]
    error: Sequence[str | None] = field(default=())
    #: sends that failed and were made again, as (what it counts as, monotonic ns)
    failed: Sequence[tuple[str, int]] = field(default=())
    #: when each call was answered that may carry several messages; empty of a sender that makes no such calls
    calls: Sequence[int] = field(default=())


@dataclass(slots=True)
class Deliveries:
    """Messages in hand, one entry a message in each column.

    ``stamp`` holds the first 16 bytes of each body (the ledger's stamp; shorter when the body is).
    ``asked_ns`` is when the ask was made; -1 for a push consumer, which has no ask.
    ``handle`` is what ``settle`` wants back.
    """

    stamp: Sequence[bytes]
    asked_ns: Sequence[int]
    in_hand_ns: Sequence[int]
    redelivered: Sequence[bool]
    handle: Sequence[object]
    #: asks that came back empty since the last poll, as (asked_ns, answered_ns)
    empty: Sequence[tuple[int, int]] = field(default=())
    #: asks that failed beside others that did not, as (what it counts as, monotonic ns)
    failed: Sequence[tuple[str, int]] = field(default=())
    #: when each ask was answered that may bring several messages, and brought some
    calls: Sequence[int] = field(default=())


@dataclass(slots=True)
class Settled:
    """Settlements since the last poll. An AMQP ack has no reply: ``replied_ns`` is then -1."""

    handle: Sequence[object]
    called_ns: Sequence[int]
    replied_ns: Sequence[int]
    #: settlements that failed beside others that did not, as (what it counts as, monotonic ns)
    failed: Sequence[tuple[str, int]] = field(default=())
    #: those that are refused for good: they come again, or are gone
    refused: Sequence[object] = field(default=())
    #: when each call was answered that may settle several messages
    calls: Sequence[int] = field(default=())


class Sender(Protocol):
    def submit(self, sequences: Sequence[int], bodies: Sequence[bytes]) -> None:
        """Hand over messages; raises ConnectionLost, CallFailed."""

    def poll(self, timeout_s: float) -> Answers:
        """Answers that have come; waits up to ``timeout_s`` for the first. Raises ConnectionLost."""

    def close(self) -> None:
        """Close in order, so that nothing the target took is lost by a reset. Never raises."""


class Receiver(Protocol):
    def receive(self, timeout_s: float) -> Deliveries:
        """Ask (or wait, for a push consumer) for messages, at most the window at once.

        An empty answer returns at once with an entry in ``empty``. Raises ConnectionLost, CallFailed.
        """

    def settle(self, handles: Sequence[object]) -> Settled:
        """Acknowledge or delete, one call a message unless the case says otherwise.

        Returns those that are settled. Raises ConnectionLost; CallFailed when the first of them failed
        (after that, what was settled is returned and the rest may be handed in again).
        """

    def close(self) -> None:
        """Close in order; what is unsettled goes back to the queue. Never raises."""


#: how long one call may take before its connection counts as lost, seconds
CALL_TIMEOUT_S = 30.0
#: how long a connection may be one that the broker says it takes nothing from (connection.blocked), seconds:
#: the longest alarm that a case may ask for, and a call's time beyond it
BLOCKED_TIMEOUT_S = MAX_FAULT_S + CALL_TIMEOUT_S


class Client(Protocol):
    """Made from a case's workload and where its target is; see ``clients.factory``."""

    name: str  # "pika", "boto3", "native"

    def sender(self, queue: str) -> Sender:
        """Open a connection that publishes to ``queue``. Raises ConnectionLost."""

    def receiver(self, queue: str) -> Receiver:
        """Open a connection that consumes from ``queue``. Raises ConnectionLost."""

    def close(self) -> None:
        """Release what the client holds. Never raises."""
