"""The capacity search: the highest offered rate that is held (rule 10 of docs/rules.md).

Each probe offers one rate in an open loop and holds it for the measured time. It is *held* when what was due
was handed over, the backlog did not grow, and the 99th percentile end to end kept the objective. Between two
probes the queues are emptied. One loader has all workers, so that backlog and latency are exact.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from breakeven.loadgen.record.delay_trend import DelayTrend, Slope
from breakeven.loadgen.search.probe import Probe, best, bound
from breakeven.loadgen.search.rate_search import RateSearch
from breakeven.loadgen.self_check.diagnosis import ACHIEVED_SHARE, percentile_ms
from breakeven.loadgen.stages import Stage
from breakeven.loadgen.workers.arrivals import Span
from breakeven.loadgen.workers.open_producer import OpenProducer
from breakeven.loadgen.workers.worker import Crew, Shared, Worker
from breakeven.workload.case import MAX_RATE
from breakeven.workload.rate_profile import Profile

#: the most by which a backlog may grow, as a share of the rate (upper 95% bound)
GROWTH_SHARE = 0.005
#: a probe whose backlog is worth this much of its rate is ended: it cannot be held, seconds
HOPELESS_S = 3.0
#: how long producers may go on after a probe's end with what was due in it, seconds
AFTER_S = 1.0
#: between the producers' connections and a probe's start, seconds
LEAD_S = 0.2
SAMPLE_S = 0.05
#: before the first probe its rate is offered in windows of so many seconds, at most so many, until the 99th
#: percentiles end to end of two in a row differ by less than this factor, or by less than this share of the
#: objective
WINDOW_S, MOST_WINDOWS, ALIKE, ALIKE_SHARE = 2.0, 10, 1.25, 0.05


class Host(Protocol):
    """What a search needs of its loader."""

    shared: Shared

    def open(self, workers: Sequence[Worker[Any]]) -> Crew: ...
    def begin(self, stage: str, opens_s: float) -> Stage: ...
    def metered(self, stage: Stage, producers: Sequence[OpenProducer]) -> AbstractContextManager[None]: ...
    def look(self, seconds: float) -> None: ...
    def seconds_left(self) -> float: ...
    def drained(self, within_s: float) -> bool: ...


class CapacitySearch:
    """:param queue_of: the queue of the producer with that number"""

    def __init__(self, host: Host, queue_of: Callable[[int], str]) -> None:
        self._host, self._queue_of = host, queue_of
        self._shared, self._workload = host.shared, host.shared.case.workload
        assert self._workload.rate is not None
        self._search = RateSearch(self._workload.rate, MAX_RATE)
        self.probes: list[Probe] = []
        self._ended = False

    @property
    def next(self) -> float | None:
        """The rate that is tried next; None when the search is over."""
        return self._search.next if not self._ended else None

    def run(self) -> None:
        """Warm up, then probe until the rate is found, or no time is left for another probe."""
        self._warm_up()
        while (rate := self.next) is not None and self._host.seconds_left() > self._probe_s():
            probe = self._probe(len(self.probes) + 1, rate)
            self.probes.append(probe)
            self._search.report(rate, probe.held)
        self._ended = True

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

    def _probe_s(self) -> float:
        work = self._workload
        return LEAD_S + work.warmup_s + work.measure_s + AFTER_S + work.drain_s

    def _warm_up(self) -> None:
        """Offer the first rate until two windows in a row are alike: before, caches are cold and code is new.

        Bounded in time: the rate may be more than the broker holds.
        """
        rate, window_s = self._search.next or 0.0, min(WINDOW_S, self._workload.measure_s)
        most = int(min(MOST_WINDOWS * window_s, self._host.seconds_left() - self._probe_s()) / window_s)
        if most < 1:
            return
        crew, producers, spans = self._open()
        opens_s = time.time() + LEAD_S
        windows = [self._host.begin("settling-1", opens_s)]
        start_ns = windows[0].start_ns
        end_ns = start_ns + round(most * window_s * 1e9)
        spans.append(Span(Profile(rate), start_ns, start_ns, end_ns, end_ns + round(AFTER_S * 1e9)))
        crew.go(start_ns)
        for number in range(1, most + 1):
            is_hopeless = self._watched(rate, start_ns + round(number * window_s * 1e9))
            windows.append(self._host.begin(f"settling-{number + 1}", opens_s + number * window_s))
            if is_hopeless or self._are_alike(windows[-3:-1]):
                break
        self._end(producers, end_ns)

    def _are_alike(self, windows: Sequence[Stage]) -> bool:
        """Are the 99th percentiles end to end of two windows nearly the same, and within the objective?"""
        known = sorted(p99_ms for stage in windows if (p99_ms := self._p99_ms(stage)) is not None)
        objective_ms = self._workload.objective_ms
        if len(known) <= 1 or known[-1] > objective_ms:
            return False
        return known[-1] <= max(ALIKE * known[0], ALIKE_SHARE * objective_ms)

    def _probe(self, number: int, rate: float) -> Probe:
        crew, producers, spans = self._open()
        stages = self._begin(number, time.time() + LEAD_S)
        spans.append(self._span(rate, stages))
        crew.go(stages[0].start_ns)
        self._shared.trend = trend = DelayTrend(spans[0].measure_ns, spans[0].end_ns)
        with self._host.metered(stages[1], producers):
            self._watched(rate, spans[0].end_ns)
        self._end(producers, spans[0].end_ns)
        return self._judged(number, rate, stages[1], producers, trend)

    def _open(self) -> tuple[Crew, list[OpenProducer], list[Span]]:
        """Connected producers; what they produce is the first of the spans, once they are told to go."""
        spans: list[Span] = []
        producers = [
            OpenProducer(n, self._queue_of(n), self._shared, lambda: spans[0], helps=False)
            for n in range(self._workload.producers)
        ]
        return self._host.open(producers), producers, spans

    def _end(self, producers: Sequence[OpenProducer], end_ns: int) -> None:
        """Wait for the producers, those whose span has not come to its end stop now, and for their messages.

        The next ones would find what these have left in the queue.
        """
        if time.monotonic_ns() < end_ns:
            for producer in producers:
                producer.give_up()
        while not all(producer.ended.is_set() for producer in producers):
            self._host.look(SAMPLE_S)
        self._ended = not self._host.drained(self._workload.drain_s)

    def _begin(self, number: int, opens_s: float) -> tuple[Stage, Stage, Stage]:
        work, begin = self._workload, self._host.begin
        measure_s = opens_s + work.warmup_s
        return (
            begin(f"warmup-{number}", opens_s),
            begin(f"probe-{number}", measure_s),
            begin(f"recover-{number}", measure_s + work.measure_s),
        )

    def _span(self, rate: float, stages: tuple[Stage, Stage, Stage]) -> Span:
        start, measure, end = (stage.start_ns for stage in stages)
        return Span(Profile(rate), start, measure, end, end + round(AFTER_S * 1e9))

    def _watched(self, rate: float, end_ns: int) -> bool:
        """Wait for the end, or for a backlog that shows that there is no hope; returns whether it did."""
        while time.monotonic_ns() < end_ns:
            counts = self._shared.ledger.counts()
            if counts.expected - counts.received > rate * HOPELESS_S:
                return True
            self._host.look(SAMPLE_S)
        return False

    def _judged(
        self,
        number: int,
        rate: float,
        stage: Stage,
        producers: Sequence[OpenProducer],
        trend: DelayTrend,
    ) -> Probe:
        offered = sum(producer.offered for producer in producers)
        achieved = sum(producer.achieved for producer in producers)
        delay = trend.slope()
        growth = delay.times(rate) if delay else None
        p99_ms = self._p99_ms(stage)
        reason = self._reason(rate, offered, achieved, growth, p99_ms)
        return Probe(
            number=number,
            stage=stage.name,
            rate=rate,
            offered=offered,
            achieved=achieved,
            backlog_per_s=growth.estimate if growth else None,
            backlog_per_s_high=growth.high if growth else None,
            end_to_end_p99_ms=p99_ms,
            held=reason is None,
            reason=reason,
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
