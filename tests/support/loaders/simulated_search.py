"""A capacity search in simulated time, on a server whose ceiling and cold start are programmed.

No clock of the machine is read, so that a busy host changes nothing. Search, judgement, growth and flags are
the loader's own; producers, consumers and the server are arithmetic, exact to the message.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from breakeven.loadgen.ledger.ledger import Counts, Ledger
from breakeven.loadgen.merge import Measurement, merge
from breakeven.loadgen.record.histogram import Histogram
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.search import share, team
from breakeven.loadgen.search.capacity_search import CapacitySearch
from breakeven.loadgen.self_check.diagnosis import Diagnosis
from breakeven.loadgen.stages import Stage, Timeline
from breakeven.loadgen.workers.arrivals import Span
from breakeven.workload.case import Case
from tests.support.loaders.diagnoses import diagnosis

EPOCH_S = 1000.0
#: what a message takes on an idle server: at least, and on average beyond that; seconds
LEAST_S, MEAN_S = 0.001, 0.001
#: cores of the host; the server uses one of them at its ceiling, and the loader always this much of another
CORES, OF_LOADER = 2, 0.1


class Server:
    """Hands out ``ceiling`` messages a second, in the order in which they come.

    :param cold: up to which second of its life, which share of the ceiling
    """

    def __init__(self, ceiling: float, cold: Sequence[tuple[float, float]] = ()) -> None:
        ends = [0.0, *(until_s for until_s, _ in cold), 1e5]
        rates = ceiling * np.array([*(share for _, share in cold), 1.0])
        self.ceiling, self._at_s = ceiling, EPOCH_S + np.array(ends)
        self._work = np.concatenate([[0.0], np.cumsum(np.diff(ends) * rates)])
        self._dice = np.random.default_rng(1)

    def in_hand_s(self, due_s: Any) -> Any:
        """When each message of an empty queue's next ones is in a consumer's hand."""
        turn = np.arange(len(due_s))
        begun = turn + np.maximum.accumulate(np.interp(due_s, self._at_s, self._work) - turn)
        rest_s = LEAST_S + self._dice.exponential(MEAN_S, len(due_s))
        return np.interp(begun + 1, self._work, self._at_s) + rest_s


class Producer:
    """An open loop's; the first sends for all."""

    def __init__(
        self, number: int, queue: str, shared: Any, span: Callable[[], Span], *, helps: bool
    ) -> None:
        self.span, self.ended, self.gave_up = span, Event(), False
        self.offered = self.achieved = 0

    def give_up(self) -> None:
        self.gave_up = True


class SimulatedHost:
    """A loader with its consumers, and the server: clock, recorder and ledger of the search as well."""

    def __init__(self, case: Case, server: Server) -> None:
        self.now_s, self._case, self._server = EPOCH_S, case, server
        self.shared: Any = SimpleNamespace(
            case=case, timeline=Timeline("capacity"), recorder=self, ledger=self, trend=None
        )
        self.diagnoses: dict[str, Diagnosis] = {}
        self._dice = random.Random(1)
        self._producers: list[Producer] = []
        #: when messages were due, and when they are in hand: those of the last ones, and of all before
        self._sent = self._before = np.empty((2, 0))
        self._in_order: list[list[float]] = [[], []]  # of what was sent last, for who counts each millisecond

    def time(self) -> float:
        return self.now_s

    def monotonic_ns(self) -> int:
        return round(self.now_s * 1e9)

    def look(self, seconds: float) -> None:
        self.now_s += seconds
        for producer in self._producers:
            if producer.gave_up or self.monotonic_ns() >= producer.span().end_ns:
                producer.ended.set()

    def seconds_left(self) -> float:
        return EPOCH_S + self._case.limit_s - self.now_s

    def open(self, workers: Any) -> Any:
        self._producers = list(workers)
        return SimpleNamespace(go=self._go)

    def _go(self, start_ns: int) -> None:
        span = self._producers[0].span()
        rate, seconds = span.rate.at(0.0), (span.end_ns - start_ns) / 1e9
        due_s = start_ns / 1e9 + np.arange(round(rate * seconds)) / rate
        self._before = np.hstack([self._before, self._sent])
        self._set_sent(np.array([due_s, self._server.in_hand_s(due_s)]))

    def _set_sent(self, sent: Any) -> None:
        self._sent, self._in_order = sent, np.sort(sent).tolist()

    def counts(self) -> Counts:
        due, in_hand = (bisect_right(instants, self.now_s) for instants in self._in_order)
        return Counts(due, due, 0, in_hand)

    def begin(self, stage: str, opens_s: float) -> Stage:
        apart_ns = self._dice.randrange(500)  # as two clocks are, each time that they are asked
        return self.shared.timeline.begin(stage, round(opens_s * 1e9) + apart_ns, opens_s)

    def histogram(self, stage: str, metric: str) -> Histogram:
        assert metric == "end_to_end"
        found = Histogram()
        due_s, in_hand_s = self._in(stage)
        known = in_hand_s <= self.now_s
        found.add_many(np.round((in_hand_s - due_s)[known] * 1e9).astype(np.int64))
        return found

    def _in(self, stage: str) -> Any:
        """Due and in hand, of the messages that were due in the stage."""
        stages = self.shared.timeline.stages
        names = [each.name for each in stages]
        after = stages[names.index(stage) + 1 :]
        start_s, end_s = stages[names.index(stage)].start_s, after[0].start_s if after else np.inf
        both = np.hstack([self._before, self._sent])
        return both[:, (both[0] >= start_s) & (both[0] < end_s)]

    def backlog(self) -> int:
        counts = self.counts()
        return counts.expected - counts.received

    def drained(self, within_s: float, after: int) -> bool:
        """Those who gave up sent nothing more; what was sent comes."""
        if self._producers[0].gave_up:
            self._set_sent(self._sent[:, self._sent[0] <= self.now_s])
        last_s = max(self._sent[1], default=self.now_s)
        if last_s > self.now_s + within_s:
            return False
        self.now_s = max(self.now_s, last_s)
        if self.shared.trend is not None:
            self.shared.trend.add(*(np.round(instants * 1e9).astype(np.int64) for instants in self._sent))
            self.shared.trend = None
        return True

    @contextmanager
    def metered(self, stage: Stage, producers: Any, for_s: float) -> Iterator[None]:
        begun_s, span, stages = stage.start_s, producers[0].span(), self.shared.timeline.stages
        after = stages[stages.index(stage) + 1]
        assert (stage.start_ns, after.start_ns) == (span.measure_ns, span.end_ns), "what is due is measured"
        yield
        due_s, in_hand_s = self._in(stage.name)
        producers[0].offered = producers[0].achieved = len(due_s)
        done = ((in_hand_s > begun_s) & (in_hand_s <= self.now_s)).sum() / (self.now_s - begun_s)
        used = OF_LOADER + min(1.0, done / self._server.ceiling)
        found = diagnosis(stage.name, OF_LOADER, others_share=0.0, idle_share=1 - used / CORES)
        self.diagnoses[stage.name] = found


def simulated_search(case: Case, server: Server, monkeypatch: pytest.MonkeyPatch) -> CapacitySearch:
    """One that has ended."""
    return _run(SimulatedHost(case, server), monkeypatch)


def _run(host: SimulatedHost, monkeypatch: pytest.MonkeyPatch) -> CapacitySearch:
    for module in (share, team):
        monkeypatch.setattr(module, "time", host)
    monkeypatch.setattr(share, "OpenProducer", Producer)
    search = CapacitySearch(host, lambda _: "q0", range(1), team.Solo())
    search.run()
    return search


def simulated(case: Case, server: Server, monkeypatch: pytest.MonkeyPatch) -> Measurement:
    """What the search finds, as the case of one loader."""
    host = SimulatedHost(case, server)
    search = _run(host, monkeypatch)
    result = LoaderResult(
        case.run_id, case.case_id, 1, 0, 1, "capacity", case.workload.measure_s, True, Ledger({}, {})
    )
    result.probes, result.host = search.probes, {"cores": CORES}
    result.diagnoses = [found for stage, found in host.diagnoses.items() if stage in search.telling()]
    return merge([result], None)
