"""Acknowledgements of a consumer on RabbitMQ: one for each message, one for several, or none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from breakeven.workload.case import Workload


class Acknowledging:
    """Of one channel. An acknowledgement of several settles all messages up to its tag, so that none of them
    may be somebody else's, which is never settled.
    """

    def __init__(self, workload: Workload) -> None:
        self._acks, self._every = workload.acks, workload.ack_every
        self._unsettled: dict[int, None] = {}  # in order; only where one may settle several

    def handed_out(self, tags: Iterable[int]) -> None:
        if self._every > 1:
            self._unsettled.update(dict.fromkeys(tags))

    def settle(self, tags: Sequence[Any]) -> tuple[Sequence[Any], bool]:
        """The tags to acknowledge, and whether with each goes all up to it.

        :param tags: of the messages to be settled, ascending, at least one
        """
        if not self._acks:
            return (), False
        if self._every == 1:
            return tags, False
        for tag in tags:
            self._unsettled.pop(tag, None)
        if self.holds_others and next(iter(self._unsettled)) < tags[-1]:
            return tags, False
        whole = list(tags[self._every - 1 :: self._every])
        return (whole if len(tags) % self._every == 0 else [*whole, tags[-1]]), True

    @property
    def holds_others(self) -> bool:
        """Is something in hand that was not settled with what came with it?"""
        return bool(self._unsettled)
