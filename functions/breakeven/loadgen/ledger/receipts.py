"""What a ledger says of messages in hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from breakeven.clients.columns import joined


@dataclass(frozen=True, slots=True)
class Receipts:
    """Messages in hand, one entry a message in each column.

    ``ours``: whether it is one of this case's; of others producer and sequence are -1. ``is_new``: the first
    copy that this loader received.
    """

    ours: Sequence[bool]
    producer: Sequence[int]
    sequence: Sequence[int]
    is_new: Sequence[bool]

    @classmethod
    def together(cls, parts: Sequence[Receipts]) -> Receipts:
        """One behind the other; at least one part."""
        return Receipts(
            joined([part.ours for part in parts]),
            joined([part.producer for part in parts]),
            joined([part.sequence for part in parts]),
            joined([part.is_new for part in parts]),
        )
