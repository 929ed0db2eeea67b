"""Gives the simulated Athena an engine: queries run on the objects that its Glue tables point at.

A query has ended, well or not, when StartQueryExecution answers; the rest of the API is as on AWS: the
state and its reason, results in pages, and the CSV file in the work group's output location.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from moto.athena.models import AthenaBackend, QueryResults
from moto.athena.responses import AthenaResponse
from moto.glue.models import glue_backends
from moto.s3.models import s3_backends

from breakeven.errors import BreakevenError
from local.aws.sql_engine import SqlResult, SqlTable, run
from local.aws.swaps import Swaps

#: rows in a page, the row of names included
PAGE_ROWS = 1000


def install(swaps: Swaps, folder: Path) -> None:
    """Have moto's Athena run queries; objects are exported to ``folder`` for the engine to read."""
    exported = ExportedObjects(folder)

    def start(original: Any, self: Any, **request: Any) -> str:
        group = self.work_groups[request["workgroup"] or "primary"]
        request["config"] = _output_location(group, request["config"])
        query_id: str = original(self, **request)
        execution = self.executions[query_id]
        database = (request["context"] or {}).get("Database", "default")
        query, parameters = request["query"], request["execution_parameters"] or []
        try:
            result = run(query, _tables(self, database, query, exported), parameters)
        except BreakevenError as error:
            execution.status, execution.reason = "FAILED", str(error)
        else:
            cells = _cells(result)
            self.query_results[query_id] = QueryResults([_row(row) for row in cells], _column_info(result))
            _put_csv(self, execution.config, cells)
        execution.end_time = time.time()
        return query_id

    swaps.wrap(AthenaBackend, "start_query_execution", start)
    _install_responses(swaps)


def _install_responses(swaps: Swaps) -> None:
    def describe(original: Any, self: Any) -> str:
        body = json.loads(original(self))
        execution = self.athena_backend.executions[body["QueryExecution"]["QueryExecutionId"]]
        if reason := getattr(execution, "reason", None):
            error = {"ErrorCategory": 2, "Retryable": False, "ErrorMessage": reason}
            body["QueryExecution"]["Status"].update(StateChangeReason=reason, AthenaError=error)
        return json.dumps(body)

    def results(original: Any, self: Any) -> str:
        body = json.loads(original(self))
        rows = body["ResultSet"]["Rows"]
        first = int(self._get_param("NextToken") or 0)
        last = first + int(self._get_param("MaxResults") or PAGE_ROWS)
        body["ResultSet"]["Rows"] = rows[first:last]
        return json.dumps({**body, "NextToken": str(last)} if last < len(rows) else body)

    swaps.wrap(AthenaResponse, "get_query_execution", describe)
    swaps.wrap(AthenaResponse, "get_query_results", results)


def athena_text(value: Any) -> str | None:
    """A value as Athena writes it; None for null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="milliseconds")
    return value.isoformat() if isinstance(value, date) else str(value)


class ExportedObjects:
    """Copies of the simulated S3's objects in a folder; an object is written again when it has changed."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, threading.Lock()
        self._etags: dict[Path, str] = {}

    def under(self, bucket: Any, prefix: str) -> list[Path]:
        """Files of the objects whose keys begin with ``prefix``, at the same paths."""
        with self._lock:
            objects = [(key, found) for key, found in list(bucket.keys.items()) if key.startswith(prefix)]
            return [self._file(bucket.name, key, found) for key, found in sorted(objects, key=lambda o: o[0])]

    def _file(self, bucket: str, key: str, found: Any) -> Path:
        path = self._folder / bucket / key
        if self._etags.get(path) != found.etag:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(found.value)
            self._etags[path] = found.etag
        return path


def _tables(backend: Any, database: str, query: str, exported: ExportedObjects) -> dict[str, SqlTable]:
    """The database's tables that the query may name; Glue's names are in lower case."""
    databases = glue_backends[backend.account_id][backend.region_name].databases
    tables = databases[database].tables if database in databases else {}
    text = query.lower()
    return {
        name: _table(backend, table.as_dict(), exported) for name, table in tables.items() if name in text
    }


def _table(backend: Any, table: Mapping[str, Any], exported: ExportedObjects) -> SqlTable:
    storage = table["StorageDescriptor"]
    bucket, _, prefix = storage["Location"].removeprefix("s3://").partition("/")
    files = exported.under(s3_backends[backend.account_id][backend.partition].buckets[bucket], prefix)
    return SqlTable(
        columns={column["Name"]: column["Type"] for column in storage["Columns"]},
        partitions={column["Name"]: column["Type"] for column in table.get("PartitionKeys", [])},
        files=files,
    )


def _output_location(group: Any, config: Mapping[str, str] | None) -> dict[str, str]:
    """The caller's location, unless the work group enforces its own or the caller has none."""
    own = group.configuration.get("ResultConfiguration") or {}
    enforced = str(group.configuration["EnforceWorkGroupConfiguration"]).lower() == "true"
    chosen = own if enforced or not (config or {}).get("OutputLocation") else config
    return dict(chosen or {})


def _put_csv(backend: Any, config: Mapping[str, str], cells: list[list[str | None]]) -> None:
    location = config.get("OutputLocation")
    if location:
        bucket, _, key = location.removeprefix("s3://").partition("/")
        lines = (
            ",".join("" if cell is None else f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row)
            for row in cells
        )
        body = "".join(f"{line}\n" for line in lines).encode()
        s3_backends[backend.account_id][backend.partition].put_object(bucket, key, body)


def _cells(result: SqlResult) -> list[list[str | None]]:
    """Names first, then the rows, all as text."""
    names: list[str | None] = [name for name, _ in result.columns]
    return [names, *([athena_text(value) for value in row] for row in result.rows)]


def _row(cells: list[str | None]) -> dict[str, Any]:
    return {"Data": [{} if cell is None else {"VarCharValue": cell} for cell in cells]}


def _column_info(result: SqlResult) -> list[dict[str, Any]]:
    return [
        {
            "CatalogName": "hive",
            "SchemaName": "",
            "TableName": "",
            "Name": name,
            "Label": name,
            "Type": kind,
            "Precision": 0,
            "Scale": 0,
            "Nullable": "UNKNOWN",
            "CaseSensitive": kind == "varchar",
        }
        for name, kind in result.columns
    ]
