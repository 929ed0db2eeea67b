"""A receiver whose connection the core drives: the shape of what is pushed, and the columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from breakeven.clients.alone import Ours, Taken
from breakeven.clients.amqp.alone import Alone
from breakeven.clients.amqp.encoding import ACK
from breakeven.clients.amqp.link import Link
from breakeven.clients.amqp.shape import DeliveryShape
from breakeven.clients.base import STAMP_BYTES, Deliveries, Stamps
from breakeven.clients.core.loading import core
from breakeven.clients.core.memory import address, characters
from breakeven.clients.core.structs import End, Receiving
from breakeven.workload.case import Workload

#: messages that one call tells of
_COLUMNS = 8192


class AloneReceiver:
    """Made by :func:`alone_receiver`; used by the one thread that uses the receiver."""

    def __init__(
        self, link: Link, size: int, pieces: Sequence[bytes], workload: Workload, ours: Ours
    ) -> None:
        library = core()
        assert library is not None
        self._struct = struct = Receiving()
        out_size = _COLUMNS * len(ACK)
        self._alone = Alone(link, struct, library.receiving_run, workload.prefetch, out_size)
        self._pieces = [np.frombuffer(piece, np.uint8) for piece in pieces]
        struct.head, struct.before, struct.after = map(address, self._pieces)
        struct.head_size, struct.before_size, struct.after_size = map(len, self._pieces)
        struct.size = size
        characters(struct.tag, ours.tag)
        characters(struct.ack, ACK)
        struct.producers = ours.producers
        self._tags = np.zeros(_COLUMNS, np.uint64)
        self._redelivered = np.zeros(_COLUMNS, np.uint8)
        self._stamps = np.zeros(_COLUMNS * STAMP_BYTES, np.uint8)
        self._in_hand_ns = np.zeros(_COLUMNS, np.int64)
        struct.columns, struct.tags = _COLUMNS, address(self._tags)
        struct.redelivered, struct.stamps = address(self._redelivered), address(self._stamps)
        struct.in_hand_ns = address(self._in_hand_ns)

    def receive(self, until_ns: int) -> Taken | None:
        """See ``ReceivesAlone.receive_alone``."""
        if not self._alone.may_run():
            return None
        end = self._alone.run(until_ns)
        count = self._struct.count
        flags = self._redelivered[:count]
        taken = Deliveries(
            stamp=Stamps(self._stamps[: count * STAMP_BYTES].tobytes()),
            asked_ns=(-1,) * count,
            in_hand_ns=self._in_hand_ns[:count].copy(),  # type: ignore[arg-type]
            redelivered=flags.astype(bool).tolist() if flags.any() else (False,) * count,
            handle=self._tags[:count].tolist(),
        )
        if end not in (End.OVER, End.FULL):
            self._alone.conclude(end)
        return Taken(taken)


def alone_receiver(
    link: Link, shape: DeliveryShape | None, workload: Workload, ours: Ours
) -> AloneReceiver | None:
    """None where these are no messages for the core, on a link that it can drive."""
    if shape is None or shape.pieces is None:
        return None
    return AloneReceiver(link, shape.size, shape.pieces, workload, ours)
