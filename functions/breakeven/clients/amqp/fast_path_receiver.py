"""A receiver whose connection the core drives: the shape of what is pushed, and the columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from breakeven.clients.amqp.coalescing import HOLD_ACKS_S
from breakeven.clients.amqp.encoding import ACK, ACK_UP_TO
from breakeven.clients.amqp.fast_path_connection import FastPathConnection
from breakeven.clients.amqp.link import Link
from breakeven.clients.base import STAMP_BYTES, Deliveries, Stamps
from breakeven.clients.core.loading import core
from breakeven.clients.core.memory import address
from breakeven.clients.core.structs import End, Receiving
from breakeven.clients.fast_path import Ours, Received
from breakeven.workload.case import Workload

#: messages that one call tells of
_COLUMNS = 8192


class FastPathReceiver:
    """Of messages of one shape; used by the one thread that uses the receiver.

    :param size: of a whole message, bytes; ``pieces``: as ``DeliveryShape`` has them
    """

    def __init__(
        self, link: Link, size: int, pieces: Sequence[bytes], workload: Workload, ours: Ours
    ) -> None:
        library = core()
        assert library is not None
        self._struct = struct = Receiving()
        in_hand, out_size = workload.most_in_hand, (_COLUMNS + 1) * len(ACK)
        self._driven = FastPathConnection(link, struct, library.receiving_run, in_hand, out_size)
        self._pieces = [np.frombuffer(piece, np.uint8) for piece in pieces]
        struct.head, struct.before, struct.after = map(address, self._pieces)
        struct.head_size, struct.before_size, struct.after_size = map(len, self._pieces)
        struct.size = size
        struct.tag[: len(ours.tag)] = ours.tag
        self._acknowledge(workload.ack_every if workload.acks else 0)
        struct.hold_ns = round(HOLD_ACKS_S * 1e9)
        struct.producers = ours.producers
        self._tags = np.zeros(_COLUMNS, np.uint64)
        self._redelivered = np.zeros(_COLUMNS, np.uint8)
        self._stamps = np.zeros(_COLUMNS * STAMP_BYTES, np.uint8)
        self._in_hand_ns = np.zeros(_COLUMNS, np.int64)
        struct.columns, struct.tags = _COLUMNS, address(self._tags)
        struct.redelivered, struct.stamps = address(self._redelivered), address(self._stamps)
        struct.in_hand_ns = address(self._in_hand_ns)

    def acknowledge_each(self) -> None:
        """From now on, as there is a message that is not to be settled with those behind it."""
        self._acknowledge(min(1, self._struct.ack_every))

    def _acknowledge(self, every: int) -> None:
        self._struct.ack_every = every
        self._struct.ack[: len(ACK)] = ACK_UP_TO if every > 1 else ACK

    def receive(self, until_ns: int) -> Received | None:
        """See ``ReceivesOnFastPath.receive_on_fast_path``."""
        if not self._driven.may_run():
            return None
        end = self._driven.run(until_ns)
        count = self._struct.count
        flags = self._redelivered[:count]
        deliveries = Deliveries(
            stamp=Stamps(self._stamps[: count * STAMP_BYTES].tobytes()),
            asked_ns=(-1,) * count,
            in_hand_ns=self._in_hand_ns[:count].copy(),  # type: ignore[arg-type]
            redelivered=flags.astype(bool).tolist() if flags.any() else (False,) * count,
            handle=self._tags[:count].tolist(),
        )
        if end not in (End.OVER, End.FULL):
            self._driven.conclude(end)
        return Received(deliveries)
