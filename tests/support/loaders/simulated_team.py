"""A capacity search of several loaders in simulated time, each of which sends at most so much.

Search, orders, judgement and flags are the loaders' own, each in a thread; what is simulated is as in
``simulated_search``, on a clock that moves on when all threads wait. Loaders share one queue, whose messages
come to any of them, and know of their own messages alone how long they took, as functions of AWS do. What one
knows of the others' counts is up to a second old.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Condition, Lock
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from breakeven.errors import CaseError
from breakeven.loadgen.ledger.ledger import Ledger
from breakeven.loadgen.merge import Measurement, merge
from breakeven.loadgen.record.histogram import Histogram
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.search import share, team
from breakeven.loadgen.search.capacity_search import CapacitySearch
from breakeven.loadgen.search.orders import Order
from breakeven.loadgen.self_check.diagnosis import Diagnosis
from breakeven.loadgen.stages import Stage, Timeline
from breakeven.loadgen.workers.arrivals import Span
from breakeven.workload.case import Case
from tests.support.loaders.diagnoses import diagnosis
from tests.support.loaders.simulated_search import EPOCH_S, OF_LOADER, Producer, Server
from tests.support.scripted.fake_meeting import FakeMeeting

#: between two exchanges of counts, and between looks whether queues are empty, seconds
BEAT_S, LOOK_S = 1.0, 0.25
#: of the machine's time: a thread that waits longer has been left alone
STUCK_S = 60.0


class Clock:
    """Stands still while any thread does something."""

    def __init__(self, threads: int) -> None:
        self.now_s, self._threads = EPOCH_S, threads
        self._waiting: dict[object, float] = {}
        self._changed = Condition()

    def time(self) -> float:
        return self.now_s

    def monotonic_ns(self) -> int:
        return round(self.now_s * 1e9)

    def sleep(self, seconds: float) -> None:
        with self._changed:
            ticket, wakes_s = object(), self.now_s + max(seconds, 1e-6)
            self._waiting[ticket] = wakes_s
            self._move_on()
            assert self._changed.wait_for(lambda: self.now_s >= wakes_s, STUCK_S)

    def leave(self) -> None:
        """A thread has come to its end."""
        with self._changed:
            self._threads -= 1
            self._move_on()

    def _move_on(self) -> None:
        """To when the next ones wake, who do not wait any more."""
        if self._waiting and len(self._waiting) == self._threads:
            self.now_s = min(self._waiting.values())
            self._waiting = {each: wakes_s for each, wakes_s in self._waiting.items() if wakes_s > self.now_s}
            self._changed.notify_all()


class World:
    """All loaders' messages: by which loader, when due, when sent, when in hand, in which loader's.

    :param most: messages a second that each loader can send
    """

    def __init__(self, case: Case, server: Server, most: float, clock: Clock) -> None:
        self.case, self.clock, self.most = case, clock, most
        self._server, self._dice = server, np.random.default_rng(2)
        self._lock = Lock()
        self._spans: dict[int, Span] = {}
        self._before = self._now = np.empty((5, 0))
        self.ended = dict.fromkeys(range(case.loaders), 0)

    def offer(self, loader: int, span: Span) -> None:
        with self._lock:
            self._spans[loader] = span

    def messages(self) -> Any:
        """Of all orders, once the time has come at which all begin."""
        with self._lock:
            if any(self.clock.monotonic_ns() >= span.start_ns for span in self._spans.values()):
                self._before, self._now = np.hstack([self._before, self._now]), self._made()
                self._spans = {}
            return np.hstack([self._before, self._now])

    def stop(self, loader: int) -> None:
        """What it has not sent by now it does not send."""
        self.messages()
        with self._lock:
            self._now = self._now[:, (self._now[0] != loader) | (self._now[2] <= self.clock.now_s)]

    def _made(self) -> Any:
        made = [self._sent(loader, span) for loader, span in self._spans.items()]
        rows = np.hstack(made)
        rows = rows[:, np.argsort(rows[2], kind="stable")]
        receivers = self._dice.integers(0, self.case.loaders, rows.shape[1])
        return np.vstack([rows, self._server.in_hand_s(rows[2]), receivers])

    def _sent(self, loader: int, span: Span) -> Any:
        start_s, end_s = span.start_ns / 1e9, span.end_ns / 1e9
        share = span.rate.at(0.0) / self.case.loaders
        places = np.arange(math.floor((end_s - start_s) * share))
        due_s = start_s + (places + loader / self.case.loaders) / share
        sent_s = places / self.most + np.maximum.accumulate(due_s - places / self.most)
        there = sent_s <= span.deadline_ns / 1e9
        return np.array([np.full(there.sum(), loader), due_s[there], sent_s[there]])


class SimulatedLoader:
    """One of them, as its search sees it."""

    def __init__(self, world: World, loader: int) -> None:
        self._world, self._clock, self._loader = world, world.clock, loader
        self.shared: Any = SimpleNamespace(
            case=world.case,
            timeline=Timeline("capacity"),
            recorder=self,
            trend=None,
            signals=SimpleNamespace(check=lambda: None),
        )
        self.diagnoses: dict[str, Diagnosis] = {}
        self._producers: list[Producer] = []
        self._going = False

    def look(self, seconds: float) -> None:
        self._clock.sleep(seconds)
        for producer in self._producers if self._going else ():
            if producer.gave_up or self._clock.monotonic_ns() >= producer.span().deadline_ns:
                producer.ended.set()

    def seconds_left(self) -> float:
        return EPOCH_S + self._world.case.limit_s - self._clock.now_s

    def open(self, workers: Any) -> Any:
        self._producers, self._going = list(workers), False
        return SimpleNamespace(go=self._go)

    def _go(self, start_ns: int) -> None:
        self._going = True
        self._world.offer(self._loader, self._producers[0].span())

    def begin(self, stage: str, opens_s: float) -> Stage:
        return self.shared.timeline.begin(stage, round(opens_s * 1e9), opens_s)

    def histogram(self, stage: str, metric: str) -> Histogram:
        assert metric == "end_to_end"
        found = Histogram()
        _, due_s, _, in_hand_s, _ = self._known(stage)
        seen = in_hand_s <= self._clock.now_s
        found.add_many(np.round((in_hand_s - due_s)[seen] * 1e9).astype(np.int64))
        return found

    def backlog(self) -> int:
        """As last exchanged."""
        at_s = math.floor(self._clock.now_s / BEAT_S) * BEAT_S
        _, _, sent_s, in_hand_s, _ = self._world.messages()
        return int((sent_s <= at_s).sum() - (in_hand_s <= at_s).sum())

    def drained(self, within_s: float, after: int) -> bool:
        world, until_s = self._world, self._clock.now_s + within_s
        if self._producers and self._producers[0].gave_up:
            world.stop(self._loader)
        world.ended[self._loader] = after
        while min(world.ended.values()) < after or world.messages()[3].max(initial=0.0) > self._clock.now_s:
            if self._clock.now_s > until_s:
                return False
            self._clock.sleep(LOOK_S)
        if self.shared.trend is not None:
            _, due_s, _, in_hand_s, _ = self._own()
            self.shared.trend.add(*(np.round(each * 1e9).astype(np.int64) for each in (due_s, in_hand_s)))
            self.shared.trend = None
        return True

    @contextmanager
    def metered(self, stage: Stage, producers: Any, for_s: float) -> Iterator[None]:
        yield
        _, due_s, sent_s, _, _ = self._in(stage.name, self._world.messages(), self._loader)
        span = producers[0].span()
        share = span.rate.at(0.0) / self._world.case.loaders
        offered = round((span.end_ns - span.measure_ns) / 1e9 * share)
        achieved = int(((sent_s <= span.end_ns / 1e9) & (sent_s <= self._clock.now_s)).sum())
        producers[0].offered, producers[0].achieved = offered, achieved
        late_ms = float(np.quantile(sent_s - due_s, 0.99)) * 1e3 if due_s.size else 0.0
        self.diagnoses[stage.name] = diagnosis(
            stage.name,
            OF_LOADER,
            offered=offered,
            achieved=achieved,
            pacing_p99_ms=late_ms,
            blocked_share=0.0,
        )

    def _own(self) -> Any:
        """Messages that it sent, and got itself."""
        rows = self._world.messages()
        return rows[:, (rows[0] == self._loader) & (rows[4] == self._loader)]

    def _known(self, stage: str) -> Any:
        return self._in(stage, self._own(), self._loader)

    def _in(self, stage: str, rows: Any, loader: int) -> Any:
        """Its own that were due in the stage."""
        stages = self.shared.timeline.stages
        names = [each.name for each in stages]
        after = stages[names.index(stage) + 1 :]
        start_s, end_s = stages[names.index(stage)].start_s, after[0].start_s if after else np.inf
        return rows[:, (rows[0] == loader) & (rows[1] >= start_s) & (rows[1] < end_s)]


def simulated_team(
    case: Case,
    server: Server,
    most: float,
    monkeypatch: pytest.MonkeyPatch,
    *,
    ends: Mapping[int, int] | None = None,
) -> list[LoaderResult]:
    """What the loaders of the case leave, each with the reason for which it ended.

    :param most: messages a second that each can send
    :param ends: loader -> the order at which it is gone, without a word
    """
    clock = Clock(case.loaders)
    world, meeting = World(case, server, most, clock), FakeMeeting(case.loaders)
    for module in (share, team):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(share, "OpenProducer", Producer)
    with ThreadPoolExecutor(case.loaders) as pool:
        gone = ends or {}
        jobs = [pool.submit(_run, world, meeting, loader, gone.get(loader)) for loader in range(case.loaders)]
        return [job.result() for job in jobs]


def measured_by(results: list[LoaderResult]) -> Measurement:
    return merge(results, None)


class _Gone(BaseException):
    """As a process that is killed: nothing is tried again."""


def _run(world: World, meeting: FakeMeeting, loader: int, ends: int | None) -> LoaderResult:
    case, host = world.case, SimulatedLoader(world, loader)
    coordinator: Any = meeting.of(loader)
    if ends is not None:
        coordinator = _Leaving(coordinator, ends)
    result = LoaderResult(
        case.run_id,
        case.case_id,
        1,
        loader,
        case.loaders,
        "capacity",
        case.workload.measure_s,
        True,
        Ledger({}, {}),
    )
    search: CapacitySearch | team.Following
    if case.loaders == 1:
        search = CapacitySearch(host, lambda _: "q0", [0], team.Solo())
    elif loader == 0:
        search = CapacitySearch(host, lambda _: "q0", [0], team.Leading(host, coordinator))
    else:
        search = team.Following(host, coordinator, lambda _: "q0", [loader])
    try:
        result.reason = search.run().why
    except (CaseError, _Gone) as error:
        result.reason = str(error)
    finally:
        world.clock.leave()
    result.probes = list(search.probes)
    result.diagnoses = [found for stage, found in host.diagnoses.items() if stage in search.telling()]
    return result


class _Leaving:
    """The coordinator of a loader that is gone when it should begin what was ordered."""

    def __init__(self, coordinator: Any, number: int) -> None:
        self._coordinator, self._number = coordinator, number

    def __getattr__(self, name: str) -> Any:
        return getattr(self._coordinator, name)

    def tell(self, **said: str) -> None:
        order = Order.model_validate_json(said["order"]) if "order" in said else None
        begins = order is not None and order.opens_s is not None and order.number == self._number
        if begins or said.get("ready") == str(self._number):
            raise _Gone("gone")
        self._coordinator.tell(**said)
