"""Loaders of a search go on where the store that they share fails for a moment, not where it stays so."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.errors import CaseError
from breakeven.loadgen.search.talk import PAUSE_S, TOLERATED_FAILURES, Talk
from tests.support.scripted.fake_meeting import FakeMeeting


class Failing:
    """A coordinator of which so many calls fail before one goes well."""

    def __init__(self, failures: int, error: Exception) -> None:
        self._coordinator, self._left, self._error = FakeMeeting(2).of(0), failures, error
        self.pauses: list[float] = []

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            self._left -= 1
            if self._left >= 0:
                raise self._error
            return getattr(self._coordinator, name)(*args, **kwargs)

        return call


def talk(failures: int, error: Exception | None = None) -> tuple[Talk, Failing]:
    coordinator: Any = Failing(failures, error or OSError("throttled"))
    return Talk(coordinator, coordinator.pauses.append), coordinator


def test_a_few_calls_in_a_row_may_fail() -> None:
    talking, coordinator = talk(TOLERATED_FAILURES - 1)
    talking.tell(order="one")
    assert talking.posted_by(0) == {"order": "one"}
    assert talking.posted_by_all() == {0: {"order": "one"}}
    assert coordinator.pauses == [PAUSE_S] * (TOLERATED_FAILURES - 1)


def test_a_store_that_stays_away_fails_the_case_with_its_error() -> None:
    talking, _ = talk(TOLERATED_FAILURES)
    with pytest.raises(CaseError, match="the loader cannot reach the others: OSError: throttled"):
        talking.posted_by_all()


def test_a_case_that_has_ended_is_not_asked_for_again() -> None:
    talking, coordinator = talk(1, CaseError("the case was ended"))
    with pytest.raises(CaseError, match="the case was ended"):
        talking.posted_by(0)
    assert coordinator.pauses == []
