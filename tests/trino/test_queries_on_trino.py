"""Every file of ``queries/`` gives the same rows on a Trino server as on the engine of local runs.

Not a part of ``npm test``: ``npm run test:trino`` fetches the server first. That each query finds something
in the sample tables is held by ``tests/unit/queries/test_queries_sample_tables.py``.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from breakeven.results import schemas
from breakeven.results.queries import query_files
from local.aws.athena_sql import SqlError
from local.aws.sql_engine import SqlResult
from tests.trino.deployed import Ask
from tests.trino.sample_files import RUNS
from tests.trino.samples import SAMPLES

FILES = sorted(query_files().values())
#: by how much two doubles may differ, relative to the greater: engines may add in another order
TOLERANCE = 1e-9


def same(one: Any, other: Any) -> bool:
    """Doubles to the tolerance; all else, the type included, exactly."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=0.0)
    return bool(one == other)


def differences(trino: SqlResult, local: SqlResult) -> list[str]:
    """In words, where two results are not the same."""
    found = []
    if plain(trino.columns) != plain(local.columns):
        found.append(f"columns: {plain(trino.columns)} on Trino, {plain(local.columns)} here")
    if len(trino.rows) != len(local.rows):
        found.append(f"rows: {len(trino.rows)} on Trino, {len(local.rows)} here")
    for number, (there, here) in enumerate(zip(trino.rows, local.rows, strict=False)):
        for (name, _), one, other in zip(trino.columns, there, here, strict=False):
            if not same(one, other):
                found.append(f"row {number}, {name}: {one!r} on Trino, {other!r} here; {here}")
    return found


def plain(columns: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Trino counts a literal's characters in its type, which Athena does not show."""
    return [(name, "varchar" if kind.startswith("varchar(") else kind) for name, kind in columns]


def test_every_file_is_deployed_and_every_table_has_rows(deployed_queries: dict[str, str]) -> None:
    assert FILES
    assert set(deployed_queries) == {path.stem for path in FILES}
    assert set(SAMPLES) == {table.name for table in schemas.TABLES}


@pytest.mark.parametrize("run_id", RUNS)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_query_gives_the_same_rows_on_both_engines(
    path: Path, run_id: str, deployed_queries: dict[str, str], ask_trino: Ask, ask_local: Ask
) -> None:
    sql = deployed_queries[path.stem]
    local, trino = ask_local(sql, run_id), ask_trino(sql, run_id)
    assert local.rows
    found = differences(trino, local)
    assert not found, f"{len(found)} differences:\n" + "\n".join(found[:20])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_run_that_is_not_there_has_no_rows_on_either(
    path: Path, deployed_queries: dict[str, str], ask_trino: Ask, ask_local: Ask
) -> None:
    sql = deployed_queries[path.stem]
    local, trino = ask_local(sql, "none"), ask_trino(sql, "none")
    assert (local.rows, differences(trino, local)) == ([], [])


@pytest.mark.parametrize("table", [table.name for table in schemas.TABLES])
def test_every_table_is_read_alike(table: str, ask_trino: Ask, ask_local: Ask) -> None:
    names = [*next(t for t in schemas.TABLES if t.name == table).columns, schemas.PARTITION]
    columns = ", ".join(f'"{name}"' for name in names)
    order = ", ".join(str(n + 1) for n in range(len(names)))
    sql = f'SELECT {columns} FROM "{table}" WHERE {schemas.PARTITION} = ? ORDER BY {order}'
    local, trino = ask_local(sql, RUNS[0]), ask_trino(sql, RUNS[0])
    assert local.rows
    assert differences(trino, local)[:20] == []


def test_a_scan_that_names_no_run_is_refused_by_both(ask_trino: Ask, ask_local: Ask) -> None:
    sql = "SELECT case_id FROM cases"
    with pytest.raises(SqlError, match="run_id"):
        ask_local(sql, "")
    with pytest.raises(Exception, match="run_id"):
        ask_trino(sql, "")


KINDS = [("n", "double")]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (1.0, 1.0 + 9e-10, True),
        (1.0, 1.0 + 2e-9, False),
        (1e-12, 2e-12, False),
        (0.0, 1e-300, False),
        (math.nan, math.nan, True),
        (math.nan, 1.0, False),
        (None, None, True),
        (None, 0.0, False),
        (None, "", False),
        (1, 1.0, False),
        (1, True, False),
        (2**53, 2**53 + 1, False),
        ("a", "a ", False),
    ],
)
def test_what_counts_as_the_same(one: Any, other: Any, alike: bool) -> None:
    found = differences(SqlResult(KINDS, [(one,)]), SqlResult(KINDS, [(other,)]))
    assert (not found) is alike


def test_rows_columns_and_order_count() -> None:
    rows = [(1.0,), (2.0,)]
    whole = SqlResult(KINDS, rows)
    assert differences(whole, SqlResult(KINDS, rows[::-1]))
    assert differences(whole, SqlResult(KINDS, rows[:1]))
    assert differences(whole, SqlResult([("m", "double")], rows))
    assert differences(whole, SqlResult([("n", "bigint")], rows))
    assert not differences(SqlResult([("n", "varchar(3)")], []), SqlResult([("n", "varchar")], []))
