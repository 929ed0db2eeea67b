"""Answers to a sender's messages that it has not passed on yet."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.clients.base import Answers, Outcome
from breakeven.clients.columns import alike, joined, repeated


class AnswerBuffer:
    """Answers in the order in which they came, by parts that were sent together and answered together."""

    def __init__(self) -> None:
        self._parts: list[tuple[Sequence[int], Sequence[Outcome], int, int]] = []

    def add(
        self, sequences: Sequence[int], outcomes: Sequence[Outcome], sent_ns: int, answered_ns: int
    ) -> None:
        """One outcome for each of the sequences; at least one."""
        self._parts.append((sequences, outcomes, sent_ns, answered_ns))

    def take(self) -> Answers:
        """All of them, which are passed on once."""
        if len(self._parts) == 1:
            ((sequences, outcomes, sent, answered),) = self._parts
            self._parts = []
            count = len(sequences)
            return Answers(sequences, outcomes, alike(sent, count), alike(answered, count))
        if not self._parts:
            return Answers((), (), (), ())
        sequences, outcomes, sent_ns, answered_ns = zip(*self._parts, strict=True)
        self._parts = []
        return Answers(
            joined(sequences),
            joined(outcomes),
            repeated(sent_ns, sequences),
            repeated(answered_ns, sequences),
        )
