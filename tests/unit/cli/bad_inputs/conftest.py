"""Nothing is started here, and no run of this machine is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.running import run_command
from local import run_lock


@pytest.fixture(autouse=True)
def nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object) -> None:
        raise AssertionError("the run was started")

    monkeypatch.setattr(run_command, "_follow", started)


@pytest.fixture(autouse=True)
def no_runs_under_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As far as these tests see: this machine may have some, which are named before a folder is tried."""
    monkeypatch.setattr(run_lock, "FOLDER", tmp_path / "locks")
