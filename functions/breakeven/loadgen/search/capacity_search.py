"""The capacity search: the highest offered rate that is held (rule 10 of docs/rules.md).

Each probe offers one rate in an open loop and holds it for the measured time. It is *held* when what was due
was handed over, the backlog did not grow, and the 99th percentile end to end kept the objective. Between two
probes the queues are emptied. One loader has all workers, so that backlog and latency are exact.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from breakeven.loadgen.search.probe import Probe, best, bound
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
#: samples are averaged in so many blocks: neighbours are alike, and would make the bound too narrow
BLOCKS = 20
#: the 0.95 quantile of Student's t with BLOCKS - 2 degrees of freedom
T_95 = 1.734
#: a search ends when the lowest rate that failed is at most this much above the highest that was held
PRECISION = 0.05
#: rates below this are not tried, messages a second
LEAST_RATE = 1.0


@dataclass(frozen=True, slots=True)
class Slope:
    """Messages a second by which a backlog grew: the estimate, and its upper 95% bound (one-sided)."""

    estimate: float
    high: float


def slope(samples: Sequence[tuple[float, int]]) -> Slope | None:
    """By least squares through the means of blocks of samples (seconds, messages), taken evenly in time.

    None where there are fewer samples than blocks.
    """
    if len(samples) < BLOCKS:
        return None
    blocks = [np.mean(block, axis=0) for block in np.array_split(np.array(samples, dtype=np.float64), BLOCKS)]
    seconds, messages = np.stack(blocks, axis=1)
    spread = seconds - seconds.mean()
    squares = float(spread @ spread)
    estimate = float(spread @ (messages - messages.mean())) / squares
    residuals = messages - messages.mean() - estimate * spread
    error = math.sqrt(float(residuals @ residuals) / (BLOCKS - 2) / squares)
    return Slope(estimate, estimate + T_95 * error)


class RateSearch:
    """Doubles or halves until one rate is held and another is not, then tries the geometric middle.

    From a bracket of 2 to 1, five more probes leave one of 2.2%.

    :param first: the first rate to try; ``most``: none above this is tried; messages a second
    """

    def __init__(self, first: float, most: float) -> None:
        self._first, self._most = first, most
        self.held: float | None = None  # the highest that was held
        self.failed: float | None = None  # the lowest that was not

    @property
    def next(self) -> float | None:
        """The rate to try; None when the search is over."""
        if self.held is None and self.failed is None:
            return self._first
        if self.failed is None:
            assert self.held is not None
            return min(self.held * 2, self._most) if self.held < self._most else None
        if self.held is None:
            return max(self.failed / 2, LEAST_RATE) if self.failed > LEAST_RATE else None
        if self.failed <= self.held * (1 + PRECISION):
            return None
        return math.sqrt(self.held * self.failed)

    def report(self, rate: float, held: bool) -> None:
        """What came of the rate that was tried."""
        if held:
            self.held = max(rate, self.held or 0.0)
        else:
            self.failed = min(rate, self.failed or math.inf)


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
        """Probe until the rate is found, or no time is left for another probe."""
        while (rate := self.next) is not None and self._host.seconds_left() > self._probe_s():
            probe = self._probe(len(self.probes) + 1, rate)
            self.probes.append(probe)
            self._search.report(rate, probe.held)
            # the next probe would find this one's backlog
            self._ended = not self._host.drained(self._workload.drain_s)
        self._ended = True

    def telling(self) -> set[str]:
        """The stages between which the capacity lies: whether a loader was the limit is asked of these."""
        return {probe.stage for probe in (best(self.probes), bound(self.probes)) if probe}

    def _probe_s(self) -> float:
        work = self._workload
        return LEAD_S + work.warmup_s + work.measure_s + AFTER_S + work.drain_s

    def _probe(self, number: int, rate: float) -> Probe:
        spans: list[Span] = []
        producers = [
            OpenProducer(n, self._queue_of(n), self._shared, lambda: spans[0], helps=False)
            for n in range(self._workload.producers)
        ]
        crew = self._host.open(producers)
        stages = self._begin(number, time.time() + LEAD_S)
        spans.append(self._span(rate, stages))
        crew.go(stages[0].start_ns)
        with self._host.metered(stages[1], producers):
            samples = self._watched(rate, spans[0])
        if time.monotonic_ns() < spans[0].end_ns:
            for producer in producers:
                producer.give_up()
        while not all(producer.ended.is_set() for producer in producers):
            self._host.look(SAMPLE_S)
        return self._judged(number, rate, stages[1], producers, samples)

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

    def _watched(self, rate: float, span: Span) -> list[tuple[float, int]]:
        """The backlog over the probe: seconds, messages. Ends early when there is no hope."""
        samples: list[tuple[float, int]] = []
        while (now_ns := time.monotonic_ns()) < span.end_ns:
            counts = self._shared.ledger.counts()
            backlog = counts.expected - counts.received
            samples.append(((now_ns - span.measure_ns) / 1e9, backlog))
            if backlog > rate * HOPELESS_S:
                break
            self._host.look(SAMPLE_S)
        return samples

    def _judged(
        self,
        number: int,
        rate: float,
        stage: Stage,
        producers: Sequence[OpenProducer],
        samples: Sequence[tuple[float, int]],
    ) -> Probe:
        offered = sum(producer.offered for producer in producers)
        achieved = sum(producer.achieved for producer in producers)
        growth = slope(samples)
        p99_ms = percentile_ms(self._shared.recorder.histogram(stage.name, "end_to_end"), 990)
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

    def _reason(
        self, rate: float, offered: int, achieved: int, growth: Slope | None, p99_ms: float | None
    ) -> str | None:
        """Why the rate was not held; None when it was."""
        objective_ms = self._workload.objective_ms
        if achieved < ACHIEVED_SHARE * offered:
            return f"{achieved} of {offered} messages that were due were taken"
        if growth is None:
            return "its backlog was not seen often enough to tell whether it grows"
        if growth.high > GROWTH_SHARE * rate:
            reason = f"the backlog may grow by {growth.high:.1f} messages a second (upper 95% bound)"
            unclear = growth.estimate <= GROWTH_SHARE * rate
            return f"{reason}; a longer measure_s tells more closely" if unclear else reason
        if p99_ms is None or p99_ms > objective_ms:
            seen = "not known" if p99_ms is None else f"{p99_ms:.1f} ms"
            return f"p99 end to end is {seen}, the objective {objective_ms:g} ms"
        return None
