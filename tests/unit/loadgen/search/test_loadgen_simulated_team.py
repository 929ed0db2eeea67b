"""A capacity search by several loaders on a server with a programmed ceiling, in simulated time."""

from __future__ import annotations

import pytest

from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.search.probe import best, bound
from breakeven.loadgen.search.rate_search import PRECISION
from breakeven.steps.case.case_rows import flags_of
from breakeven.terms import Flag
from breakeven.workload.case import Case
from tests.support.loaders.simulated_search import Server
from tests.support.loaders.simulated_team import measured_by, simulated_team
from tests.support.scripted.fakes import make_case

CEILING = 1600.0
#: messages a second that one loader can send: four of them are enough
WEAK = 500.0


def case_of(loaders: int, first: float = 400.0, confirm_s: float = 0.0) -> Case:
    work = {"mode": "capacity", "rate": first, "warmup_s": 0.5, "measure_s": 4.0, "drain_s": 60.0}
    return make_case(
        **work,
        consume="push",
        objective_ms=100.0,
        limit_s=2000,
        loaders=loaders,
        producers=loaders,
        consumers=loaders,
        confirm_s=confirm_s,
    )


def flags_raised(case: Case, results: list[LoaderResult]) -> dict[Flag, str]:
    return flags_of(case, measured_by(results), "measured", "aws", {})


@pytest.mark.parametrize("first", [100.0, 1590.0, 12_000.0])
def test_four_loaders_find_a_ceiling_within_5_percent_that_is_too_high_for_one(
    monkeypatch: pytest.MonkeyPatch, first: float
) -> None:
    case = case_of(4, first)
    results = simulated_team(case, Server(CEILING), WEAK, monkeypatch)
    assert [result.reason for result in results] == [None] * 4
    assert [bool(result.probes) for result in results] == [True, False, False, False]
    held, failed = best(results[0].probes), bound(results[0].probes)
    assert held is not None
    assert failed is not None
    assert CEILING / (1 + PRECISION) <= held.rate <= 1.005 * CEILING
    assert failed.rate <= held.rate * (1 + PRECISION)
    assert held.offered == pytest.approx(held.rate * 4, abs=4)
    assert "loader_saturated" not in flags_raised(case, results)


@pytest.mark.parametrize("loaders", [1, 2])
def test_too_few_loaders_say_that_they_were_the_limit_and_how_many_they_were(
    monkeypatch: pytest.MonkeyPatch, loaders: int
) -> None:
    case = case_of(loaders)
    results = simulated_team(case, Server(CEILING), WEAK, monkeypatch)
    held = best(results[0].probes)
    assert held is not None
    assert held.rate <= 1.02 * WEAK * loaders
    said = flags_raised(case, results)["loader_saturated"]
    assert "messages due, under 99%, and the target left room" in said
    count = "1 loader" if loaders == 1 else f"{loaders} loaders"
    assert said.endswith(f"the search had {count}, and more of them (loaders) may find a higher rate")


def test_several_loaders_confirm_together(monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of(4, 1000.0, confirm_s=30.0)
    results = simulated_team(case, Server(CEILING), WEAK, monkeypatch)
    held = best(results[0].probes)
    assert held is not None
    assert (held.confirms, held.for_s) == (True, 30.0)
    assert held.offered == pytest.approx(30 * held.rate, abs=4)
    assert [each.offered for each in results[3].diagnoses if each.stage == held.stage] == [
        pytest.approx(30 * held.rate / 4, abs=1)
    ]
    assert {"loader_saturated", "not_confirmed"}.isdisjoint(flags_raised(case, results))


def test_a_loader_that_is_gone_ends_the_case_at_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    results = simulated_team(case_of(3), Server(CEILING), WEAK, monkeypatch, ends={2: 3})
    assert results[2].reason == "gone"
    assert results[0].reason == "loader 2 was not ready for the next rate within 10 s"
    assert results[1].reason == "the first loader began no rate that it had ordered within 30 s"


def test_without_the_first_loader_the_others_end_too(monkeypatch: pytest.MonkeyPatch) -> None:
    results = simulated_team(case_of(2), Server(CEILING), WEAK, monkeypatch, ends={0: 2})
    assert [result.reason for result in results] == [
        "gone", "the first loader began no rate that it had ordered within 30 s"
    ]  # fmt: skip


def test_a_first_rate_that_no_loader_holds_fails_all_with_one_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    results = simulated_team(case_of(2, 30_000.0), Server(40.0), 1e6, monkeypatch)
    (reason,) = {result.reason for result in results}
    assert reason
    assert reason.startswith("no rate was tried: what the warm-up sent at 30000 messages a second")
