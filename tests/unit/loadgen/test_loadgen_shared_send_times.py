"""Send times of another loader on this machine: found while it works, of nobody else, and not left behind."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.record import shared_send_times
from breakeven.loadgen.record.send_times import MEMORY
from breakeven.loadgen.record.shared_send_times import ABANDONED_S, SharedSendTimes
from tests.support.scripted.fakes import make_case


@pytest.fixture(autouse=True)
def shared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(shared_send_times, "SHARED_MEMORY", tmp_path)
    return tmp_path


def of(loader: int, *own: int, attempt: int = 1, loaders: int = 2) -> SharedSendTimes:
    case = make_case(loaders=loaders, producers=2)
    return SharedSendTimes(Assignment(case, attempt, loader, ("q",)), own)


def test_what_one_loader_notes_another_finds() -> None:
    one, other = of(0, 0), of(1, 1)
    own = one.get(0)
    assert own
    own.note(0, [70, 80, 90], 3)
    found = other.get(0)
    assert found
    assert list(found.find_many(range(3))) == [70, 80, 90]
    assert list(found.find_many([3])) == [-1], "not noted yet"
    own.note(3, 100, 1)
    assert list(found.find_many([2, 3])) == [90, 100]


def test_the_end_of_a_loader_removes_its_file_and_not_what_was_found(shared: Path) -> None:
    one, other = of(0, 0), of(1, 1)
    own, found = one.get(0), other.get(0)
    assert own
    assert found
    one.close()
    own.note(0, 70, 1)
    assert list(found.find_many([0])) == [70]
    other.close()
    other.close()
    assert list(shared.iterdir()) == []


@pytest.mark.parametrize(
    "stranger", [lambda: of(1, 1, attempt=2), lambda: of(1, 1, loaders=1)], ids=["attempt", "alone"]
)
def test_another_attempt_and_a_loader_that_is_alone_find_nothing(
    stranger: Callable[[], SharedSendTimes],
) -> None:
    of(0, 0)
    assert stranger().get(0) is None


def test_a_loader_that_is_alone_shares_nothing(shared: Path) -> None:
    assert of(0, 0, loaders=1).get(0)
    assert list(shared.iterdir()) == []


def test_what_a_killed_loader_left_is_removed_and_what_is_in_use_is_not(shared: Path) -> None:
    long_ago = (0.0, os.stat(shared).st_mtime - 2 * ABANDONED_S)
    left, used, fresh = (shared / f"queue-breakeven-sent-{name}" for name in ("left", "used", "fresh"))
    for path in (left, used, fresh):
        path.touch()
    os.utime(left, long_ago)
    os.utime(used, long_ago)
    with used.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        of(0, 0)
        assert not left.exists()
        assert used.exists()
    assert fresh.exists(), "its loader may be about to lock it"


def test_without_room_in_shared_memory_a_loader_keeps_its_own(
    monkeypatch: pytest.MonkeyPatch, shared: Path
) -> None:
    def full(*_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    one = of(0, 0)
    own = one.get(0)
    assert own
    own.note(0, 70, 1)
    assert list(own.find_many([0])) == [70]
    assert len(own.memory) == MEMORY // 8 + 1
    other = of(1, 1)
    assert other.get(0) is None, "an empty file is nobody's memory"
    one.close()
    other.close()
    assert list(shared.iterdir()) == []
