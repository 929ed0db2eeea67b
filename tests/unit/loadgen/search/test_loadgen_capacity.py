"""The capacity search: which rates it tries, when a backlog grows, and a broker whose capacity is known."""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from breakeven.errors import CaseError
from breakeven.loadgen.record.delay_trend import DelayTrend, Slope, t_95
from breakeven.loadgen.search import team
from breakeven.loadgen.search.rate_search import PRECISION, RateSearch
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


def test_a_search_from_very_near_goes_in_steps_that_grow() -> None:
    def steps(capacity: float) -> list[float]:
        search, tried = RateSearch(1000, 1e7, step=1.1025), []
        while (rate := search.next) is not None:
            tried.append(round(rate))
            search.report(rate, rate <= capacity)
        assert search.held is not None
        assert search.held <= capacity <= search.held * (1 + PRECISION)
        return tried

    assert steps(1060) == [1000, 1102, 1050, 1102]
    assert steps(2900)[:5] == [1000, 1102, 1340, 1980, 3960]
    assert steps(800)[:3] == [1000, 907, 746]


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
