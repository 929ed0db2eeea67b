"""The test of two runs' repeats: its distribution, its floor, and Holm's correction."""

from __future__ import annotations

import math
import re
from pathlib import Path
from statistics import stdev

import pytest

from breakeven.report.drift.significance import (
    LEAST_DEVIATION,
    cells_needed,
    interval_of_repeats,
    p_of_ratios,
    p_of_repeats,
    quantile,
    significant,
    two_sided,
)

ROOT = Path(__file__).parents[4]
#: NIST's 0.975 quantiles, as the queries have them
QUANTILES = re.findall(r"\((\d+), ([\d.]+)E0\)", (ROOT / "queries" / "parts" / "student_t.sql").read_text())


@pytest.mark.parametrize(("freedom", "quantile"), QUANTILES)
def test_students_t_is_that_of_the_tables(freedom: str, quantile: str) -> None:
    assert two_sided(float(quantile), int(freedom)) == pytest.approx(0.05, abs=1e-4)
    assert two_sided(-float(quantile), int(freedom)) == two_sided(float(quantile), int(freedom))


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 17])
def test_no_difference_is_certain_chance_and_a_large_one_is_none(freedom: int) -> None:
    assert two_sided(0.0, freedom) == 1.0
    assert 0.0 <= two_sided(1e9, freedom) < 1e-8


def test_a_worked_example_by_hand() -> None:
    """Logarithms 0, 0.2 and 1.0, 1.2: means apart by 1, variances 0.02, t = 1 / sqrt(0.02), 2 degrees."""
    before, after = ([math.exp(x) for x in logs] for logs in ((0.0, 0.2), (1.0, 1.2)))
    t = 1 / math.sqrt(0.02)
    # of two degrees the share within is t / sqrt(2 + t^2)
    assert p_of_repeats(before, after) == pytest.approx(1 - t / math.sqrt(2 + t * t), rel=1e-9)
    assert p_of_repeats([1000 * x for x in before], [1000 * x for x in after]) == pytest.approx(
        p_of_repeats(before, after)
    )


def test_repeats_that_agree_to_the_digit_are_not_more_certain_than_the_least_deviation() -> None:
    assert p_of_repeats([100.0, 100.0], [100.5, 100.5]) > 0.5
    assert p_of_repeats([100.0] * 5, [100.0 * math.exp(20 * LEAST_DEVIATION)] * 5) < 1e-6


@pytest.mark.parametrize(
    ("before", "after"), [([1.0], [1.0, 2.0]), ([1.0, 2.0], []), ([0.0, 1.0], [1.0, 1.0])]
)
def test_what_cannot_be_judged_is_refused(before: list[float], after: list[float]) -> None:
    with pytest.raises(ValueError, match="two positive figures"):
        p_of_repeats(before, after)


@pytest.mark.parametrize(("freedom", "of_the_tables"), QUANTILES)
def test_quantiles_are_those_of_the_tables(freedom: str, of_the_tables: str) -> None:
    assert quantile(int(freedom)) == pytest.approx(float(of_the_tables), abs=2e-3)


def test_an_interval_by_hand() -> None:
    """Logarithms 0 and 0.2: mean 0.1, deviation 0.2 / sqrt(2), and t of one degree 12.706."""
    low, high = interval_of_repeats([1.0, math.exp(0.2)]) or (0.0, 0.0)
    assert (math.log(low), math.log(high)) == pytest.approx((0.1 - 1.2706, 0.1 + 1.2706), abs=1e-3)
    assert interval_of_repeats([1.0]) is None


def test_holm_rejects_step_by_step_and_stops_at_the_first_that_is_not() -> None:
    # of four at 5%: 0.0125, 0.0167, 0.025, 0.05
    assert significant([0.03, 0.01, 0.04, 0.016], 0.05) == [False, True, False, True]
    assert significant([0.013, 0.014, 0.015, 0.9], 0.05) == [False] * 4
    assert significant([], 0.05) == []


@pytest.mark.parametrize("level", [0.025, 0.025 / 6])
def test_as_many_cells_as_are_said_would_do_and_one_less_would_not(level: float) -> None:
    ratios = [1.1, 1.9, 1.1]
    needed = cells_needed(ratios, level)
    assert needed
    assert p_of_ratios(ratios) > level
    of_one = math.fsum(map(math.log, ratios)) / 3 / stdev(map(math.log, ratios))
    assert two_sided(of_one * math.sqrt(needed), needed - 1) <= level
    assert two_sided(of_one * math.sqrt(needed - 1), needed - 2) > level


def test_of_cells_that_hardly_differ_from_chance_no_number_is_known() -> None:
    assert cells_needed([2.0, 0.5, 1.0001], 0.025) is None
