"""The end of a run, wherever it was made: what is printed, and the exit code."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from breakeven.errors import BreakevenError
from breakeven.report.contract.report_model import Report
from breakeven.results.items import RUN
from cli.running.summary import print_summary

OK, FAILED, SOME_CASES_FAILED, NOT_FOLLOWED, INTERRUPTED = 0, 1, 3, 4, 130


def conclude(folder: Path, outcome: str, console: Console, *, as_json: bool) -> int:
    """Print what came of a run, and return the exit code.

    :param folder: where its results are
    :param outcome: as its record says, or ``interrupted``
    :raises BreakevenError: it failed, or no case of it is ok
    """
    path = folder / "report" / "report.json"
    report = Report.model_validate_json(path.read_bytes()) if path.exists() else None
    if as_json:
        json.dump(_document(folder, outcome, report), sys.stdout, indent=2)
        print()
    elif report:
        print_summary(report, console)
        console.print(f"report: {folder / 'report' / 'index.html'}", soft_wrap=True, highlight=False)
    if outcome == "interrupted":
        kept = f"what was measured is in {folder}" if folder.exists() else "nothing had been measured"
        console.print(kept, soft_wrap=True, highlight=False)
        return INTERRUPTED
    if outcome == "failed" or report is None:
        reason = (
            json.loads((folder / "state.json").read_text()).get(RUN, {}).get("reason", "it left no record")
        )
        raise BreakevenError(f"the run failed: {reason}; logs and results are in {folder}")
    return OK if outcome == "ok" else SOME_CASES_FAILED


def _document(folder: Path, outcome: str, report: Report | None) -> dict[str, Any]:
    document: dict[str, Any] = {"status": outcome, "folder": str(folder), "report": None}
    if report:
        document["report"] = str(folder / "report" / "report.json")
        document["verdict"] = report.verdict
        document["cases"] = [
            {"case_id": case.case_id, "status": case.status, "reason": case.reason} for case in report.cases
        ]
    return document
