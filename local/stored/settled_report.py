"""The report of a run that did not come to its end on this machine, from what was settled of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from breakeven.errors import InputError, first_fault
from breakeven.report.contract.report_model import Report
from breakeven.results import layout
from breakeven.results.items import RUN
from breakeven.results.queries import queries
from breakeven.results.schemas import PARTITION, TABLES
from breakeven.steps.run.build_report import assemble
from local.aws.athena_sql import SqlError
from local.aws.sql_engine import SqlTable
from local.stored.answers import ask
from local.stored.damage import PLAN, RECORDS, damaged_rows, document
from local.stored.export import Items, cases_without_rows, recorded_id, without_rows
from local.stored.whole_files import read_records

ROWS = "rows"


@dataclass(frozen=True, slots=True)
class StoredRecords:
    """A run's records, as they are in its folder."""

    items: Items

    def get(self, item: str) -> Mapping[str, Any]:
        return self.items.get(item, {})

    @property
    def ended(self) -> bool:
        """Did the workflow come to its end? Else its report, if there is one, is of a moment before."""
        return "finished_at" in self.get(RUN)


def is_unfinished(folder: Path) -> bool:
    """Is it the folder of a run of which no report was written at its end?

    Where its records are damaged a report that is there is the best there is: it says of itself whether the
    run had ended.

    :raises InputError: its records are damaged, and it has no report
    """
    if not has_records(folder):
        return False
    has_report = (folder / "report" / "report.json").exists()
    try:
        return not (_records(folder).ended and has_report)
    except InputError:
        if has_report:
            return False
        raise


def has_records(folder: Path) -> bool:
    """Is it a run's folder, with its plan and its records?"""
    return (folder / PLAN).exists() and (folder / RECORDS).exists()


def has_ended(folder: Path) -> bool:
    """Did the run's workflow come to its end?

    :raises InputError: its records are damaged
    """
    return _records(folder).ended


def can_be_made_anew(folder: Path) -> bool:
    """Are plan, records and the rows of every case that is ok there, whatever the folder is called now?"""
    try:
        _check_whole(folder, _records(folder))
    except InputError:
        return False
    return (folder / PLAN).is_file()


def settled_report(folder: Path) -> Report:
    """The report of what is settled.

    :raises InputError: nothing is, or a file is damaged or of another version
    """
    kept = _records(folder)
    _check_whole(folder, kept)
    run_id = recorded_id(folder, kept.items)
    plan = document(folder / PLAN)
    tables = {
        table.name: SqlTable(
            table.columns,
            {PARTITION: "string"},
            sorted((folder / layout.rows_prefix(table.name, run_id)).glob("*.json.gz")),
        )
        for table in TABLES
    }
    try:
        report = assemble(run_id, plan, kept, ask(tables, run_id, list(queries())), {}, ended=kept.ended)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        remedy = f"is damaged, or of another version ({_in_a_line(error)}); start a new run"
        raise InputError(str(folder / PLAN), "file", PLAN, remedy) from error
    except SqlError as error:
        if damaged := damaged_rows(folder, run_id):
            raise damaged from error
        remedy = f"cannot be read ({' '.join(str(error).split())}); start a new run"
        raise InputError(str(folder), "folder", ROWS, remedy) from error
    if not report.cases:
        raise InputError(str(folder), "cases", None, "none was settled; start a new run")
    return report


def _in_a_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        field, _, wrong = first_fault(error, "plan")
        return f"{error.title}: {field}: {wrong}"
    return f"{type(error).__name__}: {error}"


def _check_whole(folder: Path, kept: StoredRecords) -> None:
    """A run whose rows are gone would be reported as if its cases had failed.

    :raises InputError: the record of the run is not there, or the rows of a case that is ok
    """
    if RUN not in kept.items:
        remedy = f"has no record of the {RUN}, and is damaged; start a new run"
        raise InputError(str(folder / RECORDS), "file", RECORDS, remedy)
    if gone := cases_without_rows(folder, kept.items):
        raise InputError(str(folder), "folder", ROWS, without_rows(gone))


def _records(folder: Path) -> StoredRecords:
    return StoredRecords(document(folder / RECORDS, read_records))
