"""A run that is killed: what was settled until then is shown, and is not measured again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.workflow.command import ROOT, Command

pytestmark = pytest.mark.thorough

FOUR_CASES = """
suite: four-cases
title: Four cases, of which half are settled
targets: [sqs-standard]
instrument: false
warm_up: false
scenarios:
  parallel: {threads: [1, 2, 3, 4], rate: 20, warmup_s: 1, measure_s: 1, drain_s: 300, message_size: 1KiB}
"""


class Killed(NamedTuple):
    command: Command
    folder: Path
    settled: set[str]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    command = Command(FOUR_CASES, tmp_path_factory.mktemp("killed"))
    settled: list[str] = []

    def half_ended() -> bool:
        line = command.process.stdout.readline()
        settled.extend(line.split()[2:3] if " ok " in line else [])
        return len(settled) == 2

    command.wait_for(half_ended)
    command.signal(signal.SIGKILL)
    command.end(timeout_s=30)
    return Killed(command, (command.runs / "latest").resolve(), set(settled))


def rows(folder: Path) -> set[str]:
    return {path.name.partition(".json")[0] for path in (folder / "rows" / "cases").rglob("*.json.gz")}


def test_its_settled_cases_are_there_and_nothing_of_it_runs_on(killed: Killed) -> None:
    assert killed.command.left_running() == set()
    assert killed.settled <= rows(killed.folder)
    assert len(rows(killed.folder)) < 4


def test_its_report_shows_them_and_how_to_go_on(killed: Killed) -> None:
    argv = [sys.executable, "-m", "cli", "report", "latest", "--runs", str(killed.command.runs)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}"}
    done = subprocess.run(argv, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    settled = len(rows(killed.folder))
    assert f"This run has not come to its end: {settled} of its 4 cases are settled" in done.stdout
    assert f"npm run breakeven -- run --resume {killed.folder.name}" in done.stderr
    report = json.loads((killed.folder / "report" / "report.json").read_text())
    shown = {case["case_id"]: case for case in report["cases"]}
    assert set(shown) == rows(killed.folder)
    assert all(case["ledger"]["closed"] and case["ledger"]["sent"] > 0 for case in shown.values())


def test_resumed_it_ends_and_no_case_is_run_twice(killed: Killed) -> None:
    before = rows(killed.folder)
    resumed = Command(None, killed.command.runs.parent, "--resume", "latest")
    code, out, err = resumed.end()
    assert code == 0, f"{out}\n{err}"
    assert f"resumes {killed.folder.name}: {len(before)} of its 4 cases are settled" in out
    report = resumed.report()
    assert report["run_id"] != killed.folder.name
    assert [case["status"] for case in report["cases"]] == ["ok"] * 4
    assert all(case["ledger"]["closed"] for case in report["cases"])
    measured = {path.name for path in (resumed.runs / "latest" / "raw").iterdir()}
    assert measured == {case["case_id"] for case in report["cases"]} - before
    assert rows(killed.folder) == before, "it stays as it is"
