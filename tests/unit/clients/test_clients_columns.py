"""Answers put together say what the parts said."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from breakeven.clients.base import Answers, Outcome
from breakeven.clients.columns import together

CONFIRMED, UNKNOWN = Outcome.CONFIRMED, Outcome.UNKNOWN


def part(first: int, count: int, outcome: Outcome = CONFIRMED, error: Sequence[str | None] = ()) -> Answers:
    sequences = range(first, first + count)
    return Answers(sequences, [outcome] * count, [first] * count, np.full(count, 7), error)  # type: ignore[arg-type]


def listed(answers: Answers) -> tuple[list[int], list[Outcome], list[int], list[int], list[str | None]]:
    return (
        list(answers.sequence),
        list(answers.outcome),
        list(map(int, answers.sent_ns)),
        list(map(int, answers.answered_ns)),
        list(answers.error),
    )


def test_batches_that_continue_each_other_stay_a_range() -> None:
    found = together(Answers, [part(0, 3), part(3, 60)])
    assert found.sequence == range(63)
    assert listed(found) == (list(range(63)), [CONFIRMED] * 63, [0] * 3 + [3] * 60, [7] * 63, [])


def test_gaps_stay_gaps() -> None:
    found = together(Answers, [part(5, 1), part(1, 2)])
    assert listed(found) == ([5, 1, 2], [CONFIRMED] * 3, [5, 1, 1], [7] * 3, [])


def test_an_error_of_one_part_stands_at_its_messages() -> None:
    found = together(Answers, [part(0, 2, error=(None, None)), part(2, 1, UNKNOWN, ("Throttled",))])
    assert listed(found)[4] == [None, None, "Throttled"]
    assert list(found.outcome) == [CONFIRMED, CONFIRMED, UNKNOWN]
