"""Earlier runs of a suite in the folder of runs: brought to where the workflow looks, and compared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from breakeven.errors import InputError
from breakeven.report.contract.report_model import Report
from breakeven.report.drift.comparable_runs import SuiteRun, latest_of_each, planned_run, suite_run
from breakeven.report.drift.drift_builder import TRIED, drift_since_last
from breakeven.results import layout
from breakeven.results.items import CASES, RUN
from breakeven.results.state import RunState
from breakeven.results.store import Store
from breakeven.steps.run.earlier_runs import REPORT, keep
from breakeven.targets.catalog import is_compared
from local.stored.damage import PLAN, RECORDS, document
from local.stored.export import Items
from local.stored.whole_files import read_object, read_records

#: of a file that somebody has edited, or a version before this one has written
UNREADABLE = (OSError, ValueError, KeyError, TypeError)
#: of what no trend can have a run without
LACKED = "no trend has the run without it; restore it from a copy"


def known_suites(runs: Path) -> list[str]:
    """Names of the suites that the runs in the folder are of."""
    names: set[str] = set()
    for path in runs.glob(f"*/{RECORDS}"):
        with suppress(*UNREADABLE):
            names.add(str(read_records(path)[RUN]["suite"]))
    return sorted(names)


def suite_runs(runs: Path, suite: str) -> list[SuiteRun]:
    """Those that came to their end and have a report; folders that are damaged are none.

    Of a run that was copied within the folder one is counted, under its own name where that is there.
    """
    found: dict[str, SuiteRun] = {}
    for run_id, run in _ended(runs, suite):
        if report_of(runs / run.run_id).is_file() and (run_id not in found or run.run_id == run_id):
            found[run_id] = run
    return list(found.values())


def without_report(runs: Path, suite: str) -> list[Path]:
    """Folders of the suite's runs that came to their end and have no report any more."""
    folders = [runs / run.run_id for _, run in _ended(runs, suite)]
    return [folder for folder in folders if not report_of(folder).is_file()]


def _ended(runs: Path, suite: str) -> Iterator[tuple[str, SuiteRun]]:
    """Of each folder whose run came to its end: the id that it recorded, and the run by the folder's name."""
    for folder in _folders(runs):
        with suppress(*UNREADABLE):
            if found := _run_of(folder, suite):
                yield found


def unreadable(runs: Path, suite: str) -> Iterator[InputError]:
    """Of each folder whose records or plan are damaged, unless its run is known to be another suite's."""
    for folder in _folders(runs):
        try:
            _run_of(folder, suite)
        except UNREADABLE:
            if _suite_of(folder) in {None, suite}:
                yield _damage(folder)


def _folders(runs: Path) -> list[Path]:
    return [path.parent for path in sorted(runs.glob(f"*/{RECORDS}")) if not path.parent.is_symlink()]


def _run_of(folder: Path, suite: str) -> tuple[str, SuiteRun] | None:
    """None where it is another suite's, or has not come to its end. Raises ``UNREADABLE``."""
    items = read_records(folder / RECORDS)
    run = items[RUN]
    if run.get("suite") != suite or "finished_at" not in run:
        return None
    known = planned_run(read_object(folder / PLAN), folder.name, run["started_at"], _ok(items))
    return str(run.get("run_id", folder.name)), known


def _suite_of(folder: Path) -> str | None:
    """By whichever of its files can be read."""
    files = ((folder / RECORDS, (RUN, "suite")), (folder / PLAN, ("suite", "name")))
    for path, names in (*files, (report_of(folder), ("suite",))):
        with suppress(*UNREADABLE):
            found: Any = read_object(path)
            for name in names:
                found = found[name]
            return str(found)
    return None


def _damage(folder: Path) -> InputError:
    try:
        document(folder / RECORDS, read_records, LACKED)
        document(folder / PLAN, read_object, LACKED)
    except InputError as error:
        return error
    wrong = f"{RECORDS} or {PLAN} lacks what this version writes, or has something else in its place"
    return InputError(str(folder), "run", folder.name, f"{wrong}; {LACKED}")


def _ok(items: Items) -> int:
    cases = [item for name, item in items.items() if name.startswith(CASES)]
    return sum(case.get("status") == "ok" and is_compared(str(case.get("target"))) for case in cases)


def bring(store: Store, state: RunState, runs: Path, suite: str) -> None:
    """Put what the next run can need of them into the bucket and the table.

    :param state: the partition of the suite's runs
    """
    for run in latest_of_each(suite_runs(runs, suite), TRIED):
        with suppress(OSError):
            body = report_of(runs / run.run_id).read_bytes()
            store.put_bytes(layout.report_key(run.run_id, REPORT), body, "application/json")
            keep(state, run)


def with_drift(report: Report, folder: Path) -> Report:
    """The report of the run in that folder with its drift since the last comparable run beside it.

    As it is where it has one already, and where its plan is not there to say what is comparable.
    """
    if report.drift or report.source:
        return report
    try:
        own = suite_run(read_object(folder / PLAN), report)
    except UNREADABLE:
        return report
    known = suite_runs(folder.parent, report.suite)
    drift = drift_since_last(own, report, known, partial(read_report, folder.parent))
    return report.model_copy(update={"drift": drift})


def report_of(folder: Path) -> Path:
    return folder / "report" / REPORT


def read_report(runs: Path, run_id: str) -> Report | None:
    """None where it is gone, damaged, or of a version that is no longer read."""
    try:
        return Report.model_validate_json(report_of(runs / run_id).read_bytes())
    except (OSError, ValidationError):
        return None
