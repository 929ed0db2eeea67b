"""The capacity search: which rates it tries, when a backlog grows, and a broker whose capacity is known."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from breakeven.errors import CaseError
from breakeven.loadgen.record.delay_trend import DelayTrend, Slope, t_95
from breakeven.loadgen.search import capacity_search, team
from breakeven.loadgen.search.probe import best, bound
from breakeven.loadgen.search.rate_search import PRECISION, RateSearch
from breakeven.loadgen.self_check import meters
from breakeven.loadgen.self_check.host_use import HostUse
from tests.support.loaders.loader_runs import Run, brisk, no_thread_left  # noqa: F401
from tests.support.scripted.fake_meeting import FakeCoordinator, FakeMeeting
from tests.support.scripted.fakes import FakeBroker, make_case


def searched(first: float, capacity: float, most: float = 1e7) -> tuple[RateSearch, list[float]]:
    search, tried = RateSearch(first, most), []
    while (rate := search.next) is not None:
        tried.append(rate)
        assert len(tried) < 60
        search.report(rate, rate <= capacity)
    return search, tried


@settings(max_examples=300)
@given(st.floats(1, 1e6), st.floats(2, 1e6))
def test_a_search_ends_within_five_percent_of_the_capacity(first: float, capacity: float) -> None:
    search, tried = searched(first, capacity)
    assert search.held is not None
    assert search.failed is not None
    assert search.held <= capacity < search.failed <= search.held * (1 + PRECISION)
    assert tried.pop() == search.failed, "what bounds it is tried again"
    assert len(set(tried)) == len(tried)


def test_a_search_from_near_takes_few_probes() -> None:
    _, tried = searched(2000, 3300)
    assert tried[:3] == [2000, 4000, pytest.approx(2828.4, abs=0.1)]
    assert len(tried) <= 8


def test_a_search_stops_at_either_end() -> None:
    search, tried = searched(1000, 0.5)
    assert search.held is None
    assert tried[-1] == 1
    search, tried = searched(1000, 1e9, most=5000)
    assert (search.held, search.failed, tried[-1]) == (5000, None, 5000)


@settings(max_examples=300)
@given(st.floats(1, 1e5), st.floats(100, 1e5), st.sets(st.integers(0, 30), max_size=12))
def test_rates_that_fail_once_by_chance_do_not_lessen_the_capacity(
    first: float, capacity: float, unlucky: set[int]
) -> None:
    """As on a broker that is cold at first. No two of a rate's tries are unlucky here."""
    search, tries, chances = RateSearch(first, 1e7), Counter[float](), 0
    while (rate := search.next) is not None:
        tries[rate] += 1
        chances += tries[rate] == 1
        spoilt = tries[rate] == 1 and chances in unlucky
        search.report(rate, rate <= capacity and not spoilt)
        assert tries.total() < 200
    assert search.held is not None
    assert search.failed is not None
    assert search.held <= capacity < search.failed <= search.held * (1 + PRECISION)
    assert tries[search.failed] == 2


def test_a_search_that_nothing_is_held_in_ends() -> None:
    search, tried = RateSearch(8, 1e7), []
    while (rate := search.next) is not None:
        tried.append(rate)
        search.report(rate, False)
    assert tried == [8, 4, 2, 1, 1]


def delays(growth: float, rate: float = 1000.0, seconds: float = 2.0, noise_s: float = 0.002) -> DelayTrend:
    """Messages of a second each ``growth`` seconds later than those of the second before."""
    dice, start_ns = random.Random(1), 5_000_000_000
    trend = DelayTrend(start_ns, start_ns + round(seconds * 1e9))
    due = start_ns + np.arange(round(rate * seconds)) * round(1e9 / rate)
    noise = np.array([dice.random() * noise_s for _ in due])
    waits = np.round((0.003 + (due - start_ns) / 1e9 * growth + noise) * 1e9).astype(np.int64)
    for places in np.array_split(np.arange(len(due)), 7):
        trend.add(due[places], due[places] + waits[places])
    return trend


@pytest.mark.parametrize("growth", [0.0, 0.004, 0.1, -0.01])
def test_a_delay_that_grows_is_found_to_a_thousandth_within_two_seconds(growth: float) -> None:
    found = delays(growth).slope()
    assert found is not None
    assert found.estimate == pytest.approx(growth, abs=0.0005)
    assert growth <= found.high < growth + 0.001
    assert found.times(1000) == Slope(1000 * found.estimate, 1000 * found.high)


def test_a_delay_is_of_the_messages_that_were_due_in_the_probe() -> None:
    trend = delays(0.0)
    before = trend.slope()
    trend.add([4_999_999_999, 7_000_000_000], [9_000_000_000, 9_000_000_000])
    assert trend.slope() == before


def test_few_messages_tell_nothing_of_a_growth() -> None:
    assert delays(0.0, rate=2.0).slope() is None
    assert delays(0.0, rate=3.0).slope() is not None
    assert DelayTrend(0, 1).slope() is None


@pytest.mark.parametrize(("freedom", "quantile"), [(3, 2.3534), (5, 2.0150), (18, 1.7341), (1000, 1.6464)])
def test_the_quantiles_of_students_t_are_near_the_tables(freedom: int, quantile: float) -> None:
    assert t_95(freedom) == pytest.approx(quantile, rel=0.02)


class SlowBroker(FakeBroker):
    """Hands out at most so many messages a second."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self._gap_s, self._next, self._turn = 1 / rate, 0.0, threading.Lock()

    def take(self, queue: str):
        with self._turn:
            now = time.monotonic()
            if now < self._next:
                return None
            message = super().take(queue)
            if message is not None:
                # a server that has work never rests: its next message counts from the last one, not from now
                self._next = max(self._next + self._gap_s, now - 0.05)
            return message


class BusyHost:
    """A host of which three other workers take their share."""

    def use(self) -> HostUse:
        return HostUse(others_share=0.6, steal_share=0.0, idle_share=0.1)


@pytest.mark.thorough
@pytest.mark.usefixtures("brisk", "no_thread_left")
def test_a_broker_that_hands_out_300_a_second_is_never_said_to_carry_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(meters, "HostMeter", BusyHost)
    fields = {"mode": "capacity", "rate": 150.0, "window": 500, "warmup_s": 0.2, "measure_s": 1.5}
    case = make_case(**fields, consumers=3, consume="push", objective_ms=150.0, limit_s=120)
    measurement = Run(case, SlowBroker(300), push=True, answer_s=0.0).measured()
    (result,) = measurement.results
    held, failed = best(result.probes), bound(result.probes)
    assert held is not None
    assert failed is not None
    # a busy host may make it seem less, never more
    assert held.rate <= 315
    assert held.rate < failed.rate
    assert failed.reason
    assert measurement.ledger.closed
    assert measurement.ledger.lost == 0
    # the case's figures are those of the best probe
    assert measurement.totals["produce"].cell.latencies.count == held.offered
    rows = measurement.rows(case)
    assert [row["number"] for row in rows["probes"]] == list(range(1, len(result.probes) + 1))
    assert {row["stage"] for row in rows["loaders"]} == {held.stage, failed.stage}
    # and its flags are those of the two probes between which the capacity lies
    who = measurement.flags["busy_host"].partition(": other programs than this run's")[0]
    assert set(who.removeprefix("loader 0, ").split(" and ")) == {held.stage, failed.stage}


@pytest.mark.thorough
@pytest.mark.usefixtures("brisk", "no_thread_left")
def test_a_rate_that_is_far_too_high_is_ended_early_and_what_was_not_due_yet_counts_for_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(capacity_search, "HOPELESS_S", 0.3)
    fields = {"mode": "capacity", "rate": 1200.0, "window": 500, "warmup_s": 0.2, "measure_s": 2.0}
    case = make_case(**fields, consumers=3, consume="push", limit_s=120, drain_s=20.0)
    measurement = Run(case, SlowBroker(400), push=True, answer_s=0.0).measured()
    (result,) = measurement.results
    tried = result.probes[0]
    assert (tried.held, tried.reason) == (False, capacity_search.ENDED)
    assert tried.offered < 0.9 * tried.rate * 2.0
    assert sum(probe.rate == tried.rate for probe in result.probes) == 1, "a longer probe would tell no more"
    assert best(result.probes) is not None
    assert measurement.ledger.closed


@pytest.mark.thorough
@pytest.mark.usefixtures("brisk", "no_thread_left")
def test_two_loaders_share_each_rate_and_one_of_them_judges() -> None:
    fields = {"mode": "capacity", "rate": 150.0, "window": 500, "warmup_s": 0.2, "measure_s": 1.5}
    workers = {"producers": 2, "consumers": 4, "consume": "push", "loaders": 2}
    case = make_case(**fields, **workers, objective_ms=250.0, limit_s=120, drain_s=20.0)
    measurement = Run(case, SlowBroker(300), push=True, answer_s=0.0).measured()
    first, second = measurement.results
    held = best(first.probes)
    assert held is not None
    assert held.rate <= 315
    assert second.probes == []
    assert first.stages.keys() == second.stages.keys() | {name for name in first.stages if "settling" in name}
    assert measurement.ledger.closed
    assert measurement.ledger.lost == 0
    sent = [sum(each.sent for each in result.ledger.producers.values()) for result in (first, second)]
    assert sent[0] == pytest.approx(sent[1], rel=0.1), "each has its share"
    assert measurement.totals["produce"].cell.latencies.count == held.offered
    assert {row["loader"] for row in measurement.rows(case)["loaders"] if row["stage"] == held.stage} == {
        0,
        1,
    }


@pytest.mark.usefixtures("brisk", "no_thread_left")
def test_a_loader_that_is_not_heard_of_fails_the_search_and_the_others_ledger_is_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Meeting(FakeMeeting):
        def of(self, loader: int) -> FakeCoordinator:
            coordinator: Any = super().of(loader)
            if loader == 1:
                coordinator.tell = lambda **said: None
            return coordinator

    monkeypatch.setattr(team, "PATIENCE_S", 1.0)
    fields = {"mode": "capacity", "rate": 100.0, "window": 500, "warmup_s": 0.2, "measure_s": 1.2}
    workers = {"producers": 2, "consumers": 2, "consume": "push", "loaders": 2}
    case = make_case(**fields, **workers, limit_s=60, drain_s=2.0, start_deadline_s=2.0)
    run = Run(case, FakeBroker(), Meeting(2), push=True, answer_s=0.0)
    with ThreadPoolExecutor(2) as pool:
        first, second = (pool.submit(run.one, number) for number in range(2))
        with pytest.raises(CaseError, match="loader 1 was not ready for the next rate within 2 s"):
            first.result()
        with pytest.raises(CaseError, match="the first loader began no rate that it had ordered"):
            second.result()
    last = run.checkpoints[0][-1]
    assert last.final
    assert last.reason == "loader 1 was not ready for the next rate within 2 s"


@pytest.mark.usefixtures("brisk", "no_thread_left")
def test_a_broker_that_holds_nothing_fails_the_case_with_the_reason() -> None:
    fields = {"mode": "capacity", "rate": 2.0, "warmup_s": 0.0, "measure_s": 1.2, "drain_s": 5.0}
    broker = FakeBroker()
    broker.silent.set()
    case = make_case(**fields, consume="push", limit_s=60)
    with pytest.raises(CaseError, match=r"no rate was held: \S+"):
        Run(case, broker, push=True, answer_s=0.0).one(0)
