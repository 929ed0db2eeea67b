"""A capacity search on a server with a programmed ceiling and a programmed cold start, in simulated time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from breakeven.loadgen.merge import Measurement
from breakeven.loadgen.search.probe import best, bound, decisive, held_rate
from breakeven.loadgen.search.rate_search import PRECISION, ROUNDING
from breakeven.steps.case.case_rows import flags_of
from breakeven.terms import Flag
from breakeven.workload.case import CLEAR_S, SCOUT_S, Case
from tests.support.loaders.simulated_search import Server, simulated, simulated_search
from tests.support.scripted.fakes import make_case

CEILING = 1600.0
#: up to which second of the server's life, which share of its ceiling
STARTS: dict[str, tuple[tuple[float, float], ...]] = {
    "warm": (),
    "slow": ((3.0, 0.05), (8.0, 0.3)),
    "stalling": tuple(pair for s in range(8) for pair in ((s + 0.6, 1.0), (s + 1.0, 1e-6))),
    "cold for longer than the warm-up": ((30.0, 0.25),),
}
PAUSE = ((7.0, 1.0), (7.13, 1e-6))
FIRST = [40.0, 500.0, 1590.0, 1700.0, 5000.0, 30_000.0]


#: length of a probe that decides; beyond ``CLEAR_S`` shorter ones scout
SHORT_S, LONG_S = 4.0, 30.0


def case_of(
    first: float, *, measure_s: float = SHORT_S, confirm_s: float = 0.0, limit_s: float = 900
) -> Case:
    work = {"mode": "capacity", "rate": first, "warmup_s": 0.5, "measure_s": measure_s, "drain_s": 120.0}
    return make_case(**work, consume="push", objective_ms=100.0, limit_s=limit_s, confirm_s=confirm_s)


def searched(
    monkeypatch: pytest.MonkeyPatch, first: float, server: Server, measure_s: float = SHORT_S
) -> tuple[Measurement, dict[Flag, str]]:
    """What is found of the server from this first rate, and the flags of its case's row."""
    case = case_of(first, measure_s=measure_s)
    measurement = simulated(case, server, monkeypatch)
    return measurement, flags_of(case, measurement, "measured", "aws", {})


@pytest.mark.parametrize("measure_s", [SHORT_S, LONG_S])
@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("start", STARTS)
def test_a_programmed_ceiling_is_found_within_5_percent_and_unflagged(
    monkeypatch: pytest.MonkeyPatch, start: str, first: float, measure_s: float
) -> None:
    measurement, flags = searched(monkeypatch, first, Server(CEILING, STARTS[start]), measure_s)
    is_near(measurement)
    assert flags == {}


def is_near(measurement: Measurement) -> None:
    """What was found is the ceiling, to the precision of a search."""
    (result,) = measurement.results
    held, failed = best(result.probes), bound(result.probes)
    assert held is not None
    assert failed is not None
    # what grows by less than 0.5% of the rate is held
    assert CEILING / (1 + PRECISION) <= held.rate <= 1.005 * CEILING
    assert failed.rate <= held.rate * (1 + PRECISION)


@pytest.mark.parametrize("first", FIRST[:-1])
def test_few_probes_of_full_length_are_needed_and_the_capacity_rests_on_these_alone(
    monkeypatch: pytest.MonkeyPatch, first: float
) -> None:
    measurement, _ = searched(monkeypatch, first, Server(CEILING), LONG_S)
    probes = measurement.results[0].probes
    scouts = [probe for probe in probes if probe.scouts]
    assert probes[: len(scouts)] == scouts
    assert {probe.for_s for probe in scouts} == {SCOUT_S}
    whole = decisive(probes)
    assert {probe.for_s for probe in whole} == {LONG_S}
    assert len(whole) <= 6
    held, failed = best(probes), bound(probes)
    assert held in whole
    assert failed in whole
    assert {row["for_s"] for row in measurement.rows(case_of(first))["probes"]} == {SCOUT_S, LONG_S}


def test_where_there_is_time_for_one_rate_only_that_is_offered_in_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = case_of(500.0, measure_s=60.0, limit_s=300.0)  # of which up to 120 s are its drain's
    first, *_ = simulated(case, Server(CEILING), monkeypatch).results[0].probes
    assert (first.rate, first.for_s, first.scouts) == (500.0, 60.0, False)


@pytest.mark.parametrize(("pause_s", "each_s"), [(0.15, 6.0), (0.14, 4.7)])
def test_pauses_that_last_for_the_whole_search_do_not_lead_it_astray(
    monkeypatch: pytest.MonkeyPatch, pause_s: float, each_s: float
) -> None:
    """Each is over one message in a hundred of five seconds."""
    at_s = [each_s * number for number in range(1, int(900 / each_s))]
    pauses = tuple(pair for s in at_s for pair in ((s, 1.0), (s + pause_s, 1e-6)))
    case = case_of(200.0, measure_s=60.0)
    probes = simulated(case, Server(CEILING, pauses), monkeypatch).results[0].probes
    held, failed = best(probes), bound(probes)
    assert held is not None
    assert failed is not None
    assert failed.rate <= held.rate * (1 + PRECISION) * (1 + ROUNDING)


def test_where_short_probes_rule_all_out_one_of_full_length_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """It hands out one message in two seconds: the objective cannot be kept."""
    search = simulated_search(case_of(8.0, measure_s=20.0), Server(0.5), monkeypatch)
    assert next(probe.rate for probe in search.probes if not probe.scouts) == 1.0
    assert search.why_none_held().startswith("no rate was held: ")


def test_that_no_time_was_left_for_a_rate_in_full_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    search = simulated_search(case_of(500.0, measure_s=60.0), Server(CEILING), monkeypatch)
    search.probes = [probe for probe in search.probes if probe.scouts]
    assert search.why_none_held() == (
        "no rate was offered for measure_s, 60 s: too little time was left; begin nearer the capacity "
        "(rate), or shorten measure_s"
    )


class Bursting(Server):
    """Hands out half as much again for the first ten seconds of each rate, as one that buffers does."""

    def in_hand_s(self, due_s: Any) -> Any:
        self._at_s = due_s[0] + np.array([0.0, 10.0, 1e5])
        self._work = np.concatenate([[0.0], np.cumsum(np.diff(self._at_s) * self.ceiling * [1.5, 1.0])])
        return super().in_hand_s(due_s)


@pytest.mark.parametrize("first", FIRST[:-1])
def test_what_a_server_holds_for_seconds_only_is_not_its_capacity(
    monkeypatch: pytest.MonkeyPatch, first: float
) -> None:
    measurement, _ = searched(monkeypatch, first, Bursting(CEILING), LONG_S)
    probes = measurement.results[0].probes
    assert max(probe.rate for probe in probes if probe.scouts and probe.held) > 1.1 * CEILING
    held, failed = best(probes), bound(probes)
    assert held is not None
    assert failed is not None
    # ten seconds of half as much again are a sixth of thirty; p99 lets go sooner than the mean
    assert CEILING / (1 + PRECISION) <= held.rate < failed.rate <= 7 / 6 * CEILING * (1 + PRECISION)


@pytest.mark.parametrize("first", FIRST[1:4])
def test_a_pause_that_a_short_probe_fails_by_does_not_lessen_what_a_long_one_finds(
    monkeypatch: pytest.MonkeyPatch, first: float
) -> None:
    """Of 0.13 s, in each 4 of the first half minute and in each 25 from then on."""
    at_s = [*range(5, 35, 4), *range(50, 900, 25)]
    pauses = tuple(pair for s in at_s for pair in ((float(s), 1.0), (s + 0.13, 1e-6)))
    rates = []
    for measure_s in (LONG_S, 60.0):
        measurement, _ = searched(monkeypatch, first, Server(CEILING, pauses), measure_s)
        probes = measurement.results[0].probes
        assert any(not probe.held and probe.rate < 0.8 * CEILING for probe in probes if probe.scouts)
        rates.append(held_rate(probes))
    assert rates[0] == pytest.approx(rates[1], rel=0.1)


@pytest.mark.parametrize("first", FIRST[:-1])
def test_a_server_that_stays_below_its_ceiling_without_being_busy_is_flagged(
    monkeypatch: pytest.MonkeyPatch, first: float
) -> None:
    """A quarter of the ceiling is found, at which the server uses a quarter of a core."""
    measurement, flags = searched(monkeypatch, first, Server(CEILING, ((1e4, 0.25),)))
    held = best(measurement.results[0].probes)
    assert held is not None
    assert held.rate <= 0.26 * CEILING
    assert set(flags) == {"idle_limit"}
    assert "used 0.35 of its 2 cores" in flags["idle_limit"]


def test_a_server_that_is_slow_at_a_low_rate_only_is_flagged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stalls of 80 ms while the first rate is tried, within the objective."""
    stalls = tuple(pair for n in range(100) for pair in ((n / 10 + 0.02, 1.0), (n / 10 + 0.1, 1e-6)))
    measurement, flags = searched(monkeypatch, 100.0, Server(CEILING, stalls))
    assert measurement.results[0].probes[0].held
    assert set(flags) == {"latency_fell"}


def test_a_rate_that_a_short_probe_leaves_open_is_offered_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """One pause of 0.13 s in the first probe's 4 s: more than one message in a hundred waits beyond 0.1 s."""
    measurement, _ = searched(monkeypatch, 500.0, Server(CEILING, PAUSE))
    first, second, *_ = measurement.results[0].probes
    assert (first.rate, first.for_s, first.held) == (500.0, 4.0, False)
    assert (second.rate, second.for_s, second.held) == (500.0, CLEAR_S, True)
    assert first.reason is not None


def test_what_was_found_is_held_again_for_as_long_as_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of(500.0, confirm_s=60.0)
    measurement = simulated(case, Server(CEILING), monkeypatch)
    (result,) = measurement.results
    held, failed = best(result.probes), bound(result.probes)
    assert held is result.probes[-1]
    assert (held.confirms, held.for_s) == (True, 60.0)
    assert held.offered == pytest.approx(60 * held.rate, abs=2)
    assert {probe.for_s for probe in result.probes[:-1]} <= {4.0, CLEAR_S}
    assert failed is not None
    assert failed.rate <= held.rate * (1 + PRECISION)
    assert flags_of(case, measurement, "measured", "aws", {}) == {}


def test_where_it_is_not_held_for_so_long_the_next_lower_rate_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A server that tires after a minute, to 0.6 of its ceiling."""
    case = case_of(500.0, confirm_s=60.0)
    tired = ((60.0, 1.0), (1e4, 0.6))
    measurement = simulated(case, Server(CEILING, tired), monkeypatch)
    (result,) = measurement.results
    tries = [probe for probe in result.probes if probe.confirms]
    held, failed = best(result.probes), bound(result.probes)
    assert held is tries[-1]
    assert failed is tries[-2]
    assert [probe.held for probe in tries] == [*[False] * (len(tries) - 1), True]
    assert len(tries) > 1
    assert held.rate <= 0.6 * CEILING < failed.rate
    assert "not_confirmed" not in flags_of(case, measurement, "measured", "aws", {})


def test_time_is_left_for_confirming_and_where_it_ends_the_flag_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A twentieth less than the ceiling after a minute: the backlog grows until the end of the try."""
    tired = ((60.0, 1.0), (1e4, 0.95))
    case = case_of(500.0, confirm_s=200.0, limit_s=520.0)
    measurement = simulated(case, Server(CEILING, tired), monkeypatch)
    (result,) = measurement.results
    tries = [probe for probe in result.probes if probe.confirms]
    assert [probe.held for probe in tries] == [False]
    found = best(result.probes)
    assert found is not None
    assert found.rate < tries[0].rate
    said = flags_of(case, measurement, "measured", "aws", {})["not_confirmed"]
    assert "1,540 msg/s was not held for 200 s (the backlog may grow by" in said
    assert said.endswith(
        "1,410 msg/s was not offered for 200 s, as too little time was left, or messages were"
    )


def test_a_first_rate_whose_warm_up_does_not_drain_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three seconds of 30,000 messages each take 400 a second 225 s."""
    search = simulated_search(case_of(30_000.0), Server(400.0), monkeypatch)
    assert search.probes == []
    assert search.why_none_held() == (
        "no rate was tried: what the warm-up sent at 30000 messages a second was not received within "
        "drain_s, 120 s, or too little time was left; begin with a lower rate"
    )
