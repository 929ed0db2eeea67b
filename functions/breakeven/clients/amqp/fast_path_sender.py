"""A sender whose connection the core drives: prepared frames, the ring of what is unanswered, the columns."""

from __future__ import annotations

from collections.abc import MutableMapping

import numpy as np

from breakeven.clients.amqp.encoding import ACK_HEAD, END, Publishing
from breakeven.clients.amqp.fast_path_connection import LATE_NS, FastPathConnection, size_obstacle
from breakeven.clients.amqp.in_flight import InFlight, Run
from breakeven.clients.amqp.link import Link
from breakeven.clients.base import CALL_TIMEOUT_S, STAMP_BYTES, Outcome
from breakeven.clients.core.loading import core
from breakeven.clients.core.memory import address
from breakeven.clients.core.messages import Messages
from breakeven.clients.core.structs import End, Sending
from breakeven.clients.fast_path import Origin, SendBatch, Sent
from breakeven.workload.case import Workload

#: memory for prepared frames, bytes; a message that needs more is the general path's
_PREPARED = 1 << 20
_ROOM = f"the core has room for {_PREPARED:,}"
_TIMEOUT_NS = round(CALL_TIMEOUT_S * 1e9)
#: a larger window is the general path's
MOST_WINDOW = 65_536


class FastPathSender:
    """Made by :func:`fast_path_sender`; used by the one thread that uses the sender."""

    def __init__(self, link: Link, workload: Workload, origin: Origin, row: bytes, stamp_at: int) -> None:
        library = core()
        assert library is not None
        self._link, self._origin = link, origin
        self._struct = struct = Sending()
        rows = max(1, min(workload.window, _PREPARED // len(row)))
        self._driven = FastPathConnection(link, struct, library.sending_run, workload.window, rows * len(row))
        self._driven.out.reshape(rows, len(row))[:] = np.frombuffer(row, np.uint8)
        struct.row_size, struct.rows, struct.stamp_at = len(row), rows, stamp_at
        outcome = Outcome.CONFIRMED if workload.confirms else Outcome.UNKNOWN
        self._messages = Messages(struct, origin, workload.window, outcome)
        struct.confirms, self._confirm = workload.confirms, np.frombuffer(ACK_HEAD, np.uint8)
        struct.confirm = address(self._confirm)
        # without confirms a message is answered when it is written, however long that takes
        self._late_ns = LATE_NS if workload.confirms else _TIMEOUT_NS
        self._entered = False

    def send(
        self, batch: SendBatch, until_ns: int, in_flight: InFlight, due: MutableMapping[int, int]
    ) -> Sent | None:
        """See ``SendsOnFastPath``; ``in_flight``: the general path's, which keeps nothing meanwhile."""
        if not self._driven.may_run() or not self._enter(batch.first, in_flight, due):
            return None
        self._messages.asked(batch)
        end = self._driven.run(until_ns, self._late_ns)
        sent = self._messages.sent()
        if end in (End.OVER, End.FULL) and not self._messages.are_overdue(_TIMEOUT_NS):
            return sent
        self.leave(in_flight, due)
        self._driven.conclude(end)
        return sent

    def leave(self, in_flight: InFlight, due: MutableMapping[int, int]) -> None:
        """Hand what is unanswered over to the general path."""
        if not self._entered:
            return
        struct, runs = self._struct, []
        for tag in range(struct.oldest_tag, struct.next_tag):
            due_ns, sent_ns = self._messages.flight(tag)
            if sent_ns < 0:
                continue
            sequence = tag + struct.shift
            runs.append(Run(tag, sequence, 1, sent_ns, self._origin.bodies(sequence, 1), 0))
            due[sequence] = due_ns
        in_flight.put_back(runs, struct.next_tag)
        self._entered = self._link.driven_elsewhere = False

    def _enter(self, first: int, in_flight: InFlight, due: MutableMapping[int, int]) -> bool:
        """Take over what is unanswered; False where it is not of consecutive sequences, as tags are."""
        struct = self._struct
        if self._entered:
            return True
        shift, flights = first - in_flight.next, self._messages.flights
        runs = in_flight.runs()
        if any(run.sequence - run.tag != shift for run in runs) or len(in_flight) > struct.window:
            return False
        oldest = runs[0].tag if runs else in_flight.next
        if in_flight.next - oldest > struct.mask:
            return False
        flights["sent_ns"] = -1
        for run in runs:
            for tag in range(run.tag, run.tag + run.count):
                flights[tag & struct.mask] = (due.pop(tag + shift, run.sent_ns), run.sent_ns)
        struct.shift, struct.next_tag, struct.oldest_tag = shift, in_flight.next, oldest
        struct.in_flight = len(in_flight)
        in_flight.clear()
        self._entered = self._link.driven_elsewhere = True
        return True


def fast_path_sender(
    link: Link, publishing: Publishing, workload: Workload, origin: Origin
) -> FastPathSender | str:
    """The sender, or in words why these are no messages for the core.

    :param link: one that the core can drive
    """
    if too_large := size_obstacle(link, origin.size):
        return too_large
    if workload.window > MOST_WINDOW:
        return f"{workload.window:,} messages of a producer may be unanswered: the core keeps {MOST_WINDOW:,}"
    head = publishing.head(origin.size)
    assert head is not None  # one frame holds a body
    row = head + bytes(STAMP_BYTES) + origin.rest + END
    if len(row) > _PREPARED:
        return f"a message of {origin.size:,} bytes takes {len(row):,} with its frames: {_ROOM}"
    return FastPathSender(link, workload, origin, row, len(head))
