"""What the command's exit code says of a run, and the lines with it."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from breakeven.errors import BreakevenError
from breakeven.version import VERSION
from cli import main as command
from cli import plan_command
from cli.exit_codes import (
    BAD_INPUT,
    FAILED,
    INTERRUPTED,
    NOT_FOLLOWED,
    NOT_READ,
    OK,
    SELF_TEST_FAILED,
    SOME_CASES_FAILED,
)
from cli.running.outcome import RUNS, conclude
from tests.fixtures.report import sample
from tests.fixtures.report.self_tested import proved
from tests.support.workflow.command import PYTHON, ROOT
from tests.support.workflow.full_disk import full_disk

SMALL = sample.planned()[2:4]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "r1" / "report").mkdir(parents=True)
    (tmp_path / "r1" / "state.json").write_text(json.dumps({"run": {"reason": "it broke"}}))
    return tmp_path / "r1"


def concluded(folder: Path, outcome: str, *, as_json: bool = False, **changed: object) -> tuple[int, str]:
    (folder / "report" / "report.json").write_text(sample.report(SMALL, **changed).model_dump_json())
    out = io.StringIO()
    return conclude(folder, outcome, Console(file=out, width=200), as_json=as_json), out.getvalue()


def test_all_well_is_0(folder: Path) -> None:
    assert concluded(folder, "ok")[0] == OK == 0


def test_a_case_that_failed_is_3(folder: Path) -> None:
    assert concluded(folder, "partial")[0] == SOME_CASES_FAILED == 3


def test_a_ledger_that_is_open_is_3_and_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The smallest: of one case one message is left, and nothing has failed."""
    ledgers = [sample.ledger_row(SMALL[0]), sample.ledger_row(SMALL[1], left=1, closed=False)]
    code, out = concluded(folder, "ok", ledger=ledgers)
    assert code == 3
    assert "the ledger is open in parallel" in out
    assert concluded(folder, "ok", as_json=True, ledger=ledgers)[0] == 3
    cases = json.loads(capsys.readouterr().out)["cases"]
    assert [case["ledger_closed"] for case in cases] == [True, False]


@pytest.mark.parametrize(
    ("made", "code"),
    [
        ({}, 0),
        ({"read": {"p99_ms": 14.0}}, 5),  # the smallest: one percentile is 2 ms from what was done
        ({"status": "failed"}, 5),
    ],
)
def test_a_self_test_that_failed_is_5_and_one_that_passed_is_not(
    folder: Path, made: dict[str, Any], code: int
) -> None:
    report = proved(**made)
    (folder / "report" / "report.json").write_text(report.model_dump_json())
    out = io.StringIO()
    for outcome in ("ok", "partial"):
        found = conclude(folder, outcome, Console(file=out, width=200), as_json=False)
        assert found == (code or (0 if outcome == "ok" else 3))
    assert ("THE SELF-TEST FAILED" in out.getvalue()) == bool(code)


def test_a_run_that_failed_is_1(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BreakevenError, match="the run failed: it broke; logs and results are in"):
        concluded(folder, "failed")
    monkeypatch.setattr(plan_command, "run", lambda _: conclude(folder, "failed", Console(), as_json=True))
    assert command.main(["plan", "quick"]) == FAILED == 1


def test_one_that_left_nothing_at_all_is_1_too(tmp_path: Path) -> None:
    with pytest.raises(BreakevenError, match="the run failed: it left no record"):
        conclude(tmp_path / "r1", "failed", Console(), as_json=False)


@pytest.mark.parametrize("place", [RUNS, Path("else where")])
def test_an_interrupt_is_130_and_says_how_to_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (place / "r1").mkdir(parents=True)
    out = io.StringIO()
    console = Console(file=out, width=200)
    assert conclude(place / "r1", "interrupted", console, as_json=False) == INTERRUPTED == 130
    records: dict[str, dict[str, str]] = {"run": {}, "case#c": {"status": "running"}}
    for records["case#c"]["status"] in ("running", "ok"):
        (place / "r1" / "state.json").write_text(json.dumps(records))
        conclude(place / "r1", "interrupted", console, as_json=False)
    elsewhere = "" if place == RUNS else " --runs 'else where'"
    assert out.getvalue().splitlines() == [
        *["no case was settled, so there is nothing to resume: start a new run"] * 2,
        f"what was measured is in {place / 'r1'}",
        f"to resume it: npm run breakeven -- run --resume r1{elsewhere}",
    ]


def test_an_interrupted_run_is_not_concluded_from_a_report_that_was_asked_for_meanwhile(folder: Path) -> None:
    code, said = concluded(folder, "interrupted")
    assert code == INTERRUPTED
    assert said.splitlines() == ["no case was settled, so there is nothing to resume: start a new run"]
    _, said = concluded(folder, "interrupted", as_json=True)
    assert "verdict" not in said


@pytest.mark.usefixtures("signals_of_a_terminal")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_ended_removes_what_it_has_made(tmp_path: Path, number: int) -> None:
    program = f"""
import os, sys, tempfile, cli.main
def run():
    with tempfile.TemporaryDirectory(dir={str(tmp_path)!r}):
        os.kill(os.getpid(), {int(number)})
        raise AssertionError("it went on")
cli.main.main = run
from cli.__main__ import main
sys.exit(main())
"""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}"}
    argv = [*PYTHON[:-1], sys.executable, "-c", program]
    done = subprocess.run(argv, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (INTERRUPTED, "")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_one_may_not_enter_is_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As root, who may enter all of them, the system's answer is stood in for."""

    def looks(_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(tmp_path))

    monkeypatch.setattr(plan_command, "run", looks)
    assert command.main(["plan", "quick"]) == BAD_INPUT
    said = capsys.readouterr().err
    assert said == f"error: {tmp_path}: Permission denied; give another path, or have its owner let you in\n"


def test_the_readme_has_each_code() -> None:
    documented = re.findall(r"^- (\d+) ", (ROOT / "README.md").read_text(), re.MULTILINE)
    of_runs = {OK, FAILED, BAD_INPUT, SOME_CASES_FAILED, NOT_FOLLOWED, SELF_TEST_FAILED}
    codes = of_runs | {INTERRUPTED, NOT_READ}
    assert set(map(int, documented)) == codes


def test_the_version_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"breakeven {VERSION}\n"


def test_an_early_interrupt_is_130_without_a_traceback() -> None:
    """At the first import that takes time: what is imported stops itself, as Ctrl-C would."""
    stops = f"import os, signal, sys; sys.modules['argparse'] = None; os.kill(os.getpid(), {signal.SIGINT})"
    program = f"""
import sys
class Interrupted:
    def find_spec(self, name, *_):
        if name == "cli.main":
            exec({stops!r})
sys.meta_path.insert(0, Interrupted())
from cli.__main__ import main
sys.exit(main())
"""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}"}
    argv = [*PYTHON[:-1], sys.executable, "-c", program]
    done = subprocess.run(argv, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (INTERRUPTED, "")


def test_a_full_disk_is_a_line_wherever_it_is_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def writes(_: object) -> int:
        with full_disk():
            (tmp_path / "file").write_text("more than nothing")
        return 0

    monkeypatch.setattr(plan_command, "run", writes)
    assert command.main(["plan", "quick"]) == FAILED
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert line.endswith("File too large")
