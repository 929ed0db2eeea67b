"""Exchange between the loaders of a search, through a store that fails now and then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from breakeven.errors import CaseError
from breakeven.loadgen.coordination import TOLERATED_FAILURES, Coordinator

#: the pause before a call that failed is made again, seconds
PAUSE_S = 0.5

Answer = TypeVar("Answer")


class Talk:
    """:param pause: sleeps so long, unless the case has ended"""

    def __init__(self, coordinator: Coordinator, pause: Callable[[float], None]) -> None:
        self._coordinator, self._pause = coordinator, pause

    def tell(self, **said: str) -> None:
        """Leave words for the others; again, they are the same. :raises CaseError: no call went well"""
        self._again(lambda: self._coordinator.tell(**said))

    def posted_by(self, loader: int) -> Mapping[str, str]:
        """What a loader has left last. :raises CaseError: as ``tell``"""
        return self._again(lambda: self._coordinator.posted_by(loader))

    def posted_by_all(self) -> Mapping[int, Mapping[str, str]]:
        """The same of all. :raises CaseError: as ``tell``"""
        return self._again(self._coordinator.posted_by_all)

    def _again(self, call: Callable[[], Answer]) -> Answer:
        for failures in range(1, TOLERATED_FAILURES + 1):
            try:
                return call()
            except CaseError:
                raise
            except Exception as error:
                if failures == TOLERATED_FAILURES:
                    reason = f"the loader cannot reach the others: {type(error).__name__}: {error}"
                    raise CaseError(reason) from error
                self._pause(PAUSE_S)
        raise AssertionError("the last failure is raised")
