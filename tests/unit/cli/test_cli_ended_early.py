"""A run that is ended from outside: by a hang-up, by a disk that is full."""

from __future__ import annotations

import os
import pty
import signal
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from cli import main
from cli.exit_codes import BAD_INPUT, FAILED, INTERRUPTED
from cli.running import run_command
from local.stored.export import UnwritableError
from tests.support.workflow.full_disk import full_disk

pytestmark = pytest.mark.usefixtures("signals_of_a_terminal")


class Ended:
    """A session that is ended while it starts, as ``ends`` does it; ``left`` is what it had written."""

    left = True

    def __init__(self, runs: Path, _say: object, _endpoints: object, run_id: str, *_: object) -> None:
        self.folder = runs / run_id

    def __enter__(self) -> Ended:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def start(self, *_: object) -> None:
        if self.left:
            self.folder.mkdir(parents=True)
            (self.folder / "state.json").write_text('{"run": {}}')
        self.ends()

    def ends(self) -> None:
        os.kill(os.getpid(), signal.SIGHUP)

    def interrupt(self) -> None:
        pass

    def export(self) -> Path:
        return self.folder


class Full(Ended):
    def ends(self) -> None:
        raise UnwritableError(f"{self.folder} cannot be written (No space left on device)")


class FullAtOnce(Full):
    left = False


def ran(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: type[Ended]) -> int:
    monkeypatch.setattr(run_command, "Session", kind)
    return main.main(["run", "quick", "--share", "--runs", str(tmp_path)])


def test_a_terminal_that_goes_ends_it_as_an_interrupt_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert ran(monkeypatch, tmp_path, Ended) == INTERRUPTED


def test_under_nohup_it_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    monkeypatch.setattr(run_command, "_follow", lambda *_: (tmp_path, str(signal.getsignal(signal.SIGHUP))))
    monkeypatch.setattr(run_command, "conclude", lambda _folder, outcome, *_args, **_named: outcome)
    assert main.main(["run", "quick", "--share", "--runs", str(tmp_path)]) == str(signal.SIG_IGN)


def test_nothing_is_written_to_a_terminal_that_has_gone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It says no more that it is one, and to write to it fails."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:

        def hangs_up(_: object) -> None:
            os.close(ours)
            with pytest.raises(OSError, match="Input/output error"):
                os.write(theirs, b"it has gone")
            assert not terminal.isatty()
            os.kill(os.getpid(), signal.SIGHUP)

        monkeypatch.setattr(Ended, "ends", hangs_up)
        monkeypatch.setattr(sys, "stdout", terminal)
        assert ran(monkeypatch, tmp_path, Ended) == INTERRUPTED


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (
            Full,
            "settled cases are kept; make room, then: npm run breakeven -- run --resume {run} --runs {runs}",
        ),
        (FullAtOnce, "nothing was kept"),
    ],
)
def test_a_disk_that_fills_up_ends_it_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    kind: type[Ended],
    said: str,
) -> None:
    monkeypatch.setattr(run_command, "new_run_id", lambda: "r1")
    assert ran(monkeypatch, tmp_path, kind) == FAILED
    (line,) = capsys.readouterr().err.splitlines()
    why = f"error: {tmp_path / 'r1'} cannot be written (No space left on device): the run was stopped; "
    assert line == why + said.format(run="r1", runs=tmp_path)


def test_a_disk_that_is_full_is_said_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # on its own disk: the runs of this machine are noted in another folder
    monkeypatch.setattr(run_command.run_lock, "held", lambda *_, **__: nullcontext())
    with full_disk():
        assert ran(monkeypatch, tmp_path, Ended) == BAD_INPUT
    (line,) = capsys.readouterr().err.splitlines()
    assert f"--runs: '{tmp_path}': no folder that results can be written to (File too large)" in line
    assert list(tmp_path.iterdir()) == []
