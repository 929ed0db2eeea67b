"""A busy connection is read once a millisecond, and no other."""

from __future__ import annotations

import time

import pytest

from breakeven.clients.amqp.coalescing import BUSY_PER_MS, LEAST_WINDOW, READ_EVERY_S, Coalescing

MS = 1_000_000


def after(window: int, per_ms: int, milliseconds: int = 20) -> Coalescing:
    """A connection that has carried so much for so long, up to now."""
    found, now_ns = Coalescing(window), time.monotonic_ns()
    for age in range(milliseconds, -1, -1):
        found.took(per_ms, now_ns - age * MS)
    return found


def test_a_busy_connection_rests_up_to_a_millisecond_since_the_last_read() -> None:
    busy = after(LEAST_WINDOW, BUSY_PER_MS)
    read_ns = time.monotonic_ns()
    left_s = busy.rest(read_ns, 0.25)
    assert time.monotonic_ns() - read_ns >= READ_EVERY_S * 1e9
    assert 0.25 - READ_EVERY_S <= left_s < 0.25


def test_it_rests_no_longer_than_it_is_given() -> None:
    busy = after(LEAST_WINDOW, BUSY_PER_MS)
    assert busy.rest(time.monotonic_ns(), 0.0002) == pytest.approx(0.0, abs=1e-9)


def test_it_is_read_at_once_when_the_last_read_is_long_ago() -> None:
    assert after(LEAST_WINDOW, BUSY_PER_MS).rest(time.monotonic_ns() - 2 * MS, 0.25) == 0.25


@pytest.mark.parametrize(("window", "per_ms"), [(LEAST_WINDOW, BUSY_PER_MS - 1), (LEAST_WINDOW - 1, 50)])
def test_few_messages_or_a_small_window_are_never_waited_for(window: int, per_ms: int) -> None:
    assert after(window, per_ms).rest(time.monotonic_ns(), 0.25) == 0.25


def test_a_connection_that_was_busy_and_is_not_any_more_is_read_as_messages_come() -> None:
    found = after(LEAST_WINDOW, BUSY_PER_MS)
    now_ns = time.monotonic_ns()
    for age in range(25):
        found.took(1, now_ns + (10 + age) * MS)
    assert found.rest(time.monotonic_ns(), 0.25) == 0.25
