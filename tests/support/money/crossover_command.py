"""``breakeven crossover`` as a test calls it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cli import main

OF_PAIR = ("--deployment", "pair")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Its exit code, standard output and standard error."""
    code = main.main(["crossover", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """What ``--json`` prints."""
    code, out, _ = run(capsys, *arguments, "--json")
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    return found
