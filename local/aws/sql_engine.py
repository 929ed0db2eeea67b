"""Athena's SQL on this machine: parsed by sqlglot in Athena's dialect, run by DuckDB on the run's own files.

What Athena would refuse is refused here too, so that a query which passes locally is not the one that
fails when deployed: a ``?`` outside WHERE, a scan without its static partition condition (our tables use
injected partition projection), a result type that Athena does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb
import sqlglot

# a dialect that several queries at once are the first to load is used before it is whole
import sqlglot.dialects.athena
import sqlglot.dialects.duckdb
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.optimizer.scope import traverse_scope
from sqlglot.tokens import TokenType

from breakeven.errors import BreakevenError

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

ESCAPE_CODES = re.compile("\x1b\\[[0-9;]*m")
LITERALS = (TokenType.STRING, TokenType.NUMBER, TokenType.TRUE, TokenType.FALSE, TokenType.NULL)

NO_PARTITION = (
    "SQL error: the scan of {table} needs {column} = '...' in its own WHERE: its projection is injected"
)

#: statements whose translation is kept
KEPT = 64
#: what stands for a parameter in a kept translation
STAND_IN = re.compile("'\x01parameter (\\d+)\x01'")
#: table -> its partition columns, as pairs
Known = tuple[tuple[str, tuple[str, ...]], ...]

#: Names in the SQL never mean a Python variable, and nothing is fetched from the network. Rows are few:
#: more threads cost more than they save, and would add floating-point numbers up in another order each time.
SETTINGS = {"python_enable_replacements": False, "autoinstall_known_extensions": False, "threads": 1}


class SqlError(BreakevenError):
    """A query that cannot be run; the message says why."""


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

    def dicts(self) -> list[dict[str, Any]]:
        """The rows by column name."""
        names = [name for name, _ in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]


def run(sql: str, tables: Mapping[str, SqlTable], parameters: Sequence[str] = ()) -> SqlResult:
    """Run one Athena SELECT. Safe to call from many threads: each call has a connection of its own.

    :param sql: one statement; tables may be qualified by a database
    :param tables: every table that the statement may name, by lower-case name
    :param parameters: one SQL literal for each ``?`` in order, as Athena's ExecutionParameters:
        ``"'quoted text'"`` or ``"42"``
    :raises SqlError: the statement, a parameter or a row file is bad
    """
    given = [literal(text) for text in parameters]
    known = tuple(sorted((name, tuple(sorted(table.partitions))) for name, table in tables.items()))
    duck, used = _translated(sql, len(given), known)
    duck = STAND_IN.sub(lambda found: given[int(found[1])], duck)
    connection = duckdb.connect(config=SETTINGS)
    try:
        for name in used:
            connection.execute(_view(name, tables[name]))
        return _result(connection.execute(duck))
    except duckdb.Error as error:
        raise _failed(error) from error
    finally:
        connection.close()


@lru_cache(maxsize=KEPT)
def _translated(sql: str, marks: int, known: Known) -> tuple[str, tuple[str, ...]]:
    """The statement in DuckDB's words, a stand-in for each ``?``, and the tables that it scans, sorted.

    Kept, as parsing takes longer than running, and each run asks the same files of ``queries/``.

    :param marks: how many parameters there are
    """
    _check_marks(_parse(sql))
    tree = _parse(_bind(sql, [_stand_in(number) for number in range(marks)]))
    used = _check_scans(tree, dict(known))
    try:
        return tree.sql(dialect="duckdb", unsupported_level=ErrorLevel.RAISE), tuple(sorted(used))
    except SqlglotError as error:
        raise _failed(error) from error


def _stand_in(number: int) -> str:
    """A literal in the place of a parameter; no statement has it for itself."""
    return f"'\x01parameter {number}\x01'"


def literal(text: str) -> str:
    """The text if it is one SQL literal: a quoted string, a number, a boolean or null.

    :raises SqlError: it is anything else
    """
    text = text.strip()
    try:
        tokens = sqlglot.tokenize(text, dialect="athena")
    except SqlglotError:
        tokens = []
    kinds = [token.token_type for token in tokens]
    # A comment is no token: what the tokens do not cover is something else than the literal.
    whole = bool(tokens) and tokens[0].start == 0 and tokens[-1].end == len(text) - 1
    if whole and (kinds in ([kind] for kind in LITERALS) or kinds == [TokenType.DASH, TokenType.NUMBER]):
        return text
    raise SqlError(f"parameter {text!r} is not a SQL literal; quote text, as in 'a run'")


def _parse(sql: str) -> exp.Query:
    try:
        statements = sqlglot.parse(sql, dialect="athena")
    except SqlglotError as error:
        raise _failed(error) from error
    found = [statement for statement in statements if statement is not None]
    if len(found) != 1 or not isinstance(found[0], exp.Query):
        raise SqlError("SQL error: give exactly one SELECT statement")
    return found[0]


def _failed(error: Exception) -> SqlError:
    """The engine's own words, without the escape codes that sqlglot puts around the place."""
    return SqlError(f"SQL error: {ESCAPE_CODES.sub('', str(error))}")


def _check_marks(tree: exp.Query) -> None:
    for mark in tree.find_all(exp.Placeholder):
        if not isinstance(mark.find_ancestor(exp.Where, exp.Select), exp.Where):
            raise SqlError("SQL error: Athena takes '?' in WHERE only")


def _bind(sql: str, values: Sequence[str]) -> str:
    """The text with a literal in the place of each ``?``."""
    marks = [t for t in sqlglot.tokenize(sql, dialect="athena") if t.token_type is TokenType.PLACEHOLDER]
    if len(marks) != len(values):
        raise SqlError(f"SQL error: {len(marks)} '?' in the statement, but {len(values)} parameters")
    parts, end = [], 0
    for mark, value in zip(marks, values, strict=True):
        parts += [sql[end : mark.start], value]
        end = mark.end + 1
    return "".join([*parts, sql[end:]])


def _check_scans(tree: exp.Query, tables: Mapping[str, Sequence[str]]) -> set[str]:
    """The tables scanned, with the database taken off their names.

    :raises SqlError: a table is unknown, or a scan has no static condition on a partition column
    """
    used: set[str] = set()
    for scope in traverse_scope(tree):
        sources = {alias: source for alias, (_, source) in scope.selected_sources.items()}
        for alias, source in sources.items():
            if isinstance(source, exp.Table):
                name = _known(source, tables)
                for column in tables[name]:
                    if not _fixed(scope.expression, alias, column, is_only_source=len(sources) == 1):
                        raise SqlError(NO_PARTITION.format(table=name, column=column))
                source.replace(exp.alias_(exp.to_table(_name(name), dialect="duckdb"), alias, table=True))
                used.add(name)
    return used


def _known(table: exp.Table, tables: Mapping[str, Sequence[str]]) -> str:
    name = table.name.lower()
    if name not in tables:
        raise SqlError(f"SQL error: no table {table.name!r}; there are {', '.join(sorted(tables))}")
    return name


def _fixed(query: exp.Expression, alias: str, column: str, *, is_only_source: bool) -> bool:
    """Whether WHERE demands ``column = literal`` of this source, whatever else it demands."""
    where = query.args.get("where")
    for term in _demands(where.this) if where else ():
        if isinstance(term, exp.EQ):
            sides = (term.this, term.expression)
            named = next((side for side in sides if isinstance(side, exp.Column)), None)
            if named is None or not any(isinstance(side, exp.Literal) for side in sides):
                continue
            if named.name.lower() == column and (
                named.table == alias or (is_only_source and not named.table)
            ):
                return True
    return False


def _demands(condition: exp.Expression) -> Iterator[exp.Expression]:
    """The terms that AND joins, however they are bracketed."""
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        yield from _demands(condition.this)
        yield from _demands(condition.expression)
    else:
        yield condition


def _view(name: str, table: SqlTable) -> str:
    columns, partitions = _duckdb_types(table.columns), _duckdb_types(table.partitions)
    return f"CREATE VIEW {_name(name)} AS {_rows(columns, partitions, table.files)}"


def _rows(columns: Mapping[str, str], partitions: Mapping[str, str], files: Sequence[Path]) -> str:
    if not files:
        every = {**columns, **partitions}
        return f"SELECT {', '.join(f'CAST(NULL AS {t}) AS {_name(c)}' for c, t in every.items())} WHERE false"
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
    return {name: exp.DataType.build(kind, dialect="hive").sql("duckdb") for name, kind in columns.items()}


def _struct(fields: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{_text(name)}: {value}" for name, value in fields.items()) + "}"


def _name(identifier: str) -> str:
    return '"' + identifier.replace('"', '""') + '"'


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
