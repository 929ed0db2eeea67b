"""Runs that a trend leaves out because their records are damaged: each is named, with why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.main import main
from tests.fixtures.report.drifting import monthly, store

LACKED = "no trend has the run without it; restore it from a copy"


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Of three runs of a suite."""
    reports = [monthly(month) for month in (1, 2, 3)]
    for report in reports:
        store(tmp_path, report)
    return [tmp_path / report.run_id for report in reports]


def changed(name: str, change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    def do(folder: Path) -> None:
        found = json.loads((folder / name).read_text())
        change(found)
        (folder / name).write_text(json.dumps(found))

    return do


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda folder: (folder / "state.json").write_text("{"), "state.json: line 1, column 2: "),
        (lambda folder: (folder / "plan.json").write_text("[]"), "plan.json: file: 'plan.json': cannot be "),
        (lambda folder: (folder / "plan.json").unlink(), "plan.json: file: 'plan.json': cannot be read (No "),
        (changed("state.json", lambda state: state.pop("run")), "run: '"),
        (changed("plan.json", lambda plan: plan.pop("input")), "run: '"),
    ],
)
def test_a_run_whose_records_are_damaged_is_left_out_and_named(
    tmp_path: Path, folders: list[Path], capsys: Any, damage: Callable[[Path], object], said: str
) -> None:
    damage(folders[1])
    assert main(["trend", "quick", "--runs", str(tmp_path)]) == 0
    found = capsys.readouterr()
    (line,) = found.err.splitlines()
    assert line.startswith(f"left out: {folders[1]}")
    assert said in line
    assert line.endswith(LACKED)
    assert "2 runs of quick" in " ".join(found.out.split())


def test_of_another_suites_run_nothing_is_said(tmp_path: Path, folders: list[Path], capsys: Any) -> None:
    changed("plan.json", lambda plan: plan.update(suite={"name": "nightly"}))(folders[1])
    (folders[1] / "state.json").write_text("{")
    assert main(["trend", "quick", "--runs", str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""


def test_what_may_be_the_suites_is_named(tmp_path: Path, folders: list[Path], capsys: Any) -> None:
    for path in (folders[1] / "state.json", folders[1] / "plan.json", folders[1] / "report" / "report.json"):
        path.write_text("{")
    assert main(["trend", "quick", "--runs", str(tmp_path)]) == 0
    assert f"left out: {folders[1]}" in capsys.readouterr().err


def test_where_all_are_damaged_the_error_names_them(tmp_path: Path, folders: list[Path], capsys: Any) -> None:
    for folder in folders:
        (folder / "state.json").write_text("{")
    assert main(["trend", "quick", "--runs", str(tmp_path)]) == 2
    first, *others = capsys.readouterr().err.splitlines()
    assert "can be read, as is said below" in first
    assert [str(folder) in line for folder, line in zip(folders, others, strict=True)] == [True] * 3
