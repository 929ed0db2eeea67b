"""A capacity search in real time, by real threads, on a broker whose capacity is known.

What is exact without a clock is in ``tests/unit/loadgen/search``. Beside much other work a thread may be late
for the rate that it offers, so that these stand among the tests that are tried once more.
"""

from __future__ import annotations

import threading
import time

import pytest

from breakeven.loadgen.search import capacity_search
from breakeven.loadgen.search.judgement import ENDED
from breakeven.loadgen.search.probe import best, bound
from breakeven.loadgen.self_check import meters
from breakeven.loadgen.self_check.host_use import HostUse
from tests.support.loaders.loader_runs import Run, brisk, no_thread_left  # noqa: F401
from tests.support.scripted.fakes import FakeBroker, make_case

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("brisk", "no_thread_left")]


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


def test_a_rate_that_is_far_too_high_is_ended_early_and_what_was_not_due_yet_counts_for_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(capacity_search, "HOPELESS_S", 0.3)
    fields = {"mode": "capacity", "rate": 1200.0, "window": 500, "warmup_s": 0.2, "measure_s": 2.0}
    case = make_case(**fields, consumers=3, consume="push", limit_s=120, drain_s=20.0)
    measurement = Run(case, SlowBroker(400), push=True, answer_s=0.0).measured()
    (result,) = measurement.results
    tried = result.probes[0]
    assert (tried.held, tried.reason) == (False, ENDED)
    assert tried.offered < 0.9 * tried.rate * 2.0
    assert sum(probe.rate == tried.rate for probe in result.probes) == 1, "a longer probe would tell no more"
    assert best(result.probes) is not None
    assert measurement.ledger.closed


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
