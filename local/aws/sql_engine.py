"""Athena's SQL on this machine: translated by ``athena_sql``, run by DuckDB on the run's own files.

A result type that Athena does not have is refused, as ``athena_sql`` refuses statements.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self

import duckdb
from sqlglot import exp

from breakeven.results.answered import Answered
from local.aws.athena_sql import SqlError, quoted, sql_error, translate

#: DuckDB's result types as Athena names them; any other type is an error in the query.
RESULT_TYPES = {
    "BOOLEAN": "boolean",
    "TINYINT": "tinyint",
    "SMALLINT": "smallint",
    "INTEGER": "integer",
    "BIGINT": "bigint",
    "FLOAT": "real",
    "DOUBLE": "double",
    "VARCHAR": "varchar",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
}


#: Names in the SQL never mean a Python variable, and nothing is fetched from the network. Rows are few:
#: more threads cost more than they save, and would add floating-point numbers up in another order each time.
SETTINGS = {"python_enable_replacements": False, "autoinstall_known_extensions": False, "threads": 1}

#: errors after which an engine may refuse whatever it is asked
LASTING = (duckdb.FatalException, duckdb.InternalException)


@dataclass(frozen=True, slots=True)
class SqlTable:
    """A table over gzipped JSON lines, as the Glue catalog declares it.

    :param columns: column -> Hive type, partition columns left out
    :param partitions: partition column -> Hive type; values come from ``name=value`` in the paths
    :param files: the objects that hold the rows; none makes an empty table
    """

    columns: Mapping[str, str]
    partitions: Mapping[str, str] = field(default_factory=dict)
    files: Sequence[Path] = ()


@dataclass(frozen=True, slots=True)
class SqlResult:
    """``columns`` are (name, Athena type); ``rows`` hold Python values in that order."""

    columns: list[tuple[str, str]]
    rows: list[tuple[Any, ...]]

    def by_name(self) -> Answered:
        """The rows by column name."""
        return Answered(tuple(name for name, _ in self.columns), self.rows)


def run(sql: str, tables: Mapping[str, SqlTable], parameters: Sequence[str] = ()) -> SqlResult:
    """Run one Athena SELECT. Safe to call from many threads: none sees the tables of another.

    :param sql: one statement; tables may be qualified by a database
    :param tables: every table that the statement may name, by lower-case name
    :param parameters: one SQL literal for each ``?`` in order, as Athena's ExecutionParameters:
        ``"'quoted text'"`` or ``"42"``
    :raises SqlError: the statement, a parameter or a row file is bad
    """
    duck, used = translate(sql, _partitions(tables), parameters)
    try:
        with _engine().cursor() as connection:
            for name in used:
                # of this connection alone, and gone with it
                connection.execute(f"CREATE TEMP VIEW {quoted(name)} AS {_select(tables[name])}")
            return _result(connection.execute(duck))
    except duckdb.Error as error:
        if isinstance(error, LASTING):
            _engine.cache_clear()
        raise sql_error(error) from error


@cache
def _engine() -> duckdb.DuckDBPyConnection:
    """One of this process, which holds nothing itself: to start one takes as long as many a query."""
    return duckdb.connect(config=SETTINGS)


class LoadedTables:
    """Tables that are read once, for many statements. A context manager; close it when all are answered.

    :param file: where they are kept, compressed; in memory as they are unless given
    """

    def __init__(self, tables: Mapping[str, SqlTable], file: Path | None = None) -> None:
        """:raises SqlError: a row file is bad"""
        self._partitions = _partitions(tables)
        self._connection = duckdb.connect(str(file or ":memory:"), config=SETTINGS)
        try:
            # rows are kept in the order of their files, however many threads read them
            self._connection.execute(f"SET threads = {os.cpu_count() or 1}")
            for name, table in tables.items():
                self._connection.execute(f"CREATE TABLE {quoted(name)} AS {_select(table)}")
            self._connection.execute(f"SET threads = {SETTINGS['threads']}")
        except duckdb.Error as error:
            self._connection.close()
            raise sql_error(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def rows_under(self, sql: str, parameters: Sequence[str] = ()) -> int:
        """How many rows the tables have that a statement reads."""
        used = translate(sql, self._partitions, parameters)[1]
        with self._connection.cursor() as cursor:
            counts = [
                cursor.execute(f"SELECT count(*) FROM {quoted(name)}").fetchall()  # noqa: S608 - quoted
                for name in used
            ]
        return sum(int(count) for ((count,),) in counts)

    def run(self, sql: str, parameters: Sequence[str] = ()) -> SqlResult:
        """As :func:`run`; safe to call from many threads."""
        duck, _ = translate(sql, self._partitions, parameters)
        try:
            with self._connection.cursor() as cursor:
                return _result(cursor.execute(duck))
        except duckdb.Error as error:
            raise sql_error(error) from error


def tables_of(sql: str, tables: Mapping[str, SqlTable], parameters: Sequence[str]) -> tuple[str, ...]:
    """Names of the tables that a statement scans."""
    return translate(sql, _partitions(tables), parameters)[1]


def _partitions(tables: Mapping[str, SqlTable]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(table.partitions) for name, table in tables.items()}


def _select(table: SqlTable) -> str:
    """All of its rows."""
    return _rows(_duckdb_types(table.columns), _duckdb_types(table.partitions), table.files)


def _rows(columns: Mapping[str, str], partitions: Mapping[str, str], files: Sequence[Path]) -> str:
    if not files:
        every = {**columns, **partitions}
        return (
            f"SELECT {', '.join(f'CAST(NULL AS {t}) AS {quoted(c)}' for c, t in every.items())} WHERE false"
        )
    paths = f"[{', '.join(_text(str(path)) for path in files)}]"
    read = [
        paths,
        "format='newline_delimited'",
        f"columns={_struct({c: _text(t) for c, t in columns.items()})}",
    ]
    if partitions:
        # The types are named: left to be guessed, a run id that looks like a date would become one.
        read += ["hive_partitioning=true", f"hive_types={_struct(partitions)}"]
    return f"SELECT * FROM read_json({', '.join(read)})"  # noqa: S608 - every part is quoted above


def _duckdb_types(columns: Mapping[str, str]) -> dict[str, str]:
    """DuckDB's type of each column, from Hive's."""
    return {name: _duckdb_type(kind) for name, kind in columns.items()}


@cache
def _duckdb_type(kind: str) -> str:
    return exp.DataType.build(kind, dialect="hive").sql("duckdb")


def _struct(fields: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{_text(name)}: {value}" for name, value in fields.items()) + "}"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _result(connection: duckdb.DuckDBPyConnection) -> SqlResult:
    described = [(str(name), str(kind)) for name, kind, *_ in connection.description or []]
    columns = [(name, _athena_type(name, kind)) for name, kind in described]
    return SqlResult(columns, connection.fetchall())


def _athena_type(column: str, kind: str) -> str:
    if kind.startswith("DECIMAL("):
        return kind.lower().replace(" ", "")
    if kind not in RESULT_TYPES:
        raise SqlError(f"SQL error: column {column} has type {kind}, which Athena lacks: cast it")
    return RESULT_TYPES[kind]
