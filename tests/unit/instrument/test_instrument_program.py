"""What is programmed: exact percentiles, exact counts, exact turns."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from itertools import pairwise

import pytest
from pydantic import ValidationError

from breakeven.instrument.fates import FROM, TO, Fate, fates
from breakeven.instrument.latencies import nearest_rank_ms, percentile_ms, shuffled_ns, values_ns
from breakeven.instrument.pace import Pacer, Stalls
from breakeven.instrument.program import PER_MILLE, Latency, Program, Stall, Step
from breakeven.planning.self_test import LATENCY, instrument_cases, program

TABLE = Latency(
    steps=(Step(up_to=0.7, ms=1), Step(up_to=0.97, ms=3), Step(up_to=0.997, ms=12), Step(up_to=1, ms=20))
)
SECOND = 10**9


@pytest.mark.parametrize("count", [1, 7, 100, 999, 1000, 3000, 9998, 10_000, 100_003])
def test_a_sample_of_any_size_has_the_percentiles_that_are_reported(count):
    sample = sorted(shuffled_ns(TABLE, count, "any"))
    assert len(sample) == count
    for per_mille in PER_MILLE.values():
        wanted = counted(sample, per_mille)
        assert percentile_ms(TABLE, count, per_mille) * 1e6 == wanted
        assert nearest_rank_ms(sample, per_mille) == wanted / 1e6


def counted(sample, per_mille):
    """The smallest value that at least that share of the sample does not exceed."""
    seen = 0
    for value, times in sorted(Counter(sample).items()):
        seen += times
        if seen * 1000 >= len(sample) * per_mille:
            return value
    raise AssertionError


@pytest.mark.parametrize("count", [1000, 3000, 9998, 100_000])
def test_the_percentiles_are_those_of_the_table(count):
    found = {name: percentile_ms(TABLE, count, per_mille) for name, per_mille in PER_MILLE.items()}
    assert found == {"p50": 1, "p90": 3, "p99": 12, "p999": 20}


def test_the_order_is_one_of_chance_and_the_same_for_the_same_seed():
    one, again, other = (list(shuffled_ns(TABLE, 1000, seed)) for seed in ("1", "1", "2"))
    assert one == again != other
    assert sorted(one) == sorted(other) == values_ns(TABLE, 1000) != one


@pytest.mark.parametrize(
    "steps",
    [
        (),
        ({"up_to": 0.5, "ms": 1},),
        ({"up_to": 0.5, "ms": 1}, {"up_to": 0.5, "ms": 2}, {"up_to": 1, "ms": 3}),
        ({"up_to": 0.5, "ms": 2}, {"up_to": 1, "ms": 1}),
    ],
)
def test_a_table_that_is_none_is_refused(steps):
    with pytest.raises(ValidationError):
        Latency(steps=steps)


@pytest.mark.parametrize(
    "fields",
    [
        {"messages": 27, "lost": 7},
        {"messages": 100, "protocol": "sqs", "returned": 1},
        {"messages": 100, "protocol": "sqs", "multiple": True},
        {"messages": 100, "stalls": (Stall(at_s=1, for_s=2), Stall(at_s=2, for_s=1))},
        {"messages": 0},
    ],
)
def test_a_program_that_cannot_be_done_is_refused(fields):
    with pytest.raises(ValidationError):
        Program(**{"protocol": "amqp", **fields})


@pytest.mark.parametrize("messages", [80, 1000, 100_000])
def test_fates_are_as_many_as_programmed_and_early_enough(messages):
    asked = {"lost": 7, "duplicated": 5, "reordered": 3, "returned": 2, "nacked": 1}
    made = Program(protocol="amqp", messages=messages, **asked)
    found = fates(made)
    assert Counter(fate.value for fate in found.values()) == asked
    assert int(FROM * messages) <= min(found)
    assert max(found) < TO * messages
    assert found == fates(made) != fates(made.model_copy(update={"seed": 2}))
    assert made.deliveries == messages - 7 - 2 - 1 + 5


def test_no_fate_is_no_fate():
    assert fates(Program(protocol="sqs", messages=1)) == {}
    assert {fate.value for fate in Fate} <= set(Program.model_fields)


def pacer(*stalls, rate=None, latency_ms=0.0):
    clock = Stalls(stalls)
    clock.start(0)
    return Pacer(clock, rate, array("q", [round(latency_ms * 1e6)]))


def test_without_a_rate_an_answer_is_due_after_its_latency():
    paced = pacer(latency_ms=2)
    assert [paced.due_ns(now) for now in (5, 5, 6)] == [2_000_005, 2_000_005, 2_000_006]


def test_a_rate_is_exact_over_many_messages():
    paced = pacer(rate=3000)
    due = [paced.due_ns(0) for _ in range(30_001)]
    assert due[-1] == 10 * SECOND
    assert max(b - a for a, b in pairwise(due)) <= 333_334


def test_an_idle_server_saves_no_turns_up():
    paced = pacer(rate=10)
    assert [paced.due_ns(now) for now in (0, SECOND, SECOND)] == [0, SECOND, SECOND + SECOND // 10]


def test_nothing_is_due_in_a_stall_neither_a_turn_nor_an_answer():
    stall = Stall(at_s=1, for_s=0.5)
    paced = pacer(stall, latency_ms=2)
    end = SECOND + SECOND // 2
    assert paced.due_ns(SECOND - 1) == end  # its turn was before, its answer would be within
    assert paced.due_ns(SECOND) == end + 2_000_000
    assert paced.due_ns(end) == end + 2_000_000


@pytest.mark.parametrize(("arrivals", "rate"), [(1000, 1500), (500, 5000), (800, 801)])
def test_the_backlog_of_a_stall_drains_as_predicted(arrivals, rate):
    """Constant arrivals, a stall of 1 s from 0.5 s on: waiting goes down on a straight line from 1 s."""
    paced = pacer(Stall(at_s=0.5, for_s=1), rate=rate)
    for number in range(4 * arrivals):
        arrived_s = number / arrivals
        waited_s = paced.due_ns(round(arrived_s * 1e9)) / 1e9 - arrived_s
        since = number - arrivals // 2  # messages since the stall began
        wanted = max(0.0, 1 + since / rate - since / arrivals) if since >= 0 else 0.0
        assert waited_s == pytest.approx(wanted, abs=2e-8), number


def test_time_counts_from_the_first_message_only():
    clock = Stalls((Stall(at_s=0, for_s=1),))
    assert clock.after(5) == 5
    clock.start(100)
    clock.start(10 * SECOND)
    assert clock.after(100) == SECOND + 100
    assert clock.after(SECOND + 100) == SECOND + 100


def test_the_cases_of_every_run():
    cases = instrument_cases("run-1", "local", "equal-guarantees")
    assert [case.cell for case in cases] == ["amqp", "sqs"]
    for case in cases:
        made = case.workload.program
        assert made == program(case.cell)
        assert (made.lost, made.duplicated, made.reordered) == (7, 5, 3)
        assert (case.loaders, case.workload.client, case.target) == (1, "native", "instrument")
        assert case.workload.messages == made.messages
        # enough that the p99 is printed: ten samples beyond it, also of what is delivered
        for count in (made.messages, made.deliveries):
            assert count - math.ceil(0.99 * count) >= 10
            assert percentile_ms(LATENCY, count, 990) == 12.0
    assert len({case.tag for case in cases}) == 2
