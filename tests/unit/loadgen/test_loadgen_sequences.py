"""Sets of sequences against Python's own sets."""

from __future__ import annotations

import json
import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.loadgen.ledger.sequences import SequenceSet

CHUNK = 4096
#: numbers around the borders of chunks, where mistakes would be
numbers = st.one_of(
    st.integers(min_value=0, max_value=3 * CHUNK),
    st.sampled_from([CHUNK * k + d for k in range(4) for d in (-1, 0, 1) if CHUNK * k + d >= 0]),
)
#: runs fill whole chunks, which single numbers hardly do
runs = st.tuples(numbers, st.integers(min_value=0, max_value=CHUNK + 9))
members = st.builds(
    lambda single, ranges: set(single).union(*(range(start, start + length) for start, length in ranges)),
    st.lists(numbers, max_size=20),
    st.lists(runs, max_size=1),
)


def made(values: set[int]) -> SequenceSet:
    result = SequenceSet()
    for value in values:
        result.add(value)
    return result


@given(members, st.integers())
def test_holds_what_was_added_in_any_order(values: set[int], seed: int) -> None:
    order = sorted(values)
    random.Random(seed).shuffle(order)
    result = SequenceSet()
    assert all(result.add(value) for value in order)
    assert not any(result.add(value) for value in order)
    assert len(result) == len(values)
    assert result == made(values)


@given(members, members)
def test_operations_are_those_of_sets(a: set[int], b: set[int]) -> None:
    mine, theirs = made(a), made(b)
    for result, expected in ((mine | theirs, a | b), (mine & theirs, a & b), (mine - theirs, a - b)):
        assert len(result) == len(expected)
        assert result == made(expected)
    assert (mine, theirs) == (made(a), made(b))  # the operands are as they were


@given(members)
def test_json_gives_the_same_set_back(values: set[int]) -> None:
    again = SequenceSet.from_json(json.loads(json.dumps(made(values).to_json())))
    assert again == made(values)
    assert len(again) == len(values)


@given(st.integers(min_value=0, max_value=3 * CHUNK))
def test_the_first_numbers(count: int) -> None:
    assert SequenceSet.first(count) == made(set(range(count)))
    assert len(SequenceSet.first(count)) == count


@given(members, numbers)
def test_a_copy_goes_its_own_way(values: set[int], number: int) -> None:
    original = made(values)
    copy = original.copy()
    copy.add(number)
    assert original == made(values)
    assert copy == made(values | {number})


def json_bytes(numbers: SequenceSet) -> int:
    return len(json.dumps(numbers.to_json()))


def test_in_order_costs_nothing() -> None:
    assert json_bytes(SequenceSet.first(100_000_000)) < 1000
    grown = SequenceSet()
    for number in range(100_000):
        grown.add(number)
    assert sys.getsizeof(grown._chunks) < 1000
    assert json_bytes(grown) < 1000


@pytest.mark.parametrize("missing", [0, 5, 50_000])
def test_a_gap_costs_one_chunk_and_not_what_follows(missing: int) -> None:
    numbers = SequenceSet.first(missing)
    for number in range(missing + 1, 200_000):
        numbers.add(number)
    assert len(numbers) == 199_999
    assert json_bytes(numbers) < 2500


def test_every_second_number_costs_a_bit_each() -> None:
    """What each of two loaders sees of a queue that they share."""
    numbers = SequenceSet()
    for number in range(0, 200_000, 2):
        numbers.add(number)
    assert json_bytes(numbers) < 200_000 / 8 * 1.5


@given(members, members)
def test_its_numbers_are_listed_in_order(values: set[int], others: set[int]) -> None:
    assert made(values).numbers().tolist() == sorted(values)
    assert (made(values) - made(others)).numbers().tolist() == sorted(values - others)


def test_the_numbers_of_a_run_without_a_few() -> None:
    found = SequenceSet.first(3 * CHUNK + 5) - made({7, CHUNK, 3 * CHUNK})
    assert found.numbers().tolist() == [n for n in range(3 * CHUNK + 5) if n not in {7, CHUNK, 3 * CHUNK}]
