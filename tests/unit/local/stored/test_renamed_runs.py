"""A run whose folder was renamed: it is reported, and what errors advise works for that folder."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from cli import report_source
from cli.main import main
from tests.support.workflow.settled_run import RUN_ID, ended

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.mark.parametrize("name", [pytest.param(RUN_ID, marks=pytest.mark.thorough), "before the change"])
def test_a_damaged_report_is_made_anew_as_its_error_says_whatever_the_folder_is_called(
    killed: list[str], runs: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ended(runs)
    folder = (runs / RUN_ID).rename(runs / name)
    main(["report", str(folder)])
    source = folder / "report" / "report.json"
    source.write_text("{")
    capsys.readouterr()
    assert main(["report", name, "--runs", str(runs)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    before, _, rest = line.partition("; remove it, and npm run breakeven -- ")
    assert before.startswith(f"error: {source}: line 1, column 2: 'end of file': ")
    again, _, why = rest.partition(" makes it anew")
    assert why == " from the run's rows"
    source.unlink()
    assert main(shlex.split(again)) == 0
    assert report_source.read(source).run_id == RUN_ID
    assert [case.case_id for case in report_source.read(source).cases] == sorted(killed)


@pytest.mark.usefixtures("killed")
def test_a_damaged_report_whose_rows_are_gone_is_not_said_to_be_made_anew(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended(runs)
    main(["report", "--runs", str(runs)])
    (runs / RUN_ID / "report" / "report.json").write_text("{")
    shutil.rmtree(runs / RUN_ID / "rows")
    capsys.readouterr()
    assert main(["report", "--runs", str(runs)]) == 2
    said = "; the run's rows are not all there to make it anew: restore the file, or start a new run\n"
    assert capsys.readouterr().err.endswith(said)


@pytest.mark.usefixtures("killed")
def test_a_renamed_run_is_reported_and_resumed_under_its_own_name_only(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = (runs / RUN_ID).rename(runs / "mine")
    assert main(["report", str(folder)]) == 0
    again = (
        f"name its folder {RUN_ID} again, and then npm run breakeven -- run --resume {RUN_ID} --runs {runs}"
    )
    assert capsys.readouterr().err == f"mine did not come to its end; to resume it: {again}\n"
    assert main(["run", "--resume", "mine", "--runs", str(runs)]) == 2
    said = f"--resume: 'mine': is a copy of run {RUN_ID}, or was renamed; name the folder {RUN_ID}\n"
    assert capsys.readouterr().err.endswith(said)
