"""The local engine: Athena's dialect and Athena's refusals, on real row files."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from local.aws import sql_engine
from local.aws.athena_sql import SqlError, literal
from local.aws.sql_engine import SqlTable, run
from tests.support.money.query_tables import RUN_ID, Bucket

TOTALS = "SELECT case_id, metric, operations, sum_ns FROM totals WHERE run_id = ? ORDER BY case_id, metric"


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    made = Bucket(tmp_path)
    made.put("totals", [{"case_id": "a", "metric": "produce", "operations": 2**53 + 1, "sum_ns": None}])
    made.put("totals", [{"case_id": "b", "metric": "consume", "operations": 7}], name="second")
    made.put("totals", [{"case_id": "other", "metric": "produce"}], run_id="2026-11-21")
    return made


def test_rows_of_one_run_come_from_all_its_files_with_declared_types(bucket: Bucket) -> None:
    result = run(TOTALS, bucket.tables(), [f"'{RUN_ID}'"])
    assert result.columns == [
        ("case_id", "varchar"),
        ("metric", "varchar"),
        ("operations", "bigint"),
        ("sum_ns", "bigint"),
    ]
    assert result.rows == [("a", "produce", 2**53 + 1, None), ("b", "consume", 7, None)]


def test_a_run_id_that_looks_like_a_date_stays_text(bucket: Bucket) -> None:
    sql = "SELECT run_id || '!' AS shown, run_id FROM totals WHERE run_id = ? AND case_id = 'a'"
    result = run(sql, bucket.tables(), [f"'{RUN_ID}'"])
    assert result.columns == [("shown", "varchar"), ("run_id", "varchar")]
    assert result.rows == [(f"{RUN_ID}!", RUN_ID)]


def test_a_table_without_files_is_empty_and_typed(tmp_path: Path) -> None:
    sql = "SELECT run_id, case_id, stage_s, operations FROM totals WHERE run_id = 'x'"
    result = run(sql, Bucket(tmp_path).tables())
    assert [kind for _, kind in result.columns] == ["varchar", "varchar", "double", "bigint"]
    assert result.rows == []


def test_a_file_without_rows_is_empty(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path)
    bucket.put("totals", [])
    assert run(TOTALS, bucket.tables(), [f"'{RUN_ID}'"]).rows == []


@pytest.mark.parametrize(
    "name", ['"breakeven"."totals"', "breakeven.totals", "awsdatacatalog.breakeven.Totals"]
)
def test_a_table_may_be_qualified_by_its_database(bucket: Bucket, name: str) -> None:
    rows = run(f"SELECT case_id FROM {name} WHERE run_id = ?", bucket.tables(), [f"'{RUN_ID}'"]).rows
    assert sorted(rows) == [("a",), ("b",)]


def test_parameters_are_bound_in_the_order_of_the_text(bucket: Bucket) -> None:
    sql = """
      WITH one AS (SELECT case_id FROM totals WHERE run_id = ? AND case_id = ?)
      SELECT t.case_id, t.operations FROM totals t LEFT JOIN one o ON o.case_id = t.case_id
      WHERE t.run_id = ? AND t.operations = ? AND o.case_id IS NULL -- and what of this?
    """
    rows = run(sql, bucket.tables(), [f"'{RUN_ID}'", "'a'", f"'{RUN_ID}'", "7"]).rows
    assert rows == [("b", 7)]


def test_text_with_quotes_and_backslashes_is_bound_whole(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path)
    text = 'it\'s \\ a "case"; -- ?'
    bucket.put("totals", [{"case_id": text, "operations": 1}])
    quoted = "'" + text.replace("'", "''") + "'"
    sql = "SELECT operations FROM totals WHERE run_id = ? AND case_id = ?"
    assert run(sql, bucket.tables(), [f"'{RUN_ID}'", quoted]).rows == [(1,)]


@pytest.mark.parametrize("text", ["'a run'", "''", "'it''s'", "42", "-1.5E0", "true", "NULL", " 'a' "])
def test_literals_are_taken(text: str) -> None:
    assert literal(text) == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a-run",
        "run_id",
        "'a' OR 1 = 1",
        "'a'; SELECT 1",
        "'a' -- rest",
        "/* x */ 'a'",
        "'a",
        "(SELECT 1)",
        "1 + 1",
        "'a' 'b'",
        "?",
        "now()",
        "-'a'",
        '"a"',
    ],
)
def test_a_parameter_that_is_no_literal_is_refused(bucket: Bucket, text: str) -> None:
    with pytest.raises(SqlError, match="not a SQL literal"):
        run("SELECT case_id FROM totals WHERE run_id = ?", bucket.tables(), [text])


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT case_id FRM totals WHERE run_id = ?", "totals"),
        ("SELECT FROM WHERE run_id = ?", "line: 1"),
        ("SELECT nothing FROM totals WHERE run_id = ?", "nothing"),
        ("SELECT case_id FROM nowhere WHERE run_id = ?", "no table 'nowhere'; there are cases, "),
        ("SELECT 1 FROM totals WHERE run_id = ?; SELECT 2", "exactly one SELECT"),
        ("DROP TABLE totals", "exactly one SELECT"),
        ("SELECT ? AS x FROM totals WHERE run_id = 'r'", "in WHERE only"),
        ("SELECT 1 AS x FROM totals WHERE run_id = 'r' AND 1 IN (SELECT ?)", "in WHERE only"),
        ("SELECT sum(operations) AS n FROM totals WHERE run_id = ?", "column n has type HUGEINT"),
    ],
)
def test_an_error_says_what_is_wrong(bucket: Bucket, sql: str, says: str) -> None:
    with pytest.raises(SqlError) as caught:
        run(sql, bucket.tables(), ["'r'"] * sql.count("?"))
    assert says in str(caught.value)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("given", [[], ["'r'", "'r'"]])
def test_a_wrong_count_of_parameters_is_refused(bucket: Bucket, given: list[str]) -> None:
    with pytest.raises(SqlError, match=rf"1 '\?' in the statement, but {len(given)} parameters"):
        run(TOTALS, bucket.tables(), given)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT case_id FROM totals",
        "SELECT case_id FROM totals WHERE run_id <> 'r'",
        "SELECT case_id FROM totals WHERE run_id = 'r' OR true",
        "SELECT case_id FROM totals WHERE run_id = case_id",
        "SELECT t.case_id FROM totals t JOIN cases c ON c.run_id = t.run_id WHERE t.run_id = 'r'",
        "SELECT t.case_id FROM totals t, cases c WHERE t.run_id = 'r' AND c.run_id = t.run_id",
        "SELECT x.case_id FROM (SELECT case_id, run_id FROM totals) x WHERE x.run_id = 'r'",
        "SELECT case_id FROM totals WHERE run_id = 'r' AND case_id IN (SELECT case_id FROM cases)",
    ],
)
def test_a_scan_without_its_own_partition_is_refused_as_injected_projection_does(
    bucket: Bucket, sql: str
) -> None:
    with pytest.raises(SqlError, match="needs run_id = "):
        run(sql, bucket.tables())


def test_each_scan_of_a_join_with_its_own_partition_is_taken(bucket: Bucket) -> None:
    bucket.put("cases", [{"case_id": "a", "target": "sqs-standard"}])
    sql = """
      SELECT t.case_id, c.target FROM totals t JOIN cases c ON c.case_id = t.case_id
      WHERE (t.run_id = ? AND c.run_id = ?) AND t.operations > 0
    """
    assert run(sql, bucket.tables(), [f"'{RUN_ID}'"] * 2).rows == [("a", "sqs-standard")]


def test_a_damaged_row_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / f"run_id={RUN_ID}" / "part.json.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(b'{"n": 1}\n{"n": "many"}\n'))
    table = SqlTable({"n": "bigint"}, {"run_id": "string"}, [path])
    with pytest.raises(SqlError, match="SQL error"):
        run("SELECT n FROM things WHERE run_id = ?", {"things": table}, [f"'{RUN_ID}'"])


def test_an_empty_table_without_partitions() -> None:
    result = run("SELECT a, b FROM t", {"t": SqlTable({"a": "boolean", "b": "int"})})
    assert (result.columns, result.rows) == ([("a", "boolean"), ("b", "integer")], [])


def test_python_variables_are_no_tables(bucket: Bucket) -> None:
    totals_df = [1]
    with pytest.raises(SqlError, match="no table 'totals_df'"):
        run("SELECT 1 AS x FROM totals_df", bucket.tables())
    assert totals_df


def test_calls_from_many_threads_do_not_see_each_other(tmp_path: Path) -> None:
    def count(n: int) -> list[tuple[int, ...]]:
        bucket = Bucket(tmp_path / str(n))
        bucket.put("totals", [{"case_id": f"c{i}", "operations": n} for i in range(n)])
        sql = "SELECT count(*) AS rows, CAST(sum(operations) AS bigint) AS n FROM totals WHERE run_id = ?"
        return run(sql, bucket.tables(), [f"'{RUN_ID}'"]).rows

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(count, range(1, 17)))
    assert found == [[(n, n * n)] for n in range(1, 17)]


def test_what_a_query_breaks_is_not_asked_again(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    """All queries of a process share an engine, which refuses everything after some errors."""

    def breaks(*_: object) -> None:
        raise duckdb.FatalException("database has been invalidated")

    before = sql_engine._engine()
    with monkeypatch.context() as patched:
        patched.setattr(sql_engine, "_result", breaks)
        with pytest.raises(SqlError, match="invalidated"):
            run(TOTALS, bucket.tables(), [f"'{RUN_ID}'"])
    assert len(run(TOTALS, bucket.tables(), [f"'{RUN_ID}'"]).rows) == 2
    assert sql_engine._engine() is not before
    assert sql_engine._engine() is sql_engine._engine()


def test_a_parameter_is_only_text_whatever_it_holds(tmp_path: Path) -> None:
    """A translation is kept with stand-ins for parameters; none is looked for in a parameter itself."""
    value = "a'\x01parameter 1\x01'b"
    (tmp_path / "rows.json.gz").write_bytes(gzip.compress(json.dumps({"k": value}).encode() + b"\n"))
    tables = {"t": SqlTable({"k": "string"}, files=[tmp_path / "rows.json.gz"])}
    sql = "SELECT k FROM t WHERE k = ? AND k <> ?"
    quoted = "'" + value.replace("'", "''") + "'"
    assert run(sql, tables, [quoted, "'x'"]).rows == [(value,)]
    assert run(sql, tables, [quoted, quoted]).rows == []
    assert run(sql, tables, ["'x'", quoted]).rows == []


def test_dialects_are_loaded_with_the_module() -> None:
    """Else one of several first queries at once finds a dialect that another is still loading."""
    script = "import sys, local.aws.sql_engine; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert {f"sqlglot.dialects.{name}" for name in ("athena", "trino", "hive", "duckdb")} <= set(
        loaded.split()
    )
