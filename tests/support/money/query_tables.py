"""Row files as a run writes them, for the tests of ``queries/`` and of the engine that runs them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from breakeven.results import layout, schemas
from breakeven.results.queries import bare, parameter_count
from breakeven.results.queries import query as text_of
from local.aws.sql_engine import SqlTable, run

RUN_ID = "2026-11-20"  # a run id that looks like a date must stay text
Rows = Iterable[Mapping[str, Any]]


class Bucket:
    """A folder with the keys of a results bucket; ``put`` fills in nulls for the columns left out."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, table: str, rows: Rows, *, run_id: str = RUN_ID, name: str = "part") -> None:
        columns = next(t for t in schemas.TABLES if t.name == table).columns
        path = self.root / layout.row_key(table, run_id, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = []
        for row in rows:
            assert set(row) <= set(columns), f"no such column of {table}: {set(row) - set(columns)}"
            lines.append(json.dumps({column: row.get(column) for column in columns}))
        path.write_bytes(gzip.compress("".join(line + "\n" for line in lines).encode()))

    def tables(self) -> dict[str, SqlTable]:
        return {
            table.name: SqlTable(
                table.columns,
                {schemas.PARTITION: "string"},
                sorted((self.root / layout.table_prefix(table.name)).rglob("*.json.gz")),
            )
            for table in schemas.TABLES
        }

    def ask(self, query: str, run_id: str = RUN_ID) -> list[dict[str, Any]]:
        """The rows of ``queries/<query>.sql`` for one run, as Athena is asked for them."""
        sql = bare(text_of(query))
        return list(run(sql, self.tables(), [f"'{run_id}'"] * parameter_count(sql)).by_name())


def case(case_id: str, **values: Any) -> dict[str, Any]:
    """A row of ``cases``, with an origin."""
    origin = {"target": "sqs-standard", "provenance": "emulated", "environment": "local", "status": "ok"}
    return {"case_id": case_id, **origin, **values}
