"""A batch is recorded as its messages would be one by one, whatever it spans and however it is given."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from breakeven.loadgen.record.cell import Cell
from breakeven.loadgen.record.histogram import MAX_NS, Histogram, bin_of, bins_of
from breakeven.loadgen.record.recorder import FEW, HANDFUL, Recorder
from breakeven.loadgen.record.timestamps import Timestamps
from breakeven.loadgen.stages import Timeline

SECOND_NS = 10**9
CELL = TypeAdapter(Cell)
#: warm-up, measured stage and drain start here; before the first nothing is recorded
STARTS_NS = {"warmup": 5 * SECOND_NS, "measure": 10 * SECOND_NS, "drain": 13 * SECOND_NS}
#: on either side of every change of method
SIZES = sorted({0, 1, 2, HANDFUL - 1, HANDFUL, 8, FEW - 1, FEW, FEW + 1, 200})
FORMS = ("list", "array")

instant = st.integers(4 * SECOND_NS, 15 * SECOND_NS)
edge = st.builds(lambda second, off: second * SECOND_NS + off, st.integers(4, 15), st.integers(-1, 1))
#: everything in one second; in a few; or all over the stages
batch_start = st.tuples(
    instant | edge, st.sampled_from([10**6, SECOND_NS // 2, 2 * SECOND_NS, 9 * SECOND_NS])
)


def recorder() -> Recorder:
    timeline = Timeline("parallel")
    for name, start_ns in STARTS_NS.items():
        timeline.begin(name, start_ns, start_ns / SECOND_NS)
    return Recorder(timeline)


def plain(recorded: Recorder) -> dict[str, str]:
    """Cells as JSON: what leaves the loader, so that no number of numpy's is in it."""
    return {"/".join(key): CELL.dump_json(cell).decode() for key, cell in sorted(recorded.cells().items())}


def given_as(form: str, numbers: Sequence[int]) -> Timestamps:
    return np.array(numbers, dtype=np.int64) if form == "array" else list(numbers)


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    (first, spread), size = draw(batch_start), draw(st.sampled_from(SIZES))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    starts = first + random.integers(0, spread, size)
    took = random.integers(0, draw(st.sampled_from([1, 2**11, 10**7, 4 * SECOND_NS])), size)
    return starts.tolist(), (starts + took).tolist()


@settings(deadline=None, max_examples=300)
@given(st.lists(batches(), min_size=1, max_size=3), st.sampled_from(FORMS), st.sampled_from(FORMS), st.data())
def test_operations_are_as_one_by_one(
    given_batches: list[tuple[list[int], list[int]]], first: str, second: str, data: st.DataObject
) -> None:
    one_by_one, bulk = recorder(), recorder()
    for starts, ends in given_batches:
        shared = data.draw(st.sampled_from(["none", "start", "end", "both"])) if starts else "none"
        intended: Timestamps = given_as(first, starts)
        completed: Timestamps = given_as(second, ends)
        if shared in {"start", "both"}:
            intended = min(starts)
        if shared in {"end", "both"}:
            completed = max(ends)
        metric = data.draw(st.sampled_from(["produce", "end_to_end", "nothing that is measured"]))
        bulk.operations(metric, intended, completed, 7)
        count = 1 if shared == "both" else len(starts)
        begun = [intended] * count if isinstance(intended, int) else starts
        ended = [completed] * count if isinstance(completed, int) else ends
        for start, end in zip(begun, ended, strict=True):
            one_by_one.operation(metric, start, end, 7)
    assert plain(bulk) == plain(one_by_one)


@settings(deadline=None, max_examples=200)
@given(batches(), st.sampled_from([*FORMS, "int"]))
def test_completions_are_as_one_by_one(batch: tuple[list[int], list[int]], form: str) -> None:
    one_by_one, bulk = recorder(), recorder()
    ends, count = batch[1], len(batch[1])
    if form == "int" and ends:
        bulk.completions("consume", ends[0], count, 7)
        ends = [ends[0]] * count
    else:
        bulk.completions("consume", given_as("list" if form == "int" else form, ends), count, 7)
    for end in ends:
        one_by_one.completions("consume", end, 1, 7)
    assert plain(bulk) == plain(one_by_one)


@pytest.mark.parametrize("at_s", [1, 7, 11, 14])
def test_skips_errors_and_empty_asks_by_count(at_s: int) -> None:
    one_by_one, bulk = recorder(), recorder()
    at_ns = at_s * SECOND_NS + 5
    for _ in range(3):
        one_by_one.skip("end_to_end", at_ns)
        one_by_one.starved("consume", at_ns)
        one_by_one.error("produce", at_ns, "nacked")
    bulk.skip("end_to_end", at_ns, 3)
    bulk.starved("consume", at_ns, 3)
    bulk.error("produce", at_ns, "nacked", 3)
    assert plain(bulk) == plain(one_by_one)
    for found in (bulk.errors(), one_by_one.errors()):  # by the wall clock, which each looks at
        assert [(each.operation, each.kind, each.count) for each in found] == [("produce", "nacked", 3)]
        assert [each.first_at for each in found] == [each.last_at for each in found]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, HANDFUL, FEW, 200])
def test_an_end_before_its_start_is_refused(form: str, size: int) -> None:
    starts, ends = [11 * SECOND_NS] * size, [11 * SECOND_NS] * (size - 1) + [11 * SECOND_NS - 1]
    with pytest.raises(ValueError, match="-1 ns"):
        recorder().operations("produce", given_as(form, starts), given_as(form, ends), 1)
    # also where a stage lies between the two
    late = [STARTS_NS["drain"]] * size
    with pytest.raises(ValueError, match="-1 ns"):
        recorder().operations("produce", given_as(form, late), STARTS_NS["drain"] - 1, 1)
    # and where the others of the batch began before the stage that they ended in
    mixed = given_as(form, [7 * SECOND_NS] * size + late[:1])
    with pytest.raises(ValueError, match="-1 ns"):
        recorder().operations("produce", mixed, STARTS_NS["drain"] - 1, 1)


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="2 and 3"):
        recorder().operations("produce", [1, 2], [1, 2, 3], 1)
    with pytest.raises(ValueError, match="4 completions at 2"):
        recorder().completions("consume", np.array([1, 2]), 4, 1)


values = st.integers(0, 4096) | st.integers(0, 2**43) | st.integers(2**60, 2**63 - 1)


@settings(deadline=None)
@given(st.lists(st.lists(values, max_size=300) | values, max_size=12), st.sampled_from(FORMS))
def test_many_values_are_counted_as_each_of_them(groups: list[list[int] | int], form: str) -> None:
    one_by_one, bulk = Histogram(), Histogram()
    for group in groups:
        if isinstance(group, int):
            bulk.add(group)
        else:
            bulk.add_many(given_as(form, group))  # type: ignore[arg-type]
        for value in [group] if isinstance(group, int) else group:
            one_by_one.add(value)
            assert one_by_one.count, "asked in between, which bins what was waiting"
    flat = [value for group in groups for value in ([group] if isinstance(group, int) else group)]
    assert json.dumps(bulk.to_json()) == json.dumps(one_by_one.to_json())
    assert (bulk.count, bulk.sum_ns) == (len(flat), sum(flat))
    assert (bulk.min_ns, bulk.max_ns) == ((min(flat), max(flat)) if flat else (None, None))
    assert sum(bulk.bins.values()) == len(flat)


@pytest.mark.parametrize("form", FORMS)
def test_batches_that_wait_to_be_binned_are_all_counted_once(form: str) -> None:
    random = np.random.default_rng(9)
    one_by_one, bulk = Histogram(), Histogram()
    for size in (700, 1, 400, 1024, 1023, 2, 3000, 300, 300, 300, 300, 5):
        group = random.integers(0, 10**9, size).tolist()
        bulk.add_many(given_as(form, group))  # type: ignore[arg-type]
        for value in group:
            one_by_one.add(value)
    assert bulk.count == one_by_one.count
    assert bulk.to_json() == one_by_one.to_json()


def test_a_long_array_has_an_exact_sum_of_any_size() -> None:
    histogram = Histogram()
    histogram.add_many(np.full(5000, 2**63 - 1))
    histogram.add_many(np.arange(5000))
    assert histogram.sum_ns == 5000 * (2**63 - 1) + 4999 * 2500
    assert histogram.bins[bin_of(MAX_NS)] == 5000


def test_a_batch_with_a_negative_value_is_not_counted_at_all() -> None:
    histogram = Histogram()
    with pytest.raises(ValueError, match="-5 ns"):
        histogram.add_many([3, -5, 4])
    assert histogram.count == 0


def test_bins_in_bulk_are_the_bins_one_by_one() -> None:
    near = [(1 << power) + off for power in range(43) for off in range(-2, 3)]
    random = np.random.default_rng(5).integers(0, MAX_NS, 20_000, dtype=np.int64).tolist()
    tried = [value for value in (*near, *random, *range(4200), MAX_NS) if 0 <= value <= MAX_NS]
    assert bins_of(np.array(tried, dtype=np.int64)).tolist() == [bin_of(value) for value in tried]
