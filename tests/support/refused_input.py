"""What the command says of bad input."""

from __future__ import annotations

import pytest

from cli import main as command
from cli.exit_codes import BAD_INPUT


def refused(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """The one line that is said of it."""
    assert command.main(argv) == BAD_INPUT
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert line.startswith("error: ")
    return line
