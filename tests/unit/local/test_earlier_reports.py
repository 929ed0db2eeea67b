"""Earlier runs in the folder of runs: what a run finds of them, and what a report is held against."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from breakeven.report.drift.drift_builder import FIRST
from breakeven.results.items import RUN, suite_runs
from breakeven.steps.run.earlier_runs import known_runs, stored_report
from breakeven.steps.services import Services
from cli.main import main
from local.stored import earlier_reports
from tests.fixtures.report import sample
from tests.fixtures.report.drifting import monthly, store
from tests.support.aws.moto_results import installed

SUITE = "quick"


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    with installed(monkeypatch) as found:
        yield found


def test_a_run_finds_the_earlier_ones_where_the_workflow_looks(tmp_path: Path, services: Services) -> None:
    for month in (1, 2):
        store(tmp_path, monthly(month))
    store(tmp_path, monthly(3, suite="other"))
    (tmp_path / "latest").symlink_to("m2")
    state = services.state(suite_runs(SUITE))
    earlier_reports.bring(services.store, state, tmp_path, SUITE)
    assert {run.run_id for run in known_runs(state)} == {"m1", "m2"}
    found = stored_report(services.store, "m2")
    assert found
    assert found.run_id == "m2"
    assert stored_report(services.store, "m3") is None


def test_damaged_and_unfinished_folders_are_none(tmp_path: Path) -> None:
    for number, name in enumerate(("state.json", "plan.json"), 1):
        (store(tmp_path, monthly(number)) / name).write_text("[")
    (store(tmp_path, monthly(3)) / "plan.json").write_text("{}")
    (store(tmp_path, monthly(4)) / "report" / "report.json").unlink()
    unfinished = store(tmp_path, monthly(5)) / "state.json"
    unfinished.write_text(json.dumps({RUN: {"suite": SUITE, "started_at": "2026-05-01T06:00:00Z"}}))
    store(tmp_path, monthly(6, started_at="some day"))
    assert earlier_reports.suite_runs(tmp_path, SUITE) == []


@pytest.mark.parametrize("name", ["before-the-change", "z"])
def test_a_run_that_was_copied_is_counted_once_under_its_own_name(tmp_path: Path, name: str) -> None:
    folder = store(tmp_path, monthly(1))
    records = json.loads((folder / "state.json").read_text())
    records[RUN]["run_id"] = "m1"
    (folder / "state.json").write_text(json.dumps(records))
    shutil.copytree(folder, tmp_path / name)
    assert [run.run_id for run in earlier_reports.suite_runs(tmp_path, SUITE)] == ["m1"]
    shutil.rmtree(folder)
    assert [run.run_id for run in earlier_reports.suite_runs(tmp_path, SUITE)] == [name]


@pytest.mark.usefixtures("undrawn")
def test_a_report_of_an_earlier_version_is_rendered_with_its_drift_and_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store(tmp_path, monthly(1))
    folder = store(tmp_path, monthly(2, {sample.RABBITMQ: 1.25}))
    before = (folder / "report" / "report.json").read_bytes()
    assert main(["report", "m2", "--runs", str(tmp_path)]) == 0
    assert "Since run m1 of 2026-01-01 the " in capsys.readouterr().out
    written = (folder / "report" / "report.md").read_text()
    assert "## Drift since run m1 of 2026-01-01" in written
    assert (folder / "report" / "report.json").read_bytes() == before
    assert main(["report", "m2", "--runs", str(tmp_path)]) == 0
    assert (folder / "report" / "report.md").read_text() == written


@pytest.mark.usefixtures("undrawn")
def test_the_first_run_of_a_suite_says_that_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store(tmp_path, monthly(2))
    assert main(["report", "m2", "--runs", str(tmp_path)]) == 0
    assert FIRST in " ".join(capsys.readouterr().out.split())
