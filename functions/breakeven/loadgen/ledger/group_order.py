"""Check that a group's messages were in hand in their order, whichever of a loader's consumers took them.

A FIFO queue hands out a group's next message once those before it are deleted, to any consumer. The ledger
compares what each consumer had in hand with itself; this compares all of them by the clock that they share.
Consumers of other loaders have clocks of their own, and are not compared.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence

import numpy as np

from breakeven.loadgen.ledger.ledger import Receipts

#: producer, sequence, in_hand_ns; 24 bytes a message
_COLUMNS = 3


class GroupOrder:
    """Of groups that are the producers'. Every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parts: list[np.ndarray[tuple[int, int], np.dtype[np.int64]]] = []

    def took(self, receipts: Receipts, redelivered: Sequence[bool], in_hand_ns: Sequence[int]) -> None:
        """Messages in hand, one entry a message in each column; copies and redelivered ones have no place."""
        table = np.array([receipts.producer, receipts.sequence, in_hand_ns], np.int64)
        kept = np.asarray(receipts.is_new, bool) & ~np.asarray(redelivered, bool)
        with self._lock:
            self._parts.append(table[:, kept])

    def out_of_order(self) -> int:
        """Messages that were in hand after a later one of their group."""
        with self._lock:
            table = np.concatenate([np.empty((_COLUMNS, 0), np.int64), *self._parts], axis=1)
        # stable: what one answer brought has one instant, and the order of the answer
        producer, sequence, _ = table[:, np.lexsort((table[2], table[0]))]
        late = 0
        for begins, ends in _runs(producer):
            own = sequence[begins:ends]
            late += int(np.count_nonzero(own < np.maximum.accumulate(own)))
        return late


def _runs(producer: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[tuple[int, int]]:
    """Where each producer's messages begin and end."""
    edges = [0, *(np.flatnonzero(np.diff(producer)) + 1).tolist(), len(producer)]
    return list(itertools.pairwise(edges))
