"""A loader's share of a rate that a capacity search offers: its own producers, and what came of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from breakeven.loadgen.record.delay_trend import DelayTrend
from breakeven.loadgen.search.orders import Order, Part
from breakeven.loadgen.stages import Stage
from breakeven.loadgen.workers.arrivals import Span
from breakeven.loadgen.workers.open_producer import OpenProducer
from breakeven.loadgen.workers.worker import Crew, Shared, Worker
from breakeven.workload.rate_profile import Profile

#: how long producers may go on after a rate's end with what was due in it, seconds
AFTER_S = 1.0
SAMPLE_S = 0.05


class Host(Protocol):
    """What a search needs of its loader."""

    shared: Shared

    def open(self, workers: Sequence[Worker[Any]]) -> Crew: ...
    def begin(self, stage: str, opens_s: float) -> Stage: ...
    def metered(
        self, stage: Stage, producers: Sequence[OpenProducer], for_s: float
    ) -> AbstractContextManager[None]: ...
    def look(self, seconds: float) -> None: ...
    def seconds_left(self) -> float: ...
    def backlog(self) -> int:
        """Messages of all loaders that may be in a queue, as far as is known."""

    def drained(self, within_s: float, after: int) -> bool:
        """Wait until every message of all loaders is accounted for; False when that takes longer.

        :param after: of which order this loader's own producers have ended
        """


class Share:
    """Producers that are connected, and wait for the instant at which the order's rate begins.

    :param own: numbers of the loader's producers among the case's, each of which sends its share of the rate
    """

    def __init__(self, host: Host, queue_of: Callable[[int], str], own: Iterable[int], order: Order) -> None:
        self._host, self._workload, self._order = host, host.shared.case.workload, order
        self._spans: list[Span] = []
        self._trend: DelayTrend | None = None
        self.producers = [
            OpenProducer(n, queue_of(n), host.shared, lambda: self._spans[0], helps=False) for n in own
        ]
        self._crew = host.open(self.producers)

    def settle(self, opens_s: float) -> Stage:
        """Begin to offer the rate of a warm-up; its first window."""
        window = self._host.begin("settling-1", opens_s)
        self._go(window.start_ns, window.start_ns, self._order.for_s)
        return window

    def probe(self, opens_s: float) -> Stage:
        """Begin to offer the rate; the stage that counts."""
        begin_after, number = self._host.shared.timeline.begin_after, self._order.probe
        warm_up = self._host.begin(f"warmup-{number}", opens_s)
        measured = begin_after(warm_up, self._workload.warmup_s, f"probe-{number}")
        begin_after(measured, self._order.for_s, f"recover-{number}")
        self._go(warm_up.start_ns, measured.start_ns, self._order.for_s)
        self._trend = DelayTrend(self._spans[0].measure_ns, self._spans[0].end_ns)
        self._host.shared.trend = self._trend
        return measured

    @property
    def end_ns(self) -> int:
        """When the rate ends, unless it is stopped."""
        return self._spans[0].end_ns

    @property
    def ended_in_time(self) -> bool:
        """Has the rate been offered to its end?"""
        return time.monotonic_ns() >= self.end_ns

    def watch(self, is_over: Callable[[], bool], until_ns: int | None = None) -> bool:
        """Wait for an instant, or until it is over before; returns whether it is."""
        end_ns = self.end_ns if until_ns is None else until_ns
        while time.monotonic_ns() < end_ns:
            if is_over():
                return True
            self._host.look(SAMPLE_S)
        return False

    def end(self, stage: Stage) -> Part:
        """Wait for the producers, who stop now where the end has not come, and for all loaders' messages.

        The next ones would find what these have left in the queue.
        """
        if not self.ended_in_time:
            for producer in self.producers:
                producer.give_up()
        while not all(producer.ended.is_set() for producer in self.producers):
            self._host.look(SAMPLE_S)
        drained = self._host.drained(self._workload.drain_s, self._order.number)
        return Part(
            number=self._order.number,
            offered=sum(producer.offered for producer in self.producers),
            achieved=sum(producer.achieved for producer in self.producers),
            delays=self._trend.blocks() if self._trend else (),
            latencies=self._host.shared.recorder.histogram(stage.name, "end_to_end"),
            drained=drained,
        )

    def _go(self, start_ns: int, measure_ns: int, for_s: float) -> None:
        end_ns = measure_ns + round(for_s * 1e9)
        deadline_ns = end_ns + round(AFTER_S * 1e9)
        self._spans.append(Span(Profile(self._order.rate), start_ns, measure_ns, end_ns, deadline_ns))
        self._crew.go(start_ns)
