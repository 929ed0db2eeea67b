"""A receiver whose connection the core drives: an ask, a message, its deletion, and the next ask."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from ctypes import addressof

import numpy as np

from breakeven.clients.base import (
    CALL_TIMEOUT_S,
    STAMP_BYTES,
    CallFailed,
    ConnectionLost,
    Deliveries,
    Stamps,
)
from breakeven.clients.core.loading import core
from breakeven.clients.core.memory import address
from breakeven.clients.core.structs import Asking, End, State
from breakeven.clients.fast_path import Cycles, Ours, Received
from breakeven.clients.sqs.connection import Connection
from breakeven.clients.sqs.fast_path_connection import SIGNATURE, FastPathConnection, SignedCall
from breakeven.clients.sqs.operations import Operation

#: messages, and empty asks, that one call tells of
_COLUMNS = 4096
#: what an answer may have beside a message's body, and what a receipt handle may have, bytes
_BESIDE, _HANDLE_BYTES = 16_384, 4096
#: what stands in a deletion between its signature and its document
_HEADERS = 64
_NAMES = (
    *("taken_asked_ns", "in_hand_ns", "settled_asked_ns", "settled_called_ns", "replied_ns"),
    *("empty_asked_ns", "empty_answered_ns"),
)
_CALL_NS = round(CALL_TIMEOUT_S * 1e9)


class FastPathReceiver:
    """Of one message an ask; used by the one thread that uses the receiver.

    :param ask: the document of an ask
    :param before: that of a deletion, up to the handle
    :param wait_s: how long an ask may wait for a message
    :param size: of a message's body, bytes
    :param taken: what a whole answer to an ask brings, whatever it looks like
    """

    def __init__(
        self,
        connection: Connection,
        asks: Operation,
        deletions: Operation,
        ours: Ours,
        *,
        ask: bytes,
        before: bytes,
        wait_s: int,
        size: int,
        taken: Callable[[bytes, int], Deliveries],
    ) -> None:
        library = core()
        assert library is not None
        self._asks, self._deletions, self._ask, self._before = asks, deletions, ask, before
        self._deliveries = taken
        self._struct = struct = Asking()
        self._driven = FastPathConnection(connection, struct, library.asking_run, size + _BESIDE)
        self._call, self._second = SignedCall(), -1
        struct.deletion = addressof(self._call.struct)
        self._document, self._handle = np.frombuffer(before, np.uint8), np.zeros(_HANDLE_BYTES, np.uint8)
        struct.before, struct.before_size = address(self._document), len(before)
        struct.handle, struct.handle_room = address(self._handle), _HANDLE_BYTES
        struct.comes_back, struct.producers = wait_s == 0, ours.producers
        struct.tag[: len(ours.tag)] = ours.tag
        self._columns = dict(zip(_NAMES, np.zeros((len(_NAMES), _COLUMNS), np.int64), strict=True))
        for name, column in self._columns.items():
            setattr(struct, name, address(column))
        self._redelivered = np.zeros(_COLUMNS, np.uint8)
        self._stamps = np.zeros(_COLUMNS * STAMP_BYTES, np.uint8)
        struct.redelivered, struct.stamps = address(self._redelivered), address(self._stamps)
        struct.columns = _COLUMNS
        self._ask_ns = _CALL_NS + round(wait_s * 1e9)

    def receive(self, until_ns: int) -> Received:
        """See ``ReceivesOnFastPath.receive_on_fast_path``."""
        self._renew()
        end = self._driven.run(until_ns, until_ns + _CALL_NS)
        received = self._received()
        if end not in (End.OVER, End.FULL):
            self._conclude(end, received)
        elif self._is_overdue():
            self._lose(end, received)
        return received

    def _renew(self) -> None:
        """Write the requests of this second. Raises ConnectionLost, CallFailed."""
        parts = self._deletions.parts()
        if parts.second == self._second or self._driven.is_writing:
            return
        ask = self._asks.parts().request(self._ask)
        self._call.renew(parts, self._before)
        room = SIGNATURE + _HEADERS + len(self._before) + _HANDLE_BYTES
        self._driven.put(ask + parts.head + bytes(room))
        self._struct.ask_size = self._struct.deletion_at = len(ask)
        self._second = parts.second

    def _received(self) -> Received:
        struct = self._struct
        count, empty, settled = struct.taken, struct.empty, struct.settled
        flags = self._redelivered[:count]
        deliveries = Deliveries(
            stamp=Stamps(self._stamps[: count * STAMP_BYTES].tobytes()),
            asked_ns=self._column("taken_asked_ns", count),  # type: ignore[arg-type]
            in_hand_ns=self._column("in_hand_ns", count),  # type: ignore[arg-type]
            redelivered=flags.astype(bool).tolist() if flags.any() else (False,) * count,
            handle=(),
            empty=self._pairs(empty),
        )
        names = ("settled_asked_ns", "settled_called_ns", "replied_ns")
        return Received(deliveries, Cycles(*(self._column(name, settled) for name in names)))

    def _column(self, name: str, count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return self._columns[name][:count].copy()

    def _pairs(self, count: int) -> Sequence[tuple[int, int]]:
        if not count:
            return ()
        asked, answered = (self._columns[name][:count] for name in ("empty_asked_ns", "empty_answered_ns"))
        return list(zip(asked.tolist(), answered.tolist(), strict=True))

    def _conclude(self, end: End, received: Received) -> None:
        """What the core has left: an answer that is not as always, or the connection's end."""
        state = State(self._struct.state)
        if state in (State.IDLE, State.IN_HAND):  # an idle connection: no call is lost by it
            self._driven.drop()
            received.unsettled = self._in_hand()
        elif end is not End.UNUSUAL:
            self._lose(end, received)
        else:
            try:
                self._finish(state, received)
            except (CallFailed, ConnectionLost) as error:
                received.error = error
                if isinstance(error, CallFailed):
                    received.unsettled = self._in_hand()
        self._struct.state = State.IDLE

    def _finish(self, state: State, received: Received) -> None:
        """Read the answer to the end. Raises CallFailed, ConnectionLost."""
        struct = self._struct
        begun = self._driven.begun(struct.called_ns if state is State.DELETING else struct.asked_ns)
        if state is State.DELETING:
            self._deletions.rest_of_call(begun)
            assert received.settled is not None
            of = (struct.asked_ns, struct.called_ns, time.monotonic_ns())
            columns = (received.settled.asked_ns, received.settled.called_ns, received.settled.replied_ns)
            received.settled = Cycles(*(np.append(*each) for each in zip(columns, of, strict=True)))
            received.by_general += 1
            return
        found = self._deliveries(self._asks.rest_of_call(begun), struct.asked_ns)
        if len(found.handle):
            received.in_hand = found
        else:
            received.deliveries.empty = [*received.deliveries.empty, *found.empty]

    def _lose(self, end: End, received: Received) -> None:
        """What was in hand is handed out again; what an ask has brought, too, if it brought anything."""
        received.error = self._driven.lost(end)
        self._struct.state = State.IDLE

    def _in_hand(self) -> dict[object, int]:
        """The message that is not settled, for the worker to go on with."""
        struct = self._struct
        if struct.state not in (State.IN_HAND, State.DELETING):
            return {}
        return {self._handle[: struct.handle_size].tobytes().decode(): struct.asked_ns}

    def _is_overdue(self) -> bool:
        struct = self._struct
        if struct.state == State.IDLE:
            return False
        since_ns, may_ns = struct.called_ns, _CALL_NS
        if struct.state == State.ASKED:
            since_ns, may_ns = struct.asked_ns, self._ask_ns
        return bool(time.monotonic_ns() - since_ns > may_ns)
