"""Parts that runs here and on AWS have in common: their options and ids, and their end."""

from __future__ import annotations

import argparse
import json
import secrets
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Any

from rich.console import Console

from breakeven import words
from breakeven.errors import BreakevenError
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.tables import instrument_findings
from breakeven.results.items import RUN
from cli.command_name import command
from cli.exit_codes import INTERRUPTED, OK, SELF_TEST_FAILED, SOME_CASES_FAILED
from cli.running.summary import cases_of, print_summary
from cli.terminal import print_json, say
from local.stored.broker_logs import broker_log
from local.stored.export import settled_cases

#: where results are, unless an option says otherwise
RUNS = Path("runs")


def new_run_id() -> str:
    return datetime.now(UTC).strftime("r%Y%m%d-%H%M%S-") + secrets.token_hex(2)


def given(arguments: argparse.Namespace, *options: str) -> dict[str, Any]:
    """Those of the options that the command was given, with their values."""
    return {name: value for name in options if (value := getattr(arguments, name)) is not None}


def conclude(folder: Path, outcome: str, console: Console, *, as_json: bool) -> int:
    """Print what came of a run, and return the exit code.

    :param folder: where its results are
    :param outcome: as its record says, or ``interrupted``
    :raises BreakevenError: it failed, or no case of it is ok
    """
    path = folder / "report" / "report.json"
    # one that is there although the run was interrupted was asked for meanwhile, and lacks what came later
    is_its_own = outcome != "interrupted" and path.exists()
    report = Report.model_validate_json(path.read_bytes()) if is_its_own else None
    if as_json:
        print_json(_document(folder, outcome, report))
    elif report:
        print_summary(report, console)
        _say_broker_logs(folder, report, console)
        say(console, f"report: {folder / 'report' / 'index.html'}")
    if outcome == "interrupted":
        for line in _left(folder):
            say(console, line)
        return INTERRUPTED
    if outcome == "failed" or report is None:
        reason = _records(folder).get(RUN, {}).get("reason", "it left no record")
        raise BreakevenError(f"the run failed: {reason}; logs and results are in {folder}")
    if report.is_in_doubt:  # of all its figures, which is more than a case that failed
        return SELF_TEST_FAILED
    return OK if outcome == "ok" and not open_ledgers(report) else SOME_CASES_FAILED


def resume_command(folder: Path) -> str:
    """What resumes the run of that folder."""
    usual = folder.parent.resolve() == RUNS.resolve()
    return command(f"run --resume {folder.name}") + ("" if usual else f" --runs {quote(str(folder.parent))}")


def open_ledgers(report: Report) -> list[CaseReport]:
    """Cases of which not every message is accounted for."""
    return [case for case in report.cases if case.ledger and not case.ledger.closed]


def _left(folder: Path) -> list[str]:
    if not settled_cases(_records(folder)):
        return ["no case was settled, so there is nothing to resume: start a new run"]
    return [f"what was measured is in {folder}", f"to resume it: {resume_command(folder)}"]


def _records(folder: Path) -> dict[str, Any]:
    path = folder / "state.json"
    found: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {}
    return found


def _say_broker_logs(folder: Path, report: Report, console: Console) -> None:
    for case in report.cases:
        if path := broker_log(folder, case.case_id):
            say(
                console,
                f"brokers' log of {words.case_name(case)} on {words.target_name(case.target)}: {path}",
            )


def _document(folder: Path, outcome: str, report: Report | None) -> dict[str, Any]:
    document: dict[str, Any] = {"status": outcome, "folder": str(folder), "report": None}
    if report:
        document["report"] = str(folder / "report" / "report.json")
        self_test = instrument_findings.outcome(report)
        document |= {"verdict": report.verdict, "self_test": self_test, "cases": cases_of(report)}
    return document
