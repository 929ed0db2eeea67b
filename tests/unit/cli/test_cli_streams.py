"""Outputs that are closed, full or of a poor encoding: a line, or nothing, and never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from breakeven import words
from breakeven.pricing.prices.book_files import BOOKS, DEFAULT_REGION
from cli import main as command
from cli.exit_codes import BAD_INPUT, FAILED, NOT_READ
from tests.support.workflow.command import ROOT

CROSSOVER = "crossover --rate 5 --amazon-mq none"


def shell(line: str, pass_fds: tuple[int, ...] = (), **environment: str) -> tuple[int, str, str]:
    """The command's exit code, and what it said on both outputs."""
    argv = ["bash", "-c", f'"$PYTHON" -m cli {line}']
    found = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}", "PYTHON": sys.executable}
    done = subprocess.run(
        argv, env=found | environment, cwd=ROOT, capture_output=True, check=False, pass_fds=pass_fds
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("closed", ["<&-", "2>&-"])
def test_a_stream_that_is_closed_is_not_missed(closed: str) -> None:
    code, _, said = shell(f"{CROSSOVER} {closed}")
    assert (code, said) == (0, "")


@pytest.mark.parametrize("line", [CROSSOVER, "--help", "plan quick"])
def test_an_answer_that_nobody_would_get_is_an_error(line: str) -> None:
    code, _, said = shell(f"{line} >&-")
    remedy = "leave it open, or send it to a file, or to /dev/null"
    assert (code, said) == (FAILED, f"error: standard output: is closed; {remedy}\n")


def test_where_all_streams_are_closed_the_exit_code_says_it() -> None:
    assert shell(f"{CROSSOVER} <&- >&- 2>&-") == (FAILED, "", "")


@pytest.mark.parametrize("line", [CROSSOVER, "--help", "crossover --help", "--version"])
def test_an_output_that_is_full_is_named(line: str) -> None:
    code, _, said = shell(f"{line} >/dev/full")
    assert (code, said) == (FAILED, "error: standard output: No space left on device\n")


def test_who_reads_no_more_is_told_of_nothing_and_the_code_is_that_of_the_signal() -> None:
    """As shells have it of a program that SIGPIPE ends; before, it was that of a run that had failed."""
    read, write = os.pipe()
    os.close(read)  # before anything is written, so that no answer is short enough to be there already
    try:
        code, _, said = shell(f"{CROSSOVER} >&{write}", pass_fds=(write,))
    finally:
        os.close(write)
    assert (code, said) == (NOT_READ, "")


def test_where_no_error_can_be_said_the_exit_code_says_it() -> None:
    assert shell("crossover --rate x 2>/dev/full")[0] == BAD_INPUT


def test_what_an_encoding_lacks_is_written_by_its_number() -> None:
    code, said, error = shell("crossover --rate 0", PYTHONIOENCODING="ascii")
    assert (code, error) == (0, "")
    assert r"\u2013" in said


def test_a_name_of_a_book_does_not_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = json.loads((BOOKS / f"{DEFAULT_REGION}.json").read_text())
    path = tmp_path / "book.json"
    path.write_text(json.dumps({**book, "name": "x\x1b[2J"}))
    assert command.main(["crossover", "--book", str(path)]) == 0
    said = capsys.readouterr().out
    assert "prices of x [2J@" in said
    assert "\x1b" not in said


def test_a_rate_of_next_to_nothing_is_no_line_of_zeros(capsys: pytest.CaptureFixture[str]) -> None:
    assert words.figure(1e-320) == "1.00e-320"
    assert words.figure(0.00000123) == "0.00000123"
    assert command.main(["crossover", "--rate", "1e-320"]) == BAD_INPUT
    assert "--rate: '1e-320': is under a message a month; give 0 or at least" in capsys.readouterr().err
    assert command.main(["crossover", "--rate", "3.9e-7"]) == 0
    said = capsys.readouterr().out
    assert "0.000000390 msg/s" in said
    assert "inf" not in said
