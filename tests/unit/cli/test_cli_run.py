"""``breakeven run``: what is refused before anything is started, however the run would have ended."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli import main
from cli.running import run_command
from cli.running.outcome import INTERRUPTED
from local import session


@pytest.fixture
def nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object) -> None:
        raise AssertionError("the run was started")

    monkeypatch.setattr(run_command, "_follow", started)


@pytest.fixture
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in run_command.ENDING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("nothing_starts")
@pytest.mark.parametrize(
    ("options", "field", "remedy"),
    [
        (["--seed", "-1"], "seed: -1", "greater than or equal to 0"),
        (["--seed", "2147483648"], "seed: 2147483648", "less than or equal to 2147483647"),
        (["--region", "eu-central-1"], "cloudwatch/alarm_month", "the price book of another region"),
    ],
)
def test_what_the_first_state_would_refuse_is_refused_before_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, options: list[str], field: str, remedy: str
) -> None:
    assert main.main(["run", "quick", "--runs", str(tmp_path / "runs"), *options]) == main.BAD_INPUT
    (line,) = capsys.readouterr().err.splitlines()
    assert field in line
    assert remedy in line
    assert not (tmp_path / "runs").exists()


@pytest.mark.usefixtures("nothing_starts")
def test_a_folder_that_takes_no_results_is_refused_before_there_are_any(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "a-file"
    file.write_text("not a folder")
    for place in (file, file / "runs", Path("/proc/runs")):
        assert main.main(["run", "quick", "--runs", str(place)]) == main.BAD_INPUT
        line = capsys.readouterr().err.splitlines()[-1]
        assert f"--runs: '{place}': no folder that results can be written to" in line
        assert main.main(["run", "quick", "--on", "aws", "--runs", str(place)]) == main.BAD_INPUT
        assert f"--runs: '{place}'" in capsys.readouterr().err


@pytest.mark.usefixtures("nothing_starts")
def test_a_folder_that_is_missing_is_made(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="was started"):
        main.main(["run", "quick", "--runs", str(tmp_path / "new" / "runs")])
    assert (tmp_path / "new" / "runs").is_dir()


class Interrupted:
    """A session that is told to end while it starts, and again while it ends."""

    def __init__(self, runs: Path, *_: object) -> None:
        self.folder, self.cleaned = runs / "run", False

    def __enter__(self) -> Interrupted:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def start(self, *_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    def interrupt(self) -> None:
        for number in run_command.ENDING:
            os.kill(os.getpid(), number)
        self.cleaned = True

    def export(self, run_id: str) -> Path:
        assert self.cleaned
        self.folder.mkdir()
        return self.folder


@pytest.mark.usefixtures("handlers")
def test_what_is_reported_to_end_twice_keeps_what_was_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(session, "Session", Interrupted)
    assert main.main(["run", "quick", "--runs", str(tmp_path)]) == INTERRUPTED
    assert (tmp_path / "run").is_dir()
    assert "what was measured is in" in capsys.readouterr().out
