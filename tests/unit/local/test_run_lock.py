"""One run on a machine at a time, unless it is told to share."""

from __future__ import annotations

import os
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
        InputError, match=r"folder: '.*breakeven-runs': runs of this machine .*breakeven-runs in it a folder"
    ):
        start()
    assert not is_link or (tmp_path / "precious.lock").exists()
