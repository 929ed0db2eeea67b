"""Results of an Athena query as rows of plain Python values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_TYPED: dict[str, Callable[[str], Any]] = {
    "integer": int,
    "bigint": int,
    "smallint": int,
    "tinyint": int,
    "double": float,
    "float": float,
    "real": float,
    "decimal": float,
    "boolean": lambda text: text == "true",
}


def read_result(client: Any, query_execution_id: str) -> list[dict[str, Any]]:
    """All rows, one dict a row, typed by the result's column types; a missing value is None."""
    rows: list[dict[str, Any]] = []
    columns: list[tuple[str, Callable[[str], Any]]] = []
    first = True
    for page in client.get_paginator("get_query_results").paginate(QueryExecutionId=query_execution_id):
        result = page["ResultSet"]
        if first:
            info = result["ResultSetMetadata"]["ColumnInfo"]
            columns = [(column["Name"], _TYPED.get(column["Type"].lower(), str)) for column in info]
        for row in result["Rows"][1 if first else 0 :]:  # Athena's first row is the header
            rows.append(
                {name: _value(cell, typed) for (name, typed), cell in zip(columns, row["Data"], strict=True)}
            )
        first = False
    return rows


def _value(cell: dict[str, str], typed: Callable[[str], Any]) -> Any:
    text = cell.get("VarCharValue")
    return None if text is None else typed(text)
