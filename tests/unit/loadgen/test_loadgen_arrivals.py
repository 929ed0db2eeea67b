"""Courses and arrivals against plain sums."""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from breakeven.loadgen.workers.arrivals import Arrivals, Span, when
from breakeven.workload.case import Step
from breakeven.workload.rate_profile import Profile, rate_profile
from tests.support.scripted.fakes import make_case

START = 5_000_000_000
STEPS = st.builds(
    Step,
    value=st.floats(0, 5000, allow_subnormal=False).map(lambda value: round(value, 3)),
    for_s=st.integers(1, 200).map(lambda tenths: tenths / 10),
    ramp=st.booleans(),
)


def arrivals(end_s: float, producer: int = 0, **workload: object) -> list[int]:
    made = schedule(end_s, producer, **workload)
    return [instant - START for instant in made.rest(sys.maxsize)]


def schedule(end_s: float, producer: int = 0, **workload: object) -> Arrivals:
    case, end_ns = make_case(warmup_s=0, **workload), START + round(end_s * 1e9)
    return Arrivals(case, producer, Span(rate_profile(case.workload), START, START, end_ns, end_ns))


PIECES = 20_000


def sums(profile: Profile, until_s: float) -> float:
    """The integral by the midpoint rule, which is off by at most half a piece at each jump."""
    width = until_s / PIECES
    return sum(profile.at((piece + 0.5) * width) for piece in range(PIECES)) * width


def test_a_constant_rate_is_evenly_spaced_from_the_start():
    assert arrivals(0.01, rate=1000, producers=1) == [n * 1_000_000 for n in range(10)]


def test_producers_of_a_constant_rate_take_turns():
    found = [arrivals(1, producer, rate=300, producers=3) for producer in range(3)]
    assert [len(each) for each in found] == [100, 100, 100]
    together = sorted(itertools.chain(*found))
    assert together == [round(n / 300 * 1e9) for n in range(300)]


def test_many_arrivals_come_in_chunks_without_a_seam():
    found = arrivals(3, rate=1000, producers=1)
    assert len(found) == 3000
    assert set(np.diff(found)) == {1_000_000}


@given(st.integers(1, 50_000), st.integers(1, 4000))
def test_what_would_be_due_at_the_end_belongs_to_what_comes_after_it(rate: int, messages: int):
    """Also where a quotient of floats lies a little before it and its nanosecond does not."""
    end_s = messages / rate
    found = arrivals(end_s, rate=float(rate), producers=1)
    assert found == [round(n * 1e9 / rate) for n in range(messages)]
    assert found[-1] < round(end_s * 1e9)


def test_what_is_due_is_taken_once_and_in_order():
    made = schedule(1, rate=1000, producers=1)
    assert made.due(START - 1) == 0
    assert made.next_ns == START
    assert made.due(START + 2_500_000) == 3
    assert made.take(2) == [START, START + 1_000_000]
    assert made.due(START + 2_500_000) == 1
    assert made.next_ns == START + 2_000_000
    assert made.rest(START + 3_500_000) == [START + 2_000_000, START + 3_000_000]
    assert made.next_ns == START + 4_000_000
    made.rest(sys.maxsize)
    assert made.next_ns is None
    assert made.due(START + 10**12) == 0


def test_steps_and_ramps_give_as_many_as_they_add_up_to():
    steps = (Step(value=400, for_s=2, ramp=True), Step(value=400, for_s=1), Step(value=0, for_s=1))
    found = arrivals(10, rate=100, profile=steps, producers=1)
    # 100 to 400 over 2 s are 500, then 400 for a second, then none, however long it lasts
    assert len(found) == 900
    seconds = np.array(found) / 1e9
    assert int((seconds < 2).sum()) == 500
    assert 1.98 < seconds[500] - seconds[0] <= 2.0
    middle = Profile(100, 0, steps)
    assert middle.at(1) == 250


def test_the_lead_holds_the_first_value():
    profile = rate_profile(make_case(warmup_s=3, rate=10, profile=(Step(value=20, for_s=1),)).workload)
    assert [profile.at(second) for second in (0, 2.9, 3, 99)] == [10, 10, 20, 20]


def test_poisson_arrivals_have_the_rate_and_exponential_gaps_and_are_the_same_again():
    again = [arrivals(100, 1, rate=400, arrivals="poisson", producers=2) for _ in range(2)]
    assert again[0] == again[1]
    other = arrivals(100, 0, rate=400, arrivals="poisson", producers=2)
    assert other[:10] != again[0][:10]
    gaps = np.diff(again[0]) / 1e9
    expected = 200 * 100
    assert abs(len(again[0]) - expected) < 4 * math.sqrt(expected)
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.05)
    assert np.quantile(gaps, 0.5) == pytest.approx(math.log(2) / 200, rel=0.05)


@settings(max_examples=40, deadline=None)
@given(st.floats(0.1, 3000), st.integers(0, 30).map(float), st.lists(STEPS, max_size=4), st.floats(0.1, 70))
def test_a_profile_s_integral_and_its_inverse_belong_together(first, lead_s, steps, until_s):
    profile = Profile(first, lead_s, steps)
    total = profile.integral(until_s)
    at_a_jump = until_s / PIECES / 2 * 5000
    assert total == pytest.approx(sums(profile, until_s), rel=1e-4, abs=at_a_jump * (len(steps) + 1) + 1)
    if total > 1:
        wanted = np.linspace(0, total, 7)[1:-1]
        instants = when(profile, wanted)
        assert [profile.integral(instant) for instant in instants] == pytest.approx(
            wanted, rel=1e-6, abs=1e-6
        )
        assert list(instants) == sorted(instants)
