"""Bodies of several sizes: which message has which."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from breakeven.loadgen.record.timestamps import Int64s
from breakeven.workload.case import Case


class BodySizes:
    """Of each hundred of a producer's messages as many have each size as the mix says.

    Their order is the producer's own and the same for each hundred, so that whoever receives a message knows
    its size by the stamp alone. The seed is the case's tag. May be asked from any thread.

    :param case: one whose messages are a mix
    """

    def __init__(self, case: Case) -> None:
        shares = case.workload.message_mix
        self._tag = case.tag
        self._hundred = np.repeat([share.bytes for share in shares], [share.percent for share in shares])
        self._orders: dict[int, Int64s] = {}

    def of(self, producer: int, sequences: Sequence[int]) -> Int64s:
        """Bytes of a producer's messages, one entry a message."""
        order = self._orders.get(producer)
        if order is None:
            digest = hashlib.sha256(f"{self._tag}/{producer}/sizes".encode()).digest()
            random = np.random.default_rng(int.from_bytes(digest[:8], "big"))
            order = self._orders[producer] = random.permutation(self._hundred)
        return order[np.asarray(sequences, np.int64) % len(order)]

    def of_many(self, producers: Sequence[int], sequences: Sequence[int]) -> Int64s:
        """The same of several producers' messages."""
        by, numbers = np.asarray(producers, np.int64), np.asarray(sequences, np.int64)
        sizes = np.zeros(len(numbers), np.int64)
        for producer in np.unique(by).tolist():
            own = by == producer
            sizes[own] = self.of(producer, numbers[own])
        return sizes
