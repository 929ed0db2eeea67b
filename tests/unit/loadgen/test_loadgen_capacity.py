"""The capacity search: which rates it tries, when a backlog grows, and a broker whose capacity is known."""

from __future__ import annotations

import random
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from breakeven.errors import CaseError
from breakeven.loadgen.search.capacity_search import PRECISION, RateSearch, slope
from breakeven.loadgen.search.probe import best, bound
from tests.support.loaders.loader_runs import Run, brisk, no_thread_left  # noqa: F401
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
    assert len(set(tried)) == len(tried)


def test_a_search_from_near_takes_few_probes() -> None:
    _, tried = searched(2000, 3300)
    assert tried[:3] == [2000, 4000, pytest.approx(2828.4, abs=0.1)]
    assert len(tried) <= 7


def test_a_search_stops_at_either_end() -> None:
    search, tried = searched(1000, 0.5)
    assert search.held is None
    assert tried[-1] == 1
    search, tried = searched(1000, 1e9, most=5000)
    assert (search.held, search.failed, tried[-1]) == (5000, None, 5000)


def test_a_slope_is_found_with_its_bound() -> None:
    noise = random.Random(1)
    flat = [(second / 20, 50 + noise.randrange(-30, 30)) for second in range(400)]
    found = slope(flat)
    assert found is not None
    assert abs(found.estimate) < 1
    assert found.estimate < found.high < 2
    growing = slope([(second, backlog + round(7 * second)) for second, backlog in flat])
    assert growing is not None
    assert growing.estimate == pytest.approx(found.estimate + 7, abs=0.1)
    assert growing.high > 7
    exact = slope([(second / 10, 3 * second) for second in range(40)])
    assert exact is not None
    assert (exact.estimate, exact.high) == (pytest.approx(30), pytest.approx(30))
    assert slope(flat[:19]) is None


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


@pytest.mark.usefixtures("brisk", "no_thread_left")
def test_a_broker_that_hands_out_300_a_second_is_never_said_to_carry_more() -> None:
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


@pytest.mark.usefixtures("brisk", "no_thread_left")
def test_a_broker_that_holds_nothing_fails_the_case_with_the_reason() -> None:
    fields = {"mode": "capacity", "rate": 2.0, "warmup_s": 0.0, "measure_s": 1.2, "drain_s": 5.0}
    broker = FakeBroker()
    broker.silent.set()
    case = make_case(**fields, consume="push", limit_s=60)
    with pytest.raises(CaseError, match=r"no rate was held: \S+"):
        Run(case, broker, push=True, answer_s=0.0).one(0)
