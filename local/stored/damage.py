"""Files of a run's folder that are damaged: each is named, with what is wrong with it and what to do."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from breakeven.errors import InputError
from breakeven.results import layout
from breakeven.results.schemas import TABLES
from breakeven.workload.json_text import JsonFault, parse_json
from breakeven.workload.problems import shown
from local.stored.whole_files import read_object, read_records, why

PLAN, RECORDS = "plan.json", "state.json"
ANEW = "start a new run"
#: of what a report can do without, once it is written
KEPT = "the report is rendered without it, but the run cannot be resumed; restore it from a copy"
UNUSED = "no report needs it; restore it from a copy, or remove it"
#: Hive's types, as JSON has them
KINDS: dict[str, tuple[str, tuple[type, ...]]] = {
    "string": ("text", (str,)),
    "int": ("a whole number", (int,)),
    "bigint": ("a whole number", (int,)),
    "double": ("a number", (int, float)),
    "boolean": ("true or false", (bool,)),
}


def document(
    path: Path, read: Callable[[Path], dict[str, Any]] = read_object, remedy: str = ANEW
) -> dict[str, Any]:
    """The JSON object in a file.

    :raises InputError: the file is damaged
    """
    try:
        return read(path)
    except JsonFault as fault:
        raise fault.of_file(str(path), remedy) from None
    except (OSError, ValueError) as error:
        raise InputError(str(path), "file", path.name, f"cannot be read ({why(error)}); {remedy}") from error


def damaged_documents(folder: Path) -> Iterator[InputError]:
    """Of each of a run's documents that is there and damaged, where a report was written without it."""
    known: list[tuple[Path, Callable[[Path], dict[str, Any]], str]] = [
        (folder / PLAN, read_object, KEPT),
        (folder / RECORDS, read_records, KEPT),
        *((path, read_object, UNUSED) for path in sorted((folder / "cases").glob("*.json"))),
    ]
    for path, read, remedy in known:
        if not path.exists():
            continue
        try:
            document(path, read, remedy)
        except InputError as error:
            yield error


def damaged_rows(folder: Path, run_id: str) -> InputError | None:
    """The first of a run's files of rows that is damaged; None where a query will not have it for another
    reason.
    """
    for table in TABLES:
        for path in sorted((folder / layout.rows_prefix(table.name, run_id)).glob("*.json.gz")):
            try:
                _check_rows(path, table.columns)
            except JsonFault as fault:
                return fault.of_file(str(path), _instead(folder))
    return None


def _instead(folder: Path) -> str:
    page = folder / "report" / "index.html"
    before = f"the report as it was written before is in {page}; " if page.is_file() else ""
    return f"{before}restore the file from a copy, or {ANEW}"


def _check_rows(path: Path, columns: Mapping[str, str]) -> None:
    """:raises JsonFault: it is no gzip of rows with those columns"""
    for number, line in enumerate(_unpacked(path).splitlines(), 1):
        try:
            row = parse_json(line)
        except JsonFault as fault:
            raise JsonFault(f"row {number}", fault.found, fault.remedy) from None
        if not isinstance(row, dict):
            raise JsonFault(f"row {number}", str(shown(str(row))), "is no JSON object")
        for name, kind in columns.items():
            words, types = KINDS[kind]
            value = row.get(name)
            if value is not None and (
                not isinstance(value, types) or (isinstance(value, bool) and bool not in types)
            ):
                raise JsonFault(f"row {number}, {name}", str(shown(str(value))), f"must be {words}")


def _unpacked(path: Path) -> bytes:
    """:raises JsonFault: it is no gzip"""
    try:
        packed = path.read_bytes()
        if not packed:
            raise JsonFault("file", path.name, "is empty, which no gzip is")
        return gzip.decompress(packed)
    except EOFError:
        raise JsonFault("file", path.name, "is cut off: its gzip ends before its rows do") from None
    except gzip.BadGzipFile:
        raise JsonFault("file", path.name, "is no gzip") from None
    except zlib.error:
        raise JsonFault("file", path.name, "is damaged: its gzip cannot be unpacked") from None
    except OSError as error:
        raise JsonFault("file", path.name, f"cannot be read ({why(error)})") from None
