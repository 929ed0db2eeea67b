"""Stamps, the loader's ledger, and the account of a case by rule 6 of docs/rules.md."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.clients.base import Outcome
from breakeven.loadgen.ledger.ledger import Ledger, LoaderLedger, Outstanding, ProducerLedger
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.ledger.sequences import SequenceSet
from breakeven.loadgen.ledger.stamp import Stamper, StampReader
from breakeven.loadgen.reconciliation import Account, account
from breakeven.loadgen.record.send_times import SendTimes
from breakeven.loadgen.result import LoaderResult

producers = st.integers(min_value=0, max_value=2**18 - 1)
sequences = st.integers(min_value=0, max_value=2**54 - 1)


@given(producers, sequences, st.integers(min_value=16, max_value=300))
def test_a_stamp_is_sixteen_text_safe_characters_that_say_where_it_is_from(
    producer: int, sequence: int, size: int
) -> None:
    body = Stamper("aB_9", producer, size).body(sequence)
    assert len(body) == size
    assert re.fullmatch(rb"aB_9[0-9A-Za-z_-]{12}", body[:16])
    assert body.decode("ascii").isprintable()
    assert StampReader("aB_9").read(body[:16]) == (producer, sequence)


@given(st.binary(max_size=20))
def test_any_bytes_are_read_as_ours_only_if_they_are(stamp: bytes) -> None:
    origin = StampReader("aB_9").read(b"aB_9" + stamp)
    if origin is not None:
        assert Stamper("aB_9", origin[0], 16).body(origin[1]) == (b"aB_9" + stamp)[:16]


@pytest.mark.parametrize(
    "stamp",
    [
        b"",
        b"aB_9",
        b"aB_9AAAAAAAAAAA",
        b"aB_8AAAAAAAAAAAA",
        b"aB_9AAAA AAAAAAA",
        b"aB_9AAAAAAAAAA==",
        b"aB_9+AAAAAAAAAAA",
    ],
    ids=["empty", "tag only", "short", "another run", "a space", "padding", "another alphabet"],
)
def test_other_bodies_are_not_ours(stamp: bytes) -> None:
    assert StampReader("aB_9").read(stamp) is None


def stamp(producer: int, sequence: int) -> bytes:
    return Stamper("test", producer, 16).body(sequence)


def loader_ledger(own: Iterable[int] = (0,), total: int = 4) -> LoaderLedger:
    return LoaderLedger("test", total, own)


def test_every_outcome_is_counted_and_no_answer_is_unknown() -> None:
    ledger = loader_ledger()
    assert ledger.submitted(0, 2) == 0
    assert ledger.submitted(0, 4) == 2
    outcomes = (Outcome.CONFIRMED, Outcome.RETURNED, Outcome.NACKED, Outcome.UNKNOWN)
    ledger.answered(0, range(4), outcomes)
    assert ledger.counts() == (6, 4, 3, 0)  # sent; expected: 0, 3, 4, 5; of those unknown: 3, 4, 5
    assert ledger.outstanding() == Outstanding(confirmed=1, unknown=3)
    result = account([handed_in(ledger)], QueueCount(0))
    assert (result.sent, result.confirmed, result.returned, result.nacked, result.unknown) == (6, 1, 1, 1, 3)


def test_confirmed_and_returned_is_returned() -> None:
    ledger = loader_ledger()
    ledger.submitted(0)
    ledger.answered(0, (0, 0), (Outcome.CONFIRMED, Outcome.RETURNED))
    result = account([handed_in(ledger)], QueueCount(0))
    assert (result.confirmed, result.returned, result.unknown, result.lost) == (0, 1, 0, 0)


def test_copies_redeliveries_and_order() -> None:
    ledger, highest = loader_ledger(), {}
    for _ in range(6):
        ledger.submitted(0)
    seen = [
        (0, False),
        (2, False),
        (1, False),
        (2, False),
        (4, False),
        (3, True),
        (5, False),
        (5, True),
        (0, False),
    ]
    receipts = ledger.receive([stamp(0, sequence) for sequence, _ in seen], [r for _, r in seen], highest)
    assert list(receipts.sequence) == [sequence for sequence, _ in seen]
    assert list(receipts.is_new) == [True, True, True, False, True, True, True, False, False]
    assert all(receipts.ours)
    snapshot = ledger.snapshot()
    assert snapshot.duplicates == 3
    assert snapshot.redelivered == 2
    assert snapshot.out_of_order == 1  # the 1; a redelivered or copied message is no disorder
    assert len(snapshot.received[0]) == 6


def test_order_is_kept_by_producer_and_consumer() -> None:
    ledger, mine, theirs = loader_ledger(own=(0, 1)), {}, {}
    ledger.receive([stamp(0, 5), stamp(1, 3)], [False] * 2, mine)  # another producer
    ledger.receive([stamp(0, 2)], [False], theirs)  # another consumer
    assert ledger.snapshot().out_of_order == 0
    ledger.receive([stamp(0, 4)], [False], mine)
    assert ledger.snapshot().out_of_order == 1


@pytest.mark.parametrize("body", [b"who knows", stamp(4, 0), Stamper("othr", 0, 16).body(0)])
def test_what_is_not_ours_is_unexpected_and_nothing_else(body: bytes) -> None:
    ledger = loader_ledger(total=4)
    found = ledger.receive([body, stamp(0, 0)], [True, False], {})
    assert (found.ours, found.producer, found.sequence) == ((False, True), (-1, 0), (-1, 0))
    assert found.is_new == (False, True)
    received = {0: SequenceSet.first(1)}
    assert ledger.snapshot() == Ledger(producers={0: ProducerLedger()}, received=received, unexpected=1)


def test_a_snapshot_stays_as_it_was() -> None:
    ledger = loader_ledger()
    ledger.submitted(0)
    before = ledger.snapshot()
    ledger.answered(0, [0], [Outcome.CONFIRMED])
    ledger.receive([stamp(0, 0)], [False], {})
    assert before == Ledger(producers={0: ProducerLedger(sent=1)})


def test_a_snapshot_under_way_never_knows_a_receipt_without_its_send() -> None:
    """Threads hammer the ledger while snapshots are taken: each must be one instant of it."""
    ledger, ended = loader_ledger(own=range(4)), threading.Event()

    def work(producer: int) -> None:
        highest: dict[int, int] = {}
        for _ in range(500):
            sequence = ledger.submitted(producer)
            ledger.answered(producer, [sequence], [Outcome.CONFIRMED])
            ledger.receive([stamp(producer, sequence)], [False], highest)

    threads = [threading.Thread(target=work, args=(producer,)) for producer in range(4)]
    watcher_saw: list[Account] = []

    def watch() -> None:
        while not ended.is_set():
            watcher_saw.append(account([handed_in(ledger)], QueueCount(0)))

    watcher = threading.Thread(target=watch)
    for thread in (*threads, watcher):
        thread.start()
    for thread in threads:
        thread.join()
    ended.set()
    watcher.join()
    assert all(seen.received <= seen.confirmed <= seen.sent <= seen.received + 4 for seen in watcher_saw)
    assert ledger.outstanding() == Outstanding(0, 0)
    assert ledger.counts() == (2000, 2000, 0, 2000)


def handed_in(
    ledger: LoaderLedger | Ledger, loader: int = 0, loaders: int = 1, final: bool = True
) -> LoaderResult:
    """A loader's result with this ledger, after a trip through JSON."""
    result = LoaderResult(
        run_id="run",
        case_id="case",
        attempt=1,
        loader=loader,
        loaders=loaders,
        mode="parallel",
        measure_s=1.0,
        final=final,
        ledger=ledger.snapshot() if isinstance(ledger, LoaderLedger) else ledger,
    )
    again = LoaderResult.from_json(json.loads(json.dumps(result.to_json())))
    assert again == result
    return again


def numbers(values: Iterable[int]) -> SequenceSet:
    result = SequenceSet()
    for value in values:
        result.add(value)
    return result


def sender(sent: int, confirmed: int | None = None) -> ProducerLedger:
    return ProducerLedger(sent=sent, confirmed=SequenceSet.first(sent if confirmed is None else confirmed))


def test_all_received_closes_the_ledger() -> None:
    result = account([handed_in(Ledger({0: sender(5000)}, {0: SequenceSet.first(5000)}))], QueueCount(0))
    assert (result.sent, result.confirmed, result.received) == (5000, 5000, 5000)
    assert (result.missing, result.left, result.lost, result.closed) == (0, 0, 0, True)


def test_confirmed_and_not_received_is_lost_unless_it_is_left() -> None:
    ledger = Ledger({0: sender(100, confirmed=98)}, {0: numbers(set(range(98)) - {3, 50, 97})})
    nothing_left = account([handed_in(ledger)], QueueCount(0))
    assert (nothing_left.unknown, nothing_left.missing, nothing_left.lost, nothing_left.closed) == (
        2,
        5,
        3,
        True,
    )
    one_left = account([handed_in(ledger)], QueueCount(1))
    assert (one_left.missing, one_left.lost, one_left.closed) == (4, 2, False)
    more_left_than_that = account([handed_in(ledger)], QueueCount(20))
    assert (more_left_than_that.missing, more_left_than_that.lost, more_left_than_that.closed) == (
        0,
        0,
        False,
    )


def test_the_identities_hold_over_loaders_that_share_the_work() -> None:
    first = Ledger({0: sender(10), 2: sender(7, confirmed=5)}, {0: numbers([0, 2, 4]), 1: numbers(range(8))})
    second = Ledger(
        {1: sender(8)}, {0: numbers([1, 3, 4, 5, 6, 7, 8]), 2: numbers([0, 1, 2, 3, 6])}, duplicates=2
    )
    result = account([handed_in(first, 0, 2), handed_in(second, 1, 2)], QueueCount(1))
    assert result.sent == result.confirmed + result.returned + result.nacked + result.unknown == 25
    assert result.sent == result.received + result.missing + result.left
    assert result.received == 9 + 8 + 5
    assert result.duplicates == 2 + 1  # the 4 of producer 0 was in both loaders' hands
    assert result.lost == 1  # confirmed, not received: 9 of producer 0, 4 of producer 2; one may be left


def test_the_tail_of_a_killed_loader_is_unknown_and_nothing_is_called_lost() -> None:
    """Its last checkpoint knows 100 sent; the other loader had 120 of its messages in hand."""
    killed = handed_in(Ledger({0: sender(100)}, {1: SequenceSet.first(40)}), 0, 2, final=False)
    survivor = handed_in(Ledger({1: sender(50)}, {0: SequenceSet.first(120)}), 1, 2)
    result = account([killed, survivor], QueueCount(0))
    assert (result.sent, result.confirmed, result.unknown) == (170, 150, 20)
    assert (result.received, result.missing) == (160, 10)
    assert result.lost is None
    assert not result.complete
    assert not result.closed


def test_a_loader_that_left_nothing_leaves_its_messages_unknown() -> None:
    survivor = handed_in(Ledger({1: sender(50)}, {0: SequenceSet.first(30), 1: SequenceSet.first(50)}), 1, 2)
    result = account([survivor], QueueCount(0))
    assert (result.sent, result.unknown, result.received, result.missing, result.lost) == (
        80,
        30,
        80,
        0,
        None,
    )


def test_no_result_at_all_is_an_incomplete_account() -> None:
    result = account([], QueueCount(3))
    assert (result.sent, result.missing, result.lost, result.closed) == (0, 0, None, False)


def test_send_times_are_found_while_they_are_kept() -> None:
    times = SendTimes(keep=4)
    times.note(0, 99, 1)
    times.note(1, [101, 102, 103], 3)
    assert times.find_many(range(5)) == [99, 101, 102, 103, -1]
    times.note(4, 107, 6)
    assert times.find_many((5, 6, 9, 10)) == [-1, 107, 107, -1]


def test_a_result_of_another_version_is_refused() -> None:
    document = handed_in(Ledger()).to_json()
    with pytest.raises(ValueError, match="version 99"):
        LoaderResult.from_json({**document, "version": 99})
