"""Ratios of pairs and their bounds, and when a goal counts as met."""

from __future__ import annotations

import math
import random

import pytest

from bench.contest import Goal, Section, interleave
from bench.intervals import Ratio, ratio, student
from bench.measured import Figures
from bench.table import in_words, markdown


def test_the_bounds_are_those_of_students_t_on_the_logarithms() -> None:
    # by hand: logs 0.1, 0.2, 0.3; mean 0.2, deviation 0.1, t(2) = 4.303, so 0.2 +- 4.303 * 0.1 / sqrt(3)
    found = ratio([math.exp(0.1) * 5, math.exp(0.2) * 50, math.exp(0.3)], [5, 50, 1])
    assert found.mean == pytest.approx(math.exp(0.2))
    assert (found.low, found.high) == pytest.approx((math.exp(0.2 - 0.24843), math.exp(0.2 + 0.24843)), 1e-4)


def test_what_disturbs_both_of_a_pair_alike_does_not_widen_the_bounds() -> None:
    found = ratio([12, 24, 6], [10, 20, 5])
    assert (found.mean, found.low, found.high) == pytest.approx((1.2, 1.2, 1.2))


def test_the_bounds_hold_the_truth_as_often_as_they_say() -> None:
    draw = random.Random(1)
    truth, held, times = 1.3, 0, 2000
    for _ in range(times):
        theirs = [math.exp(draw.gauss(0, 0.5)) for _ in range(7)]
        found = ratio([truth * value * math.exp(draw.gauss(0, 0.1)) for value in theirs], theirs)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert 0.935 <= held / times <= 0.965  # three standard deviations


def test_one_pair_has_no_bounds_and_meets_no_goal() -> None:
    found = ratio([4], [2])
    assert found == Ratio(2.0, None, None)
    assert in_words(found) == "2"
    assert not Goal("t", "peer", "per_s", 1.0).is_met(found)


@pytest.mark.parametrize(("ours", "theirs"), [([], []), ([1, 2], [1])])
def test_what_is_not_paired_is_refused(ours: list[float], theirs: list[float]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        ratio(ours, theirs)


def test_between_two_known_quantiles_the_wider_holds() -> None:
    assert (student(1), student(6), student(30)) == (12.706, 2.447, 2.042)
    assert student(35) == student(30)


def test_a_goal_is_met_by_the_whole_interval() -> None:
    assert Goal("t", "peer", "per_s", 1.15).is_met(Ratio(1.2, 1.16, 1.3))
    assert not Goal("t", "peer", "per_s", 1.15).is_met(Ratio(1.2, 1.14, 1.3))
    assert Goal("t", "peer", "cpu_us", 0.4).is_met(Ratio(0.3, 0.2, 0.39))
    assert not Goal("t", "peer", "cpu_us", 0.4).is_met(Ratio(0.3, 0.2, 0.41))


def test_contenders_take_turns_and_the_order_turns_round() -> None:
    asked: list[str] = []

    def runs(name: str, per_s: float) -> dict[str, Figures]:
        asked.append(name)
        return {"both ways": Figures(per_s, 10.0)}

    section = Section(
        "s", "A section", "message", ("peer", "ours"), (Goal("both ways", "peer", "per_s", 1.5),)
    )
    turns = {"peer": lambda: runs("peer", 100.0), "ours": lambda: runs("ours", 200.0)}
    interleave(section, turns, 3, lambda _: None)
    assert asked == ["peer", "ours", "ours", "peer", "peer", "ours"]
    text = markdown(section)
    assert "| peer | 100 | 10.0 |" in text
    assert "| ours / peer | 2 (2 to 2) | 1 (1 to 1) |" in text
    assert "goal at least 1.5: **met**" in text
