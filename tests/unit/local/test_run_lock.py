"""One run on a machine at a time, unless it is told to share."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from breakeven.errors import InputError
from local import run_lock

ROOT = Path(__file__).parents[3]
HOLDER = """
import sys
import time
from pathlib import Path
from local import run_lock
run_lock.FOLDER = Path(sys.argv[1])
with run_lock.held("r-first", Path("/results"), share=False):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def locks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where these tests note runs: this machine may have some under way."""
    monkeypatch.setattr(run_lock, "FOLDER", tmp_path / "breakeven-runs")
    return tmp_path / "breakeven-runs"


def test_a_folder_for_temporary_files_that_is_not_there_is_said(locks, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    for name in ("nowhere", "file"):
        monkeypatch.setenv("TMPDIR", str(tmp_path / name))
        refused = pytest.raises(
            InputError, match=rf"breakeven run: TMPDIR: '.*/{name}': is no folder in which"
        )
        with refused, run_lock.held("r-1", tmp_path, share=False):
            pass
    assert not locks.exists()


@pytest.fixture
def holder(locks: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A run whose data are on another disk than a second one's."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}", "TMPDIR": str(tmp_path)}
    argv = [sys.executable, "-c", HOLDER, str(locks)]
    with subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def start(run_id: str = "r-second", *, share: bool = False) -> list[str]:
    with run_lock.held(run_id, Path("/mine"), share=share) as others:
        return others


def test_a_second_run_is_refused_with_the_first_ones_name_until_that_is_killed(
    holder: subprocess.Popen[str], locks: Path
) -> None:
    first = f"r-first (process {holder.pid}, results in /results)"
    with pytest.raises(InputError) as refused:
        start()
    assert str(refused.value) == (
        f"breakeven run: this machine: {first} is under way, and two runs at once would each measure the "
        "other; wait for the end, or give --share, which flags every case of this run"
    )
    assert start(share=True) == [first]
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert start() == []
    assert list(locks.iterdir()) == []


def test_a_run_that_shares_is_under_way_for_the_next_one(tmp_path: Path) -> None:
    with ExitStack() as runs:
        for run_id in ("r1", "r2"):
            runs.enter_context(run_lock.held(run_id, tmp_path, share=True))
        with pytest.raises(InputError, match=r"machine: r1 \(.*\), r2 \(.*\) are under way"):
            start()
    assert start() == []


def test_a_refused_run_leaves_no_note(tmp_path: Path, locks: Path) -> None:
    with run_lock.held("r1", tmp_path, share=False):
        with pytest.raises(InputError):
            start()
        assert [path.name for path in locks.iterdir()] == ["r1.lock"]


def test_other_users_may_see_and_note_runs(tmp_path: Path, locks: Path) -> None:
    before = os.umask(0o077)
    try:
        with run_lock.held("r1", tmp_path, share=False):
            assert locks.stat().st_mode & 0o7777 == 0o1777
            assert (locks / "r1.lock").stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(before)


def test_what_a_terminal_would_obey_is_not_printed() -> None:
    with (
        run_lock.held("r1", Path("/a\x1b[2J"), share=False),
        pytest.raises(InputError, match=r"results in /a \[2J\)"),
    ):
        start()


def test_where_runs_are_noted_hangs_on_no_variable_and_no_user(tmp_path: Path) -> None:
    say = "from local import run_lock; print(run_lock.FOLDER)"
    names = ("TMPDIR", "TEMP", "TMP", "HOME", "XDG_RUNTIME_DIR")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}"}
    said = {
        subprocess.check_output([sys.executable, "-c", say], env=each, text=True)
        for each in (environment, environment | dict.fromkeys(names, str(tmp_path)))
    }
    assert said == {"/tmp/breakeven-runs\n"}


@pytest.mark.parametrize("is_link", [False, True])
def test_a_folder_that_is_none_is_refused_with_the_remedy(tmp_path: Path, locks: Path, is_link: bool) -> None:
    if is_link:
        (tmp_path / "precious.lock").touch()
        locks.symlink_to(tmp_path)
    else:
        locks.touch()
    with pytest.raises(
        InputError, match=r"folder: '.*breakeven-runs': runs of this machine .*; it must be a folder in which"
    ):
        start()
    assert not is_link or (tmp_path / "precious.lock").exists()


def test_a_folder_that_becomes_a_link_meanwhile_leads_nowhere(
    tmp_path: Path, locks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere, moved = tmp_path / "elsewhere", tmp_path / "moved"
    elsewhere.mkdir()
    (elsewhere / "poetry.lock").touch()
    look = run_lock._under_way

    def swapped(folder: int) -> list[str]:
        locks.rename(moved)
        locks.symlink_to(elsewhere)
        return look(folder)

    monkeypatch.setattr(run_lock, "_under_way", swapped)
    with run_lock.held("r1", tmp_path, share=False):
        assert [path.name for path in moved.iterdir()] == ["r1.lock"]
    assert [path.name for path in elsewhere.iterdir()] == ["poetry.lock"]
    assert list(moved.iterdir()) == []


def test_who_keeps_the_folder_locked_keeps_no_run_waiting_for_ever(
    locks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_lock, "PATIENCE_S", 0.1)
    locks.mkdir()
    opened = os.open(locks, os.O_RDONLY)
    fcntl.flock(opened, fcntl.LOCK_EX)
    with pytest.raises(InputError, match=r"\(another program keeps it locked\)"):
        start()
    os.close(opened)
    assert start() == []


def test_a_note_for_which_there_is_no_room_is_not_left_half_written(
    locks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(InputError, match=r"\(No space left on device\); .* on a disk that has room"):
        start()
    assert list(locks.iterdir()) == []


def test_a_folder_of_ones_own_is_opened_to_others_where_it_was_not(locks: Path) -> None:
    locks.mkdir(mode=0o700)  # as of a run that was killed right after it had made the folder
    start()
    assert locks.stat().st_mode & 0o7777 == 0o1777


def test_a_folder_that_is_cleared_meanwhile_ends_no_run(tmp_path: Path, locks: Path) -> None:
    with run_lock.held("r1", tmp_path, share=False):
        shutil.rmtree(locks)
    assert not locks.exists()


def test_results_may_be_in_a_folder_whose_name_is_no_utf_8() -> None:
    with run_lock.held("r1", Path(os.fsdecode(b"/a\xff")), share=False):
        assert [said.partition("results in ")[2] for said in start(share=True)] == [
            "/a\N{REPLACEMENT CHARACTER})"
        ]
