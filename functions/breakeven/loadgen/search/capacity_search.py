"""The capacity search: the highest offered rate that is held (rule 10 of docs/rules.md).

Each probe offers one rate in an open loop and holds it for the measured time. It is *held* when what was due
was handed over, the backlog did not grow, and the 99th percentile end to end kept the objective. Between two
probes the queues are emptied. Where a case has several loaders, the first one searches, and judges what all
of them saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from breakeven.loadgen.record.delay_trend import Slope, slope_of
from breakeven.loadgen.search.orders import Order, Part, latencies
from breakeven.loadgen.search.probe import Probe, best, bound
from breakeven.loadgen.search.rate_search import RateSearch
from breakeven.loadgen.search.share import AFTER_S, Host, Share
from breakeven.loadgen.search.team import Team
from breakeven.loadgen.self_check.diagnosis import ACHIEVED_SHARE, percentile_ms
from breakeven.loadgen.stages import Stage
from breakeven.workload.case import CLEAR_S, MAX_RATE

#: the most by which a backlog may grow, as a share of the rate (upper 95% bound)
GROWTH_SHARE = 0.005
#: a probe whose backlog is worth this much of its rate is ended: it cannot be held, seconds
HOPELESS_S = 3.0
ENDED = f"it was ended before its time, as over {HOPELESS_S:g} s of its messages were waiting"
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
        self._search = RateSearch(self._workload.rate, MAX_RATE)
        self.probes: list[Probe] = []
        self._open: set[int] = set()  # probes that left open whether their rate is held
        self._orders = 0
        self._stuck = False  # messages are left that do not come
        #: no more rates are offered
        self.over = False

    def run(self) -> Order:
        """Warm up, then probe until the rate is found, or no time is left for another probe; confirm it where
        that is asked for. Returns the last order, by which all end.
        """
        self._warm_up()
        hold_s = self._workload.measure_s
        while (rate := self._search.next) is not None and self._has_time(hold_s, self._workload.confirm_s):
            self._search.report(rate, self._is_held(rate, hold_s))
        self._confirm()
        self.over = True
        why = None if best(self.probes) else self.why_none_held()
        return self._order(Order(number=0, kind="end", telling=tuple(sorted(self.telling())), why=why))

    def why_none_held(self) -> str:
        """Why the case has failed, where no rate was held."""
        if self.probes:
            return f"no rate was held: {self.probes[-1].reason}"
        work = self._workload
        return (
            f"no rate was tried: what the warm-up sent at {work.rate:g} messages a second was not received "
            f"within drain_s, {work.drain_s:g} s, or too little time was left; begin with a lower rate"
        )

    def telling(self) -> set[str]:
        """The stages between which the capacity lies: whether a loader was the limit is asked of these."""
        return {probe.stage for probe in (best(self.probes), bound(self.probes)) if probe}

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
        rate, window_s = self._search.next or 0.0, min(WINDOW_S, self._workload.measure_s)
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
        if not (self._has_time_to_be_clear(hold_s) and any(probe.rate == rate for probe in self.probes)):
            probe = self._probe(rate, hold_s, confirms=False)
            if not (probe.number in self._open and self._has_time_to_be_clear(hold_s)):
                return probe.held
        return self._probe(rate, CLEAR_S, confirms=False).held

    def _has_time_to_be_clear(self, hold_s: float) -> bool:
        """Would a probe of ``CLEAR_S`` tell more than one of that length, and is there time for it?"""
        return hold_s < CLEAR_S and self._has_time(CLEAR_S, self._workload.confirm_s)

    def _probe(self, rate: float, hold_s: float, *, confirms: bool) -> Probe:
        ordered = Order(number=0, kind="probe", rate=rate, probe=len(self.probes) + 1, for_s=hold_s)
        share, order, opens_s = self._share(self._order(ordered))
        stage = share.probe(opens_s)
        with self._host.metered(stage, share.producers, hold_s):
            hopeless = share.watch(self._hopeless(rate))
        parts = self._finish(share, order, stage)
        probe = self._judged(order, stage, parts, confirms=confirms, hopeless=hopeless)
        self.probes.append(probe)
        if not hopeless and _is_open(probe):
            self._open.add(probe.number)
        return probe

    def _hopeless(self, rate: float) -> Callable[[], bool]:
        """Whether a backlog shows that there is no hope."""
        return lambda: self._host.backlog() > rate * HOPELESS_S

    def _judged(
        self, order: Order, stage: Stage, parts: Sequence[Part], *, confirms: bool, hopeless: bool
    ) -> Probe:
        rate = order.rate
        offered = sum(part.offered for part in parts)
        achieved = sum(part.achieved for part in parts)
        delay = slope_of([part.delays for part in parts], order.for_s)
        growth = delay.times(rate) if delay else None
        p99_ms = percentile_ms(latencies(parts), 990)
        reason = ENDED if hopeless else self._reason(rate, offered, achieved, growth, p99_ms)
        return Probe(
            number=order.probe,
            stage=stage.name,
            rate=rate,
            offered=offered,
            achieved=achieved,
            backlog_per_s=growth.estimate if growth else None,
            backlog_per_s_high=growth.high if growth else None,
            end_to_end_p99_ms=p99_ms,
            held=reason is None,
            reason=reason,
            for_s=order.for_s,
            confirms=confirms,
        )

    def _p99_ms(self, stage: Stage) -> float | None:
        return percentile_ms(self._shared.recorder.histogram(stage.name, "end_to_end"), 990)

    def _reason(
        self, rate: float, offered: int, achieved: int, growth: Slope | None, p99_ms: float | None
    ) -> str | None:
        """Why the rate was not held; None when it was."""
        objective_ms = self._workload.objective_ms
        if achieved < ACHIEVED_SHARE * offered:
            return f"{achieved} of {offered} messages that were due were taken"
        if growth is None:
            return "too few messages to tell whether the backlog grows"
        if growth.high > GROWTH_SHARE * rate:
            reason = f"the backlog may grow by {growth.high:.1f} messages a second (upper 95% bound)"
            unclear = growth.estimate <= GROWTH_SHARE * rate
            return f"{reason}; a longer measure_s tells more closely" if unclear else reason
        if p99_ms is None or p99_ms > objective_ms:
            seen = "not known" if p99_ms is None else f"{p99_ms:.1f} ms"
            return f"p99 end to end is {seen}, the objective {objective_ms:g} ms"
        return None


def _is_open(probe: Probe) -> bool:
    """Was it not held, and yet may a longer one be? All that was due was taken, messages were received, and
    the lower 95% bound of the backlog's growth is within what is allowed.
    """
    if probe.held or probe.achieved < ACHIEVED_SHARE * probe.offered or probe.end_to_end_p99_ms is None:
        return False
    if probe.backlog_per_s is None or probe.backlog_per_s_high is None:
        return True
    return 2 * probe.backlog_per_s - probe.backlog_per_s_high <= GROWTH_SHARE * probe.rate
