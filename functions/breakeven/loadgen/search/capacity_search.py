"""The capacity search: the highest offered rate that is held (rule 10 of docs/rules.md).

Each probe offers one rate in an open loop and holds it for some time. Where that is long, short ones find
the neighbourhood first, and those of full length decide. Between two probes the queues are emptied. Where a
case has several loaders, the first one searches, and judges what all of them saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from breakeven.loadgen.search.judgement import HOPELESS_S, as_scout, is_open, judged, may_hold
from breakeven.loadgen.search.orders import Order, Part
from breakeven.loadgen.search.probe import Probe, best, bound, decisive
from breakeven.loadgen.search.rate_search import PRECISION, RateSearch
from breakeven.loadgen.search.share import AFTER_S, Host, Share
from breakeven.loadgen.search.team import Team
from breakeven.loadgen.self_check.diagnosis import percentile_ms
from breakeven.loadgen.stages import Stage
from breakeven.workload.case import CLEAR_S, MAX_RATE, SCOUT_S

#: how near short probes come before those of full length begin, and how many there are at most
SCOUT_PRECISION, MOST_SCOUTS = 0.2, 14
#: the first step from the rate that they found: its middle is within the precision of the search
NEAR_STEP = (1 + PRECISION) ** 2
#: before the first probe its rate is offered in windows of so many seconds, at most so many, until the 99th
#: percentiles end to end of two in a row differ by less than this factor, or by less than this share of the
#: objective
WINDOW_S, MOST_WINDOWS, ALIKE, ALIKE_SHARE = 2.0, 10, 1.25, 0.05


class CapacitySearch:
    """:param queue_of: the queue of the producer with that number; ``own``: those of this loader"""

    def __init__(self, host: Host, queue_of: Callable[[int], str], own: Iterable[int], team: Team) -> None:
        self._host, self._queue_of, self._own, self._team = host, queue_of, list(own), team
        self._shared, self._workload = host.shared, host.shared.case.workload
        assert self._workload.rate is not None
        self._first = self._workload.rate
        self.probes: list[Probe] = []
        self._orders = 0
        self._stuck = False  # messages are left that do not come
        #: no more rates are offered
        self.over = False

    def run(self) -> Order:
        """Warm up, then probe until the rate is found, or no time is left for another probe; confirm it where
        that is asked for. Returns the last order, by which all end.
        """
        self._warm_up()
        self._decide(self._near())
        self._confirm()
        self.over = True
        why = None if best(self.probes) else self.why_none_held()
        return self._order(Order(number=0, kind="end", telling=tuple(sorted(self.telling())), why=why))

    def why_none_held(self) -> str:
        """Why the case has failed, where no rate was held."""
        work = self._workload
        if tried := decisive(self.probes):
            return f"no rate was held: {tried[-1].reason}"
        if self.probes:
            return (
                f"no rate was offered for measure_s, {work.measure_s:g} s: too little time was left; begin "
                "nearer the capacity (rate), or shorten measure_s"
            )
        return (
            f"no rate was tried: what the warm-up sent at {work.rate:g} messages a second was not received "
            f"within drain_s, {work.drain_s:g} s, or too little time was left; begin with a lower rate"
        )

    def telling(self) -> set[str]:
        """The stages between which the capacity lies: whether a loader was the limit is asked of these."""
        return {probe.stage for probe in (best(self.probes), bound(self.probes)) if probe}

    def _near(self) -> RateSearch:
        """Where those of full length begin: at the highest rate that short ones leave in, or the lowest.

        Time is left for two that decide; where there is no more, they begin at once.
        """
        work = self._workload
        decide_s = (work.measure_s, work.measure_s, work.confirm_s)
        if work.measure_s < CLEAR_S or not self._has_time(SCOUT_S, *decide_s):
            return RateSearch(self._first, MAX_RATE)
        scouting = RateSearch(self._first, MAX_RATE, precision=SCOUT_PRECISION)
        for _ in range(MOST_SCOUTS):
            if (rate := scouting.next) is None or not self._has_time(SCOUT_S, *decide_s):
                break
            scouting.report(rate, self._scout(rate))
        return RateSearch(scouting.held or scouting.failed or self._first, MAX_RATE, step=NEAR_STEP)

    def _decide(self, search: RateSearch) -> None:
        """Probes of full length, until the search is over or no time is left."""
        hold_s = self._workload.measure_s
        while (rate := search.next) is not None and self._has_time(hold_s, self._workload.confirm_s):
            search.report(rate, self._is_held(rate, hold_s))

    def _confirm(self) -> None:
        """Hold the rate found for longer; where it is not held, the next lower one that was, as long as there
        is time.
        """
        hold_s = self._workload.confirm_s
        while hold_s and (found := best(self.probes)) and not found.confirms and self._has_time(hold_s):
            self._probe(found.rate, hold_s, confirms=True)

    def _has_time(self, *holds_s: float) -> bool:
        """Can rates be held for so long, one after another? Those of no length are none."""
        return not self._stuck and self._host.seconds_left() > sum(map(self._takes_s, filter(None, holds_s)))

    def _takes_s(self, hold_s: float) -> float:
        work = self._workload
        return self._team.around_s + work.warmup_s + hold_s + AFTER_S + work.drain_s

    def _order(self, order: Order) -> Order:
        self._orders += 1
        numbered = order.model_copy(update={"number": self._orders})
        self._team.order(numbered)
        return numbered

    def _share(self, order: Order) -> tuple[Share, Order, float]:
        """This loader's, once all are ready; and when all begin, epoch seconds."""
        share = Share(self._host, self._queue_of, self._own, order)
        opened = self._team.begin(order)
        assert opened.opens_s is not None
        return share, opened, opened.opens_s

    def _warm_up(self) -> None:
        """Offer the first rate until two windows in a row are alike: before, caches are cold and code is new.

        Bounded in time: the rate may be more than the broker holds. Of several loaders the first goes by
        what it sees itself, a part of all messages.
        """
        rate, window_s = self._first, min(WINDOW_S, self._workload.measure_s)
        most = int(
            min(MOST_WINDOWS * window_s, self._host.seconds_left() - self._takes_s(self._workload.measure_s))
            / window_s
        )
        if most < 1:
            return
        ordered = self._order(Order(number=0, kind="settling", rate=rate, for_s=most * window_s))
        share, order, opens_s = self._share(ordered)
        windows = [share.settle(opens_s)]
        start_ns, begin_after = windows[0].start_ns, self._host.shared.timeline.begin_after
        for number in range(1, most + 1):
            is_hopeless = share.watch(self._hopeless(rate), start_ns + round(number * window_s * 1e9))
            windows.append(begin_after(windows[0], number * window_s, f"settling-{number + 1}"))
            if is_hopeless or self._are_alike(windows[-3:-1]):
                break
        self._finish(share, order, windows[0])

    def _finish(self, share: Share, order: Order, stage: Stage) -> list[Part]:
        """All loaders' parts; where one has messages left that do not come, no rate is tried any more."""
        if not share.ended_in_time:
            self._team.stop(order)
        parts = self._team.parts(share.end(stage))
        self._stuck = not all(part.drained for part in parts)
        return parts

    def _are_alike(self, windows: Sequence[Stage]) -> bool:
        """Are the 99th percentiles end to end of two windows nearly the same, and within the objective?"""
        known = sorted(p99_ms for stage in windows if (p99_ms := self._p99_ms(stage)) is not None)
        objective_ms = self._workload.objective_ms
        if len(known) <= 1 or known[-1] > objective_ms:
            return False
        return known[-1] <= max(ALIKE * known[0], ALIKE_SHARE * objective_ms)

    def _is_held(self, rate: float, hold_s: float) -> bool:
        """Is the rate? By a probe of that length, and by a longer one where that leaves it open."""
        is_second_try = any(probe.rate == rate for probe in decisive(self.probes))
        if not (is_second_try and self._has_time_to_be_clear(hold_s)):
            probe = self._probe(rate, hold_s)
            if not (is_open(probe) and self._has_time_to_be_clear(hold_s)):
                return probe.held
        return self._probe(rate, CLEAR_S).held

    def _has_time_to_be_clear(self, hold_s: float) -> bool:
        """Would a probe of ``CLEAR_S`` tell more than one of that length, and is there time for it?"""
        return hold_s < CLEAR_S and self._has_time(CLEAR_S, self._workload.confirm_s)

    def _scout(self, rate: float) -> bool:
        """Offer a rate in short; may it be held?"""
        order, stage, parts, hopeless = self._offer(rate, SCOUT_S)
        objective_ms = self._workload.objective_ms
        found = judged(order, stage, parts, objective_ms, hopeless=hopeless)
        self.probes.append(as_scout(found))
        return may_hold(found, parts, objective_ms)

    def _probe(self, rate: float, hold_s: float, *, confirms: bool = False) -> Probe:
        order, stage, parts, hopeless = self._offer(rate, hold_s)
        found = judged(order, stage, parts, self._workload.objective_ms, hopeless=hopeless)
        self.probes.append(found.model_copy(update={"confirms": confirms}))
        return self.probes[-1]

    def _offer(self, rate: float, hold_s: float) -> tuple[Order, str, list[Part], bool]:
        """The order, its stage, what all loaders saw of it, and whether it was ended as hopeless."""
        ordered = Order(number=0, kind="probe", rate=rate, probe=len(self.probes) + 1, for_s=hold_s)
        share, order, opens_s = self._share(self._order(ordered))
        stage = share.probe(opens_s)
        with self._host.metered(stage, share.producers, hold_s):
            hopeless = share.watch(self._hopeless(rate))
        return order, stage.name, self._finish(share, order, stage), hopeless

    def _hopeless(self, rate: float) -> Callable[[], bool]:
        """Whether a backlog shows that there is no hope."""
        return lambda: self._host.backlog() > rate * HOPELESS_S

    def _p99_ms(self, stage: Stage) -> float | None:
        return percentile_ms(self._shared.recorder.histogram(stage.name, "end_to_end"), 990)
