"""The loaders of one capacity search: the first leads, and the others do what it orders.

Each offers its share of a rate from the same instant on. The first judges what all have handed in, and says
what comes next: there is one judgement, and a loader that has ended is found by its silence.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from breakeven.errors import CaseError
from breakeven.loadgen.coordination import Coordinator
from breakeven.loadgen.search.orders import Order, Part
from breakeven.loadgen.search.probe import Probe
from breakeven.loadgen.search.share import Host, Share
from breakeven.loadgen.search.talk import Talk

#: between the producers' connections and a rate's start, seconds: of one loader; of several, which see it at
#: their next look; of so many that they look less often
LEAD_S, SHARED_LEAD_S, MANY_LEAD_S = 0.2, 1.0, 4.0
#: seconds between looks at what others have said; and how often all loaders together look in a second
LOOK_S, LOOKS_PER_S = 0.1, 80
#: while a rate is offered: seconds between looks at whether it was stopped
STOP_LOOK_S = 0.5
#: seconds by which a loader may be behind another before the case fails for it
PATIENCE_S = 20.0
#: a loader that sees a start this long after it was does not join any more, seconds
LATE_S = 1.0

Seen = TypeVar("Seen")


class Team(Protocol):
    """All loaders of a search, as the one that leads it sees them."""

    #: seconds that a rate takes at most beside its stages and its drain
    around_s: float

    def order(self, order: Order) -> None:
        """Say what comes next."""

    def begin(self, order: Order) -> Order:
        """Wait until all are ready; the order with the instant at which all begin."""

    def stop(self, order: Order) -> None:
        """Have everybody stop offering the rate."""

    def parts(self, own: Part) -> list[Part]:
        """What all have handed in. :raises CaseError: one has not"""


class Solo:
    """A loader that has all of a case's workers."""

    around_s = LEAD_S

    def order(self, order: Order) -> None:
        return

    def begin(self, order: Order) -> Order:
        return order.model_copy(update={"opens_s": time.time() + LEAD_S})

    def stop(self, order: Order) -> None:
        return

    def parts(self, own: Part) -> list[Part]:
        return [own]


class _Member:
    """What a loader that leads and one that follows have in common."""

    def __init__(self, host: Host, coordinator: Coordinator) -> None:
        self._host, self._talk, self._case = host, Talk(coordinator, host.look), host.shared.case
        self._look_s = max(LOOK_S, self._case.loaders / LOOKS_PER_S)

    def _await(self, look: Callable[[], Seen | None], within_s: float, lacking: Callable[[], str]) -> Seen:
        """What a look finds at last. :raises CaseError: it takes longer, with what is ``lacking`` then"""
        until_s = time.time() + within_s
        while (seen := look()) is None:
            if time.time() > until_s:
                raise CaseError(f"{lacking()} within {within_s:g} s")
            self._host.look(self._look_s)
        return seen


class Leading(_Member):
    """The first of several loaders."""

    def __init__(self, host: Host, coordinator: Coordinator) -> None:
        super().__init__(host, coordinator)
        self._lead_s = MANY_LEAD_S if self._look_s > LOOK_S else SHARED_LEAD_S
        self.around_s = self._lead_s + PATIENCE_S

    def order(self, order: Order) -> None:
        self._talk.tell(order=order.model_dump_json())

    def begin(self, order: Order) -> Order:
        self._await_all("ready", order.number, self._case.start_deadline_s, "was not ready for the next rate")
        opened = order.model_copy(update={"opens_s": time.time() + self._lead_s})
        self.order(opened)
        return opened

    def stop(self, order: Order) -> None:
        self.order(order.model_copy(update={"stopped": True}))

    def parts(self, own: Part) -> list[Part]:
        within_s = self._case.workload.drain_s + PATIENCE_S
        said = self._await_all("done", own.number, within_s, "did not say what came of its share of a rate")
        return [own, *(Part.model_validate_json(each) for each in said)]

    def _await_all(self, topic: str, number: int, within_s: float, lacking: str) -> list[str]:
        """Until every other loader has said that of this order; their parts."""
        missing: list[int] = []

        def look() -> list[str] | None:
            posted = self._talk.posted_by_all()
            others = range(1, self._case.loaders)
            missing[:] = [n for n in others if posted.get(n, {}).get(topic) != str(number)]
            return None if missing else [posted[n].get("part", "") for n in others]

        return self._await(look, within_s, lambda: f"loader {missing[0]} {lacking}")


class Following(_Member):
    """One of the others."""

    def __init__(
        self, host: Host, coordinator: Coordinator, queue_of: Callable[[int], str], own: Iterable[int]
    ) -> None:
        super().__init__(host, coordinator)
        self._queue_of, self._own = queue_of, list(own)
        self._end: Order | None = None
        self.probes: list[Probe] = []  # the first loader's to tell

    @property
    def over(self) -> bool:
        """Are no more rates offered?"""
        return self._end is not None

    def telling(self) -> set[str]:
        """The stages between which the capacity lies: whether a loader was the limit is asked of these."""
        return set(self._end.telling) if self._end else set()

    def run(self) -> Order:
        """Do what is ordered until the end, which is returned."""
        number = 0
        while (order := self._next(number + 1)).kind != "end":
            number = order.number
            self._offer(order)
        self._end = order
        return order

    def _next(self, number: int) -> Order:
        within_s = self._case.workload.drain_s + 2 * PATIENCE_S
        return self._await(
            lambda: order if (order := self._ordered()) and order.number >= number else None,
            within_s,
            lambda: "the first loader ordered no further rate",
        )

    def _offer(self, order: Order) -> None:
        share = Share(self._host, self._queue_of, self._own, order)
        self._talk.tell(ready=str(order.number))
        opens_s = self._await(
            lambda: found.opens_s if (found := self._ordered()) else None,
            self._case.start_deadline_s + PATIENCE_S,
            lambda: "the first loader began no rate that it had ordered",
        )
        if time.time() > opens_s + LATE_S:
            raise CaseError("a loader began its share of a rate too late: it was held up")
        self._host.shared.signals.check()
        if order.kind == "settling":
            stage = share.settle(opens_s)
            share.watch(self._stopped(order))
        else:
            stage = share.probe(opens_s)
            with self._host.metered(stage, share.producers, order.for_s):
                share.watch(self._stopped(order))
        part = share.end(stage)
        self._talk.tell(part=part.model_dump_json(), done=str(part.number))

    def _ordered(self) -> Order | None:
        said = self._talk.posted_by(0).get("order")
        return Order.model_validate_json(said) if said else None

    def _stopped(self, order: Order) -> Callable[[], bool]:
        """Looks whether the rate was stopped, now and then: each look is a call."""
        next_s = time.time() + STOP_LOOK_S

        def look() -> bool:
            nonlocal next_s
            if time.time() < next_s:
                return False
            next_s = time.time() + max(STOP_LOOK_S, self._look_s)
            found = self._ordered()
            return found is not None and (found.stopped or found.number > order.number)

        return look
