"""Name of the command in hints, by how the program was started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cli import command_name
from cli.command_name import command


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of that name, with which this process was started, and not by npm."""
    program = tmp_path / "bin of mine" / "breakeven"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.delenv("npm_lifecycle_event", raising=False)
    monkeypatch.setattr(sys, "argv", [str(program), "run"])
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return program


def test_in_a_clone_it_is_by_way_of_npm(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("npm_lifecycle_event", "start")
    assert command("run quick") == "npm run breakeven -- run quick"
    monkeypatch.delenv("npm_lifecycle_event")
    monkeypatch.setattr(sys, "argv", ["cli/__main__.py", "run"])
    assert command() == "npm run breakeven --"


def test_on_the_path_it_is_its_name(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"/usr/bin:{installed.parent}")
    assert command("run quick") == "breakeven run quick"


def test_elsewhere_it_is_where_it_is(installed: Path) -> None:
    assert command("run quick") == f"'{installed}' run quick"


def test_the_program_of_a_clones_own_environment_is_by_way_of_npm(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_name, "CLONE", installed.parents[1])
    assert command("run quick") == f"'{installed}' run quick"  # a folder of packages
    (installed.parents[1] / "package.json").write_text("{}")
    assert command("run quick") == "npm run breakeven -- run quick"
