"""Parts that both protocols' senders lend the core: the ring of what is unanswered, and the columns."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from breakeven.clients.base import SEQUENCE_BITS, Int64s, Outcome
from breakeven.clients.core.memory import address
from breakeven.clients.core.structs import Sending
from breakeven.clients.fast_path import Origin, SendBatch, Sent

#: messages that one call tells of, beside twice the window
COLUMNS = 8192
#: times the window: how far the newest message may be from the oldest that is unanswered. A broker confirms
#: out of order, and one may wait for a disk or a mirror while many others go
OVERTAKEN = 16
_FLIGHT = np.dtype([("due_ns", np.int64), ("sent_ns", np.int64)])
_NAMES = ("could_ns", "handed_ns", "sequence", "answer_due_ns", "answer_sent_ns", "answer_ns")


class Messages:
    """Of one producer's sender; filled into a ``struct``, which it must outlive.

    :param window: messages without an answer, at most
    :param outcome: of those that are answered
    """

    def __init__(self, struct: Sending, origin: Origin, window: int, outcome: Outcome) -> None:
        self._struct, self._origin, self._outcome = struct, origin, outcome
        struct.base = origin.producer << SEQUENCE_BITS & ((1 << 64) - 1)
        tag = origin.tag + bytes((origin.producer >> 64 - SEQUENCE_BITS,))
        struct.tag[: len(tag)] = tag
        struct.window, struct.together_ns = window, origin.together_ns
        ring = 1 << (OVERTAKEN * window).bit_length()
        #: by tag, modulo their number
        self.flights = np.zeros(ring, _FLIGHT)
        self.flights["sent_ns"] = -1
        struct.flights, struct.mask = address(self.flights), ring - 1
        if origin.times is not None:
            struct.newest, struct.times = address(origin.times), address(origin.times[1:])
            struct.keep = len(origin.times) - 1
        self._columns = np.zeros((len(_NAMES), COLUMNS + 2 * window), np.int64)
        struct.columns = self._columns.shape[1]
        for name, column in zip(_NAMES, self._columns, strict=True):
            setattr(struct, name, address(column))

    def asked(self, batch: SendBatch) -> None:
        """What is to be sent in the next call."""
        assert batch.most <= COLUMNS
        struct, due_ns = self._struct, batch.due_ns
        struct.due_ns = None if due_ns is None else address(due_ns)
        struct.most, struct.when_sent = batch.most, batch.when_sent
        struct.room_since_ns = max(struct.room_since_ns, batch.room_since_ns)

    def flight(self, tag: int) -> tuple[int, int]:
        """When the message in that tag was due, and when it was sent; that is -1 once it is answered."""
        due_ns, sent_ns = self.flights[tag & self._struct.mask].tolist()
        return due_ns, sent_ns

    def are_overdue(self, timeout_ns: int) -> bool:
        """Has the oldest that is unanswered had all the time that an answer may take?"""
        struct = self._struct
        if struct.oldest_tag == struct.next_tag:
            return False
        return time.monotonic_ns() - self.flight(struct.oldest_tag)[1] > timeout_ns

    def sent(self) -> Sent:
        """What the last call did."""
        struct, columns = self._struct, self._columns
        sent, answered = struct.sent, struct.answered
        return Sent(
            could_ns=columns[0, :sent].copy(),
            handed_ns=columns[1, :sent].copy(),
            sequence=_as_range(columns[2, :answered]),
            outcome=self._outcome,
            due_ns=columns[3, :answered].copy(),
            sent_ns=columns[4, :answered].copy(),
            answered_ns=columns[5, :answered].copy(),
            blocked_ns=struct.blocked_ns,
            room_since_ns=struct.room_since_ns,
        )


def _as_range(sequence: Int64s) -> Sequence[int]:
    """A ledger takes a range sooner."""
    count = len(sequence)
    if not count:
        return range(0)
    first = int(sequence[0])
    if int(sequence[-1]) - first == count - 1 and (count < 3 or bool((np.diff(sequence) == 1).all())):
        return range(first, first + count)
    listed: list[int] = sequence.tolist()
    return listed
