"""What is done to many messages at once comes to the same as doing it to each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.clients.base import STAMP_BYTES, Outcome, Stamps
from breakeven.loadgen.ledger.ledger import LoaderLedger, Receipts
from breakeven.loadgen.ledger.sequences import SequenceSet
from breakeven.loadgen.ledger.stamp import Stamper, StampReader
from breakeven.loadgen.record.send_times import SendTimes

CHUNK = 4096
TAG = "aB_9"
#: numbers around the borders of chunks, where mistakes would be
numbers = st.one_of(
    st.integers(min_value=0, max_value=3 * CHUNK),
    st.sampled_from([CHUNK * k + d for k in range(4) for d in (-2, -1, 0, 1) if CHUNK * k + d >= 0]),
)
runs = st.builds(lambda first, count: range(first, first + count), numbers, st.integers(1, 300))
long_runs = st.builds(lambda first, count: range(first, first + count), numbers, st.integers(1, 9000))
#: what a batch may hold: a run, a run with gaps or out of order, and anything
batches = st.one_of(
    runs,
    runs.map(list),
    runs.map(lambda run: run[::3]),
    runs.flatmap(lambda run: st.permutations(run[:60])),
    st.lists(numbers, min_size=1, max_size=80),
)


@given(st.lists(st.one_of(batches, long_runs), max_size=6), st.booleans())
def test_a_set_takes_many_as_it_takes_each(parts: list[Sequence[int]], as_array: bool) -> None:
    bulk, single = SequenceSet(), SequenceSet()
    for part in parts:
        expected = [single.add(number) for number in part]
        assert list(bulk.add_many(np.array(part) if as_array else part)) == expected
        assert (bulk, len(bulk)) == (single, len(single))


def test_no_number_at_all_changes_nothing() -> None:
    empty = SequenceSet()
    assert list(empty.add_many(())) == []
    assert empty == SequenceSet()


producers = st.integers(min_value=0, max_value=2**18 - 1)
firsts = st.one_of(numbers, st.sampled_from([2**54 - 400, 2**53 - 1, CHUNK**3 - 5]))


@given(producers, firsts, st.integers(0, 300), st.integers(16, 80))
def test_bodies_are_those_of_each_sequence(producer: int, first: int, count: int, size: int) -> None:
    stamper = Stamper(TAG, producer, size)
    bodies, expected = stamper.bodies(first, count), [stamper.body(first + n) for n in range(count)]
    assert len(bodies) == count
    assert list(bodies) == expected
    assert [bodies[n] for n in range(count)] == expected
    assert list(bodies[count // 3 :]) == expected[count // 3 :]
    assert {body[STAMP_BYTES:] for body in expected} <= {bodies.rest}
    if spelled := bodies.spelled():
        common, ends = spelled
        assert [common + end + bodies.rest for end in ends] == expected


def test_bodies_are_of_consecutive_sequences() -> None:
    with pytest.raises(ValueError, match="consecutive"):
        Stamper(TAG, 0, 16).bodies(0, 5)[::2]
    with pytest.raises(IndexError):
        Stamper(TAG, 0, 16).bodies(0, 5)[5]


@given(producers, firsts, st.integers(1, 300), st.booleans())
def test_a_run_of_stamps_is_read_at_once(producer: int, first: int, count: int, joined: bool) -> None:
    stamps: Sequence[bytes] = list(Stamper(TAG, producer, 16).bodies(first, count))
    reader = StampReader(TAG)
    for _ in range(2):  # the second time it knows how they begin
        given_so = Stamps(b"".join(stamps)) if joined else stamps
        assert reader.read_run(given_so) == (producer, range(first, first + count))


@pytest.mark.parametrize("then", [(1, 4096), (0, 8192), (0, 4097)], ids=["another's", "later", "a gap"])
def test_what_goes_on_otherwise_is_no_run(then: tuple[int, int]) -> None:
    """Stamps begin anew every 4096 messages: there, too, the next message must be the next."""
    stamps = [*Stamper(TAG, 0, 16).bodies(4090, 6), Stamper(TAG, then[0], 16).body(then[1])]
    assert StampReader(TAG).read_run(stamps) is None


#: messages in hand: ours by producer and sequence, and others' bodies
strange = st.sampled_from([b"", b"short", b"aB_9AAAA AAAAAAA", b"aB_9" + b"=" * 12, b"aB_8" + b"A" * 12])
ours = st.tuples(st.integers(0, 5), numbers).map(lambda origin: Stamper(TAG, origin[0], 16).body(origin[1]))
ours_in_runs = st.builds(
    lambda producer, run: list(Stamper(TAG, producer, 16).bodies(run.start, len(run))),
    st.integers(0, 5),
    runs,
)
deliveries = st.one_of(
    ours_in_runs,
    st.lists(ours_in_runs.map(lambda run: run[:40]), min_size=1, max_size=3).map(
        lambda parts: [stamp for part in parts for stamp in part]
    ),
    st.lists(st.one_of(ours, ours, ours, strange), min_size=1, max_size=60),
)


@given(st.lists(deliveries, max_size=5), st.booleans(), st.data())
def test_a_ledger_receives_many_as_it_receives_each(
    parts: list[list[bytes]], joined: bool, data: st.DataObject
) -> None:
    """Of the six producers the case has four."""
    bulk, single = LoaderLedger(TAG, 4, [0]), LoaderLedger(TAG, 4, [0])
    theirs: dict[int, int] = {}
    mine: dict[int, int] = {}
    for stamps in parts:
        again = data.draw(
            st.one_of(
                st.just([False] * len(stamps)),
                st.lists(st.booleans(), min_size=len(stamps), max_size=len(stamps)),
            )
        )
        whole = all(len(stamp) == STAMP_BYTES for stamp in stamps)
        column = Stamps(b"".join(stamps)) if joined and whole else stamps
        found = bulk.receive(column, again, theirs)
        expected = [single.receive([one], [flag], mine) for one, flag in zip(stamps, again, strict=True)]
        assert entries(found) == [entry for one in expected for entry in entries(one)]
        assert bulk.snapshot() == single.snapshot()
        assert theirs == mine


def entries(found: Receipts) -> list[tuple[bool, int, int, bool]]:
    return list(zip(found.ours, found.producer, found.sequence, found.is_new, strict=True))


def test_nothing_received_is_nothing() -> None:
    ledger = LoaderLedger(TAG, 4, [0])
    assert entries(ledger.receive((), (), {})) == []
    with pytest.raises(ValueError, match="1 stamps and 0 flags"):
        ledger.receive([b"x"], (), {})


@given(st.lists(st.tuples(batches, st.sampled_from([*Outcome, None])), max_size=5), st.data())
def test_a_ledger_is_answered_for_many_as_for_each(
    parts: list[tuple[Sequence[int], Outcome | None]], data: st.DataObject
) -> None:
    """None: each has an outcome of its own."""
    bulk, single = LoaderLedger(TAG, 1, [0]), LoaderLedger(TAG, 1, [0])
    for ledger in (bulk, single):
        assert ledger.submitted(0, 5 * CHUNK) == 0
    for sequences, outcome in parts:
        drawn = st.lists(st.sampled_from(Outcome), min_size=len(sequences), max_size=len(sequences))
        outcomes = data.draw(drawn) if outcome is None else [outcome] * len(sequences)
        bulk.answered(0, sequences, outcomes)
        for sequence, one in zip(sequences, outcomes, strict=True):
            single.answered(0, (sequence,), (one,))
    assert bulk.snapshot() == single.snapshot()
    assert bulk.counts() == single.counts()


def test_as_many_outcomes_as_sequences() -> None:
    ledger = LoaderLedger(TAG, 1, [0])
    ledger.answered(0, (), ())
    with pytest.raises(ValueError, match="2 sequences and 1 outcomes"):
        ledger.answered(0, (0, 1), (Outcome.CONFIRMED,))


near = st.builds(lambda first, count: range(first, first + count), st.integers(0, 600), st.integers(1, 20))


@given(
    st.integers(1, 50),
    st.lists(st.tuples(st.integers(1, 70), st.booleans()), max_size=8),
    st.lists(st.one_of(near, st.lists(st.integers(0, 600), min_size=1)), max_size=5),
)
def test_send_times_are_found_for_many_as_for_each(
    keep: int, noted: list[tuple[int, bool]], wanted: list[Sequence[int]]
) -> None:
    times, model = SendTimes(keep), {}
    newest = 0
    for count, alike in noted:
        instants = [1000 + newest if alike else 1000 + newest + n for n in range(count)]
        times.note(newest, instants[0] if alike else instants, count)
        model.update(zip(range(newest, newest + count), instants, strict=True))
        newest += count
    for sequences in wanted:
        expected = [model[n] if newest - keep <= n < newest else -1 for n in sequences]
        assert list(times.find_many(sequences)) == expected
    assert list(times.find_many(())) == []


def test_send_times_are_found_across_the_end_of_their_ring() -> None:
    times = SendTimes(10)
    times.note(0, range(25), 25)
    for first in range(15, 25):
        for end in range(first + 1, 26):
            assert list(times.find_many(range(first, end))) == list(range(first, end))


def test_as_many_instants_as_messages() -> None:
    with pytest.raises(ValueError, match="2 instants for 3 messages"):
        SendTimes(8).note(0, [1, 2], 3)
