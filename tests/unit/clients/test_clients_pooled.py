"""Many calls in flight for one worker: what the pool makes of a client that makes one call at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from breakeven.clients.base import CallFailed, ConnectionLost, Outcome
from breakeven.clients.pool import connection_pool
from breakeven.clients.pool.pooled_client import PooledClient, PooledSender
from tests.support.loaders.loader_runs import no_thread_left  # noqa: F401
from tests.support.scripted.scripted_client import Link, Scripted

pytestmark = pytest.mark.usefixtures("no_thread_left")
LIMIT_S = 20.0


@pytest.fixture(autouse=True)
def short_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_pool, "REST_S", (0.01, 0.05))


def answers_of(sender: PooledSender, count: int) -> dict[int, tuple[Outcome, str | None]]:
    """The first ``count`` answers, by sequence."""
    found: dict[int, tuple[Outcome, str | None]] = {}
    deadline = time.monotonic() + LIMIT_S
    while len(found) < count:
        assert time.monotonic() < deadline
        answers = sender.poll(0.1)
        errors = answers.error or (None,) * len(answers.sequence)
        for sent, answered in zip(answers.sent_ns, answers.answered_ns, strict=True):
            assert sent <= answered <= time.monotonic_ns()
        for sequence, outcome, error in zip(answers.sequence, answers.outcome, errors, strict=True):
            assert sequence not in found
            found[sequence] = (outcome, error)
    return found


@pytest.fixture
def pooled() -> Iterator[Callable[..., PooledClient]]:
    """``pooled(client, in_flight)``; senders and receivers that it opened are closed after the test."""
    opened: list[Any] = []

    class Closing(PooledClient):
        def sender(self, queue: str) -> Any:
            opened.append(super().sender(queue))
            return opened[-1]

        def receiver(self, queue: str) -> Any:
            opened.append(super().receiver(queue))
            return opened[-1]

    yield Closing
    for each in opened:
        each.close()


def test_all_are_in_flight_before_any_is_answered(pooled) -> None:
    together = threading.Barrier(5, timeout=LIMIT_S)
    sender = pooled(Scripted(lambda _: together.wait()), 5).sender("q")
    sender.submit(range(5), [b"x"] * 5)
    assert answers_of(sender, 5) == dict.fromkeys(range(5), (Outcome.CONFIRMED, None))
    assert sender.poll(0.0).sequence == ()


def test_no_more_are_in_flight_than_said(pooled) -> None:
    client = Scripted(lambda _: time.sleep(0.005))
    sender = pooled(client, 3).sender("q")
    sender.submit(range(20), [b"x"] * 20)
    assert len(answers_of(sender, 20)) == 20
    assert (client.most, len(client.links)) == (3, 3)


def test_an_answer_does_not_wait_for_an_earlier_one(pooled) -> None:
    release = threading.Event()
    sender = pooled(Scripted(lambda n: n == 0 and release.wait(LIMIT_S)), 2).sender("q")
    sender.submit(range(4), [b"x"] * 4)
    assert answers_of(sender, 3).keys() == {1, 2, 3}
    release.set()
    assert answers_of(sender, 1).keys() == {0}


@pytest.mark.parametrize(
    ("error", "kind", "opened"),
    [(CallFailed("Throttled"), "Throttled", 4), (ConnectionLost("reset"), "connection_lost", 5)],
)
def test_a_call_that_fails_is_reported_and_costs_the_others_nothing(pooled, error, kind, opened) -> None:
    def action(number: object) -> None:
        if number == 2:
            raise error

    client = Scripted(action)
    sender = pooled(client, 4).sender("q")
    sender.submit(range(4), [b"x"] * 4)
    found = answers_of(sender, 4)
    assert found.pop(2) == (Outcome.UNKNOWN, kind)
    assert found == dict.fromkeys((0, 1, 3), (Outcome.CONFIRMED, None))
    more = 0
    deadline = time.monotonic() + LIMIT_S
    while len(client.links) < opened or not more:  # its place works again, on a new connection if need be
        assert time.monotonic() < deadline
        sender.submit(range(10 + more, 14 + more), [b"x"] * 4)
        assert set(answers_of(sender, 4).values()) == {(Outcome.CONFIRMED, None)}
        more += 4
    assert client.calls.count(2) == 1, "nothing is sent a second time"
    assert sum(link.closed for link in client.links) == opened - 4


def test_when_no_call_goes_well_any_more_the_pool_is_lost(pooled) -> None:
    broken = threading.Event()

    def action(number: object) -> None:
        if broken.is_set():
            raise CallFailed("AccessDenied")

    sender = pooled(Scripted(action), 3).sender("q")
    sender.submit([0], [b"x"])
    answers_of(sender, 1)
    broken.set()
    sender.submit([1, 2], [b"x"] * 2)
    assert answers_of(sender, 2) == dict.fromkeys((1, 2), (Outcome.UNKNOWN, "AccessDenied"))
    sender.submit([3], [b"x"])
    with pytest.raises(ConnectionLost, match="no call goes well any more: AccessDenied"):
        answers_of(sender, 1)


def test_a_pool_in_which_nothing_ever_went_well_is_lost_at_once(pooled) -> None:
    def action(_: object) -> None:
        raise ConnectionLost("refused")

    sender = pooled(Scripted(action), 5).sender("q")
    sender.submit([0], [b"x"])
    with pytest.raises(ConnectionLost, match="refused"):
        answers_of(sender, 1)


def test_asks_are_kept_going_and_what_is_in_hand_is_given(pooled) -> None:
    together = threading.Barrier(4, timeout=LIMIT_S)
    client = Scripted(lambda about: about == "ask" and together.wait(), waiting=[7, 8])
    receiver = pooled(client, 4).receiver("q")
    handles: list[object] = []
    empty: list[object] = []
    deadline = time.monotonic() + LIMIT_S
    while len(handles) < 2 or len(empty) < 6:
        assert time.monotonic() < deadline
        got = receiver.receive(0.1)
        assert len({len(column) for column in (got.stamp, got.asked_ns, got.in_hand_ns, got.handle)}) == 1
        handles += got.handle
        empty += got.empty
    assert sorted(handles) == [7, 8]
    assert client.most == 4
    together.abort()


def test_a_receive_waits_no_longer_than_told(pooled) -> None:
    release = threading.Event()
    receiver = pooled(Scripted(lambda _: release.wait(LIMIT_S)), 2).receiver("q")
    got = receiver.receive(0.01)
    assert (got.handle, got.empty) == ((), ())
    release.set()


def test_settlements_do_not_wait_for_asks_and_none_is_made_twice(pooled) -> None:
    release, slow = threading.Event(), threading.Event()

    def action(about: object) -> None:
        (release if about == "ask" else slow).wait(LIMIT_S if about in ("ask", 2) else 0)

    client = Scripted(action)
    receiver = pooled(client, 3).receiver("q")
    receiver.receive(0.0)
    settled: set[object] = set()
    deadline = time.monotonic() + LIMIT_S
    while settled != {1, 3}:
        assert time.monotonic() < deadline
        settled.update(receiver.settle([each for each in (1, 2, 3) if each not in settled]).handle)
    slow.set()
    while settled != {1, 2, 3}:
        assert time.monotonic() < deadline
        settled.update(receiver.settle([2]).handle)
    assert sorted(each for each in client.calls if each != "ask") == [1, 2, 3]
    release.set()


def test_what_could_not_be_settled_may_be_handed_in_again(pooled) -> None:
    refusals = [CallFailed("Throttled"), ConnectionLost("reset")]

    def action(about: object) -> None:
        if about == 2 and refusals:
            raise refusals.pop()

    receiver = pooled(Scripted(action), 3).receiver("q")
    waiting, failed = {1, 2, 3}, []
    deadline = time.monotonic() + LIMIT_S
    while waiting:
        assert time.monotonic() < deadline
        settled = receiver.settle(sorted(waiting))
        waiting -= set(settled.handle)
        failed += [kind for kind, _ in settled.failed]
    assert sorted(failed) == ["Throttled", "connection_lost"]


def test_an_ask_that_fails_is_reported_beside_the_others(pooled) -> None:
    refusals = [CallFailed("Throttled")]

    def action(about: object) -> None:
        if refusals:
            raise refusals.pop()

    receiver = pooled(Scripted(action, waiting=[5, 6, 7]), 2).receiver("q")
    handles: list[object] = []
    failed: list[str] = []
    deadline = time.monotonic() + LIMIT_S
    while len(handles) < 3 or not failed:
        assert time.monotonic() < deadline
        got = receiver.receive(0.1)
        handles += got.handle
        failed += [kind for kind, _ in got.failed]
    assert (sorted(handles), failed) == ([5, 6, 7], ["Throttled"])


@pytest.mark.parametrize("purpose", ["sender", "receiver"])
@pytest.mark.parametrize("opens", [0, 2, 4])
def test_a_pool_opens_whole_or_not_at_all(purpose: str, opens: int) -> None:
    client = Scripted()

    class Scarce(Scripted):
        def sender(self, queue: str) -> Link:
            if len(client.links) == opens:
                raise ConnectionLost("no more")
            return client.sender(queue)

        receiver = sender

    total = 3 if purpose == "sender" else 6
    if opens >= total:
        getattr(PooledClient(Scarce(), 3), purpose)("q").close()
    else:
        with pytest.raises(ConnectionLost, match="no more"):
            getattr(PooledClient(Scarce(), 3), purpose)("q")
    assert len(client.links) == min(opens, total)


def test_an_error_of_our_own_is_not_hidden(pooled) -> None:
    sender = pooled(Scripted(lambda _: 1 / 0), 2).sender("q")
    sender.submit([0], [b"x"])
    with pytest.raises(ZeroDivisionError):
        answers_of(sender, 1)


def test_what_is_not_on_its_way_at_the_close_is_never_sent(pooled) -> None:
    release = threading.Event()
    client = Scripted(lambda _: release.wait(LIMIT_S))
    sender = pooled(client, 2).sender("q")
    sender.submit(range(10), [b"x"] * 10)
    deadline = time.monotonic() + LIMIT_S
    while len(client.calls) < 2 and time.monotonic() < deadline:
        time.sleep(0.005)
    sender.close()
    release.set()
    sender.close()
    assert sorted(client.calls) == [0, 1]
