"""What the command says of a run whose self-test failed, whichever command is asked."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from breakeven.errors import InputError, SelfTestFailedError
from breakeven.report.contract.report_model import Report
from breakeven.report.tables.instrument_findings import FAILED
from cli.exit_codes import OK, SELF_TEST_FAILED
from cli.main import main
from cli.running import run_command, run_on_aws
from tests.fixtures.report.self_tested import proved
from tests.support.workflow.settled_run import RUN_ID

#: the smallest that fails it: one percentile is 2 ms from what was done
MISREAD = {"p99_ms": 14.0}


def kept(runs: Path, report: Report) -> None:
    folder = runs / "r1" / "report"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text(report.model_dump_json())


@pytest.mark.usefixtures("undrawn")
def test_a_report_says_it_first_and_last_and_ends_with_0_as_it_was_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = proved(read=MISREAD)
    kept(tmp_path, report)
    assert main(["report", "r1", "--runs", str(tmp_path)]) == OK
    lines = [line for line in capsys.readouterr().out.splitlines() if line]
    assert lines[-1] == (
        f"the self-test of {report.run_id} failed (exit code 5 of its run); this command ends with 0, as the "
        "report was written"
    )
    warning = next(number for number, line in enumerate(lines) if line.startswith(FAILED))
    assert warning < lines.index(report.verdict.split("\n\n", maxsplit=1)[0])
    assert sum(line.startswith(FAILED) for line in lines) == 1


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("read", "outcome", "warned"),
    [(MISREAD, "failed", True), ({}, "passed", False)],
    ids=["failed", "passed"],
)
def test_its_json_has_what_the_self_test_came_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], read: dict[str, float], outcome: str, warned: bool
) -> None:
    kept(tmp_path, proved(read=read))
    assert main(["report", "r1", "--runs", str(tmp_path), "--json"]) == OK
    assert json.loads(capsys.readouterr().out)["self_test"] == outcome
    main(["report", "r1", "--runs", str(tmp_path)])
    assert ("this command ends with 0" in capsys.readouterr().out) == warned


def test_the_help_of_report_says_what_its_exit_code_is_of(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["report", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "Ends with exit code 0 once the report is written, whatever its run came to" in said


def test_to_resume_such_a_run_ends_as_the_run_did(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_: object) -> None:
        raise SelfTestFailedError("execution input", "resume_run_id", RUN_ID, "its self-test failed")

    monkeypatch.setattr(run_command, "earlier_run", refused)
    assert main(["run", "--resume", RUN_ID, "--runs", str(tmp_path)]) == SELF_TEST_FAILED
    assert capsys.readouterr().err == f"error: breakeven run: --resume: '{RUN_ID}': its self-test failed\n"


@pytest.mark.parametrize(
    ("error", "code"), [("SelfTestFailedError", SelfTestFailedError), ("InputError", InputError)]
)
def test_one_that_a_stack_refused_is_told_by_the_error_of_its_plan(
    tmp_path: Path, error: str, code: type[InputError]
) -> None:
    record = {"status": "failed", "failed_at": "Plan", "reason": "no", "failed": {"Plan": {"Error": error}}}
    (tmp_path / "state.json").write_text(json.dumps({"run": record}))
    with pytest.raises(InputError, match="was refused, nothing was started: no") as caught:
        run_on_aws._conclude(tmp_path, RUN_ID, SimpleNamespace(json=False), Console())
    assert type(caught.value) is code
