"""Record of a lane's warm-up."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from breakeven.planning.warm_up import ALIKE_SHARE
from breakeven.terms import Frozen
from breakeven.words import plural

BROKEN_OFF = "was broken off"


class Kind(Frozen):
    """One kind of work: ``rates`` are those of its windows, one after another, messages a second."""

    message_bytes: int
    consume: Literal["get", "push"] = "get"
    how: tuple[str, ...] = Field(
        default=(), description="what else tells it from the lane's others, in words"
    )
    rates: list[tuple[float, float]] = Field(description="sent and received")

    @property
    def is_steady(self) -> bool:
        """Were its last two windows alike?"""
        return len(self.rates) > 1 and not self._apart()

    def _apart(self) -> list[str]:
        """In which rates its last two windows were not alike: ``received 200, then 260``."""
        return [
            f"{what} {before:,.0f}, then {last:,.0f}"
            for what, before, last in zip(("sent", "received"), *self.rates[-2:], strict=True)
            if last <= 0 or abs(last - before) > ALIKE_SHARE * max(last, before)
        ]

    def words(self) -> str:
        """Such as ``1,024 B, sent in batches of 10: 640 msg/s sent at first, 3,420 at last (4 windows)``.

        Not ``640 to 3,420``, which is a range where sentences of several cases are said as one.
        """
        what = ", ".join(
            [f"{self.message_bytes:,} B", *(["pushed"] if self.consume == "push" else []), *self.how]
        )
        if not self.rates:
            return f"{what}: no time left"
        first, last = (f"{rates[0]:,.0f}" for rates in (self.rates[0], self.rates[-1]))
        ended = f"{first} msg/s sent at first, {last} at last ({plural(len(self.rates), 'window')})"
        if self.is_steady:
            return f"{what}: {ended}, steady"
        why = f" ({' and '.join(self._apart())})" if len(self.rates) > 1 else ""
        return f"{what}: {ended}, not steady{why}"


class WarmUp(Frozen):
    """A lane's warm-up: how long it took, and ``reason``, why it could not be gone on with."""

    seconds: float = 0.0
    kinds: tuple[Kind, ...] = ()
    reason: str | None = None

    @property
    def cold(self) -> str:
        """Why the lane may not be warm; empty where it is."""
        unsteady = [kind.words() for kind in self.kinds if not kind.is_steady]
        return "; ".join([*([f"its warm-up {self.reason}"] if self.reason else []), *unsteady])

    def words(self) -> str:
        """Such as ``6.2 s discarded; 1,024 B: 640 msg/s sent at first, 3,420 at last (4 windows)``."""
        kinds = [kind.words() for kind in self.kinds]
        return "; ".join([f"{self.seconds:g} s discarded", *kinds, *([self.reason] if self.reason else [])])
