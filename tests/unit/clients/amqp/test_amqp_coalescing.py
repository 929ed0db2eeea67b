"""A busy connection is read once a millisecond, and no other."""

from __future__ import annotations

import pytest

from breakeven.clients.amqp import coalescing
from breakeven.clients.amqp.coalescing import BUSY_PER_MS, LEAST_WINDOW, READ_EVERY_S, Coalescing

MS = 1_000_000


class Clock:
    """The connection's own: a busy machine may take a millisecond for anything."""

    now_ns = 1_000_000 * MS

    def monotonic_ns(self) -> int:
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(coalescing, "time", made)
    return made


def after(clock: Clock, window: int, per_ms: int, milliseconds: int = 20) -> Coalescing:
    """A connection that has carried so much for so long, up to now."""
    found, now_ns = Coalescing(window), clock.now_ns
    for age in range(milliseconds, -1, -1):
        found.took(per_ms, now_ns - age * MS)
    return found


def test_a_busy_connection_rests_up_to_a_millisecond_since_the_last_read(clock: Clock) -> None:
    busy = after(clock, LEAST_WINDOW, BUSY_PER_MS)
    read_ns = clock.now_ns
    clock.sleep(READ_EVERY_S / 4)
    left_s = busy.rest(read_ns, 0.25)
    assert clock.now_ns - read_ns == pytest.approx(READ_EVERY_S * 1e9)
    assert left_s == pytest.approx(0.25 - READ_EVERY_S * 3 / 4)


def test_it_rests_no_longer_than_it_is_given(clock: Clock) -> None:
    busy = after(clock, LEAST_WINDOW, BUSY_PER_MS)
    assert busy.rest(clock.now_ns, 0.0002) == pytest.approx(0.0, abs=1e-9)


def test_it_is_read_at_once_when_the_last_read_is_long_ago(clock: Clock) -> None:
    assert after(clock, LEAST_WINDOW, BUSY_PER_MS).rest(clock.now_ns - 2 * MS, 0.25) == 0.25


@pytest.mark.parametrize(("window", "per_ms"), [(LEAST_WINDOW, BUSY_PER_MS - 1), (LEAST_WINDOW - 1, 50)])
def test_few_messages_or_a_small_window_are_never_waited_for(clock: Clock, window: int, per_ms: int) -> None:
    assert after(clock, window, per_ms).rest(clock.now_ns, 0.25) == 0.25


def test_a_connection_that_was_busy_and_is_not_any_more_is_read_as_messages_come(clock: Clock) -> None:
    found = after(clock, LEAST_WINDOW, BUSY_PER_MS)
    for age in range(25):
        found.took(1, clock.now_ns + (10 + age) * MS)
    assert found.rest(clock.now_ns, 0.25) == 0.25
