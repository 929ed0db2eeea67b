"""Athena's SQL in the words of DuckDB, by sqlglot, which parses it in Athena's dialect.

What Athena would refuse is refused here too, so that a query which passes locally is not the one that
fails when deployed: a ``?`` outside WHERE, a scan without its static partition condition (our tables use
injected partition projection).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import sqlglot

# a dialect that several queries at once are the first to load is used before it is whole
import sqlglot.dialects.athena
import sqlglot.dialects.duckdb
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.optimizer.scope import traverse_scope
from sqlglot.tokens import TokenType

from breakeven.errors import BreakevenError

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


class SqlError(BreakevenError):
    """A query that cannot be run; the message says why."""


def translate(
    sql: str, partitions: Mapping[str, Sequence[str]], parameters: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    """The statement in DuckDB's words with its parameters, and the tables that it scans.

    :param partitions: of every table that it may name, by lower-case name
    :param parameters: one SQL literal for each ``?`` in order
    :raises SqlError: the statement or a parameter is bad
    """
    given = [literal(text) for text in parameters]
    known = tuple(sorted((name, tuple(sorted(columns))) for name, columns in partitions.items()))
    duck, used = _translated(sql, len(given), known)
    return STAND_IN.sub(lambda found: given[int(found[1])], duck), used


def scans_of(sql: str) -> Counter[str]:
    """How often each table is read: a common table expression anew by each of its readers, as on Athena."""
    tree = _parse(sql)
    expressions = {cte.alias: cte.this for cte in tree.find_all(exp.CTE)}
    counted: dict[str, Counter[str]] = {}

    def of(node: exp.Expression) -> Counter[str]:
        found: Counter[str] = Counter()
        for table in node.find_all(exp.Table):
            if node is tree and table.find_ancestor(exp.With):
                continue
            if table.name in expressions and table.name not in counted:
                counted[table.name] = of(expressions[table.name])
            found += counted.get(table.name, Counter({table.name: 1}))
        return found

    return of(tree)


@lru_cache(maxsize=KEPT)
def _translated(sql: str, marks: int, known: Known) -> tuple[str, tuple[str, ...]]:
    """The statement in DuckDB's words, a stand-in for each ``?``, and the tables that it scans, sorted.

    Kept, as parsing takes longer than running, and each run asks the same files of ``queries/``.

    :param marks: how many parameters there are
    """
    tree = _parse(_bind(sql, [_stand_in(number) for number in range(marks)]))
    _check_marks(tree)
    used = _check_scans(tree, dict(known))
    try:
        return tree.sql(dialect="duckdb", unsupported_level=ErrorLevel.RAISE), tuple(sorted(used))
    except SqlglotError as error:
        raise sql_error(error) from error


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
        raise sql_error(error) from error
    found = [statement for statement in statements if statement is not None]
    if len(found) != 1 or not isinstance(found[0], exp.Query):
        raise SqlError("SQL error: give exactly one SELECT statement")
    return found[0]


def sql_error(error: Exception) -> SqlError:
    """The engine's own words, without the escape codes that sqlglot puts around the place."""
    return SqlError(f"SQL error: {ESCAPE_CODES.sub('', str(error))}")


def _check_marks(tree: exp.Query) -> None:
    for mark in tree.find_all(exp.Literal):
        if STAND_IN.fullmatch(f"'{mark.this}'") and not isinstance(
            mark.find_ancestor(exp.Where, exp.Select), exp.Where
        ):
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
                source.replace(exp.alias_(exp.to_table(quoted(name), dialect="duckdb"), alias, table=True))
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


def quoted(identifier: str) -> str:
    """A name as it stands in SQL."""
    return '"' + identifier.replace('"', '""') + '"'
