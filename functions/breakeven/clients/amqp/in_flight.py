"""Messages that were published and are not answered, in publishing order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from breakeven.clients.amqp.events import ProtocolError

#: answered entries at the front that are kept until it is worth the while to drop them
_SLACK = 4096


@dataclass(frozen=True, slots=True)
class Taken:
    """Messages that one answer was about, one entry a message in each column."""

    sequence: Sequence[int]
    sent_ns: Sequence[int]
    stamp: Sequence[bytes]


class InFlight:
    """Tags count from 1, as a channel's delivery tags do. Answers come mostly in order, not always."""

    def __init__(self) -> None:
        self._first = 1  # the tag of index 0
        self._head = 0  # the index of the oldest that is unanswered
        self._sequence: list[int] = []
        self._sent_ns: list[int] = []
        self._stamp: list[bytes] = []
        self._gone: set[int] = set()  # indices behind the head that were answered out of order

    def __len__(self) -> int:
        return len(self._sequence) - self._head - len(self._gone)

    @property
    def oldest_ns(self) -> int | None:
        """When the oldest of them was sent; None when there are none."""
        return self._sent_ns[self._head] if self._head < len(self._sent_ns) else None

    def add(self, sequences: Iterable[int], sent_ns: int, stamps: Sequence[bytes]) -> None:
        self._sequence += sequences
        self._sent_ns += [sent_ns] * len(stamps)
        self._stamp += stamps

    def take(self, tag: int, multiple: bool) -> Taken:
        """The messages that an answer is about: one, or with ``multiple`` all up to its tag (0: all).

        :raises ProtocolError: the tag was never published, or is answered already
        """
        index = len(self._sequence) - 1 if multiple and tag == 0 else tag - self._first
        if index >= len(self._sequence):
            raise ProtocolError(f"a confirm of message {tag}, which was not published")
        if multiple:
            return self._take_up_to(index + 1)
        if index < self._head or index in self._gone:
            raise ProtocolError(f"a second confirm of message {tag}")
        taken = self._at((index,))
        self._gone.add(index)
        self._advance(self._head)
        return taken

    def _take_up_to(self, end: int) -> Taken:
        head, self_gone = self._head, self._gone
        if end <= head:
            return Taken((), (), ())
        if self_gone:
            taken = self._at([index for index in range(head, end) if index not in self_gone])
        else:
            taken = Taken(self._sequence[head:end], self._sent_ns[head:end], self._stamp[head:end])
        self._gone = {index for index in self_gone if index >= end}
        self._advance(end)
        return taken

    def _at(self, indices: Sequence[int]) -> Taken:
        return Taken(
            [self._sequence[index] for index in indices],
            [self._sent_ns[index] for index in indices],
            [self._stamp[index] for index in indices],
        )

    def _advance(self, head: int) -> None:
        """Set the head, past those that went before their turn, and drop what lies before it."""
        while head in self._gone:
            self._gone.discard(head)
            head += 1
        self._head = head
        if head < _SLACK and head < len(self._sequence):
            return
        del self._sequence[:head], self._sent_ns[:head], self._stamp[:head]
        self._gone = {index - head for index in self._gone}
        self._first += head
        self._head = 0
