"""What every file in ``queries/`` keeps to, so that Athena takes it and both engines agree."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

from breakeven.results import schemas
from breakeven.results.queries import INCLUDE, QUERIES, bare, parameter_count, queries, query_files
from local.aws.athena_sql import scans_of
from local.aws.sql_engine import run
from tests.support.money.query_tables import Bucket

NAMES = list(queries())
PARTS = {path.stem: path.read_text() for path in sorted((QUERIES / "parts").glob("*.sql"))}
TABLES = {table.name for table in schemas.TABLES}
ATHENA_MAX_BYTES = 262_144
#: Trino runs a common table expression again for each place that reads it, and by default refuses a query of
#: more than 150 stages (query.max-stage-count): so many scans, and what joins them, stay well under that
MOST_SCANS = 20
#: fail or differ between Athena and DuckDB, or estimate
UNSAFE = {
    "approx_distinct",
    "approx_percentile",
    "every",
    "format",
    "infinity",
    "map_agg",
    "nan",
    "try",
    "width_bucket",
}


def comments(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.strip().startswith("--"))


def code(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.strip().startswith("--"))


def parsed(name: str) -> exp.Expression:
    return sqlglot.parse_one(queries()[name], dialect="athena")


def scans(tree: exp.Expression) -> list[exp.Table]:
    names = {cte.alias for cte in tree.find_all(exp.CTE)}
    return [table for table in tree.find_all(exp.Table) if table.name not in names]


def test_the_questions_of_the_main_job_are_there() -> None:
    assert {"cases", "throughput", "latency_percentiles", "rate_over_time", "ledger"} <= set(NAMES)
    assert {"crossover", "sensitivity", "bills", "cost_curves", "break_even_hours", "decision_map"} <= set(
        NAMES
    )
    assert sorted(path.stem for path in QUERIES.rglob("*.sql") if path.parent.name != "parts") == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_question_has_its_row_in_the_readme(name: str) -> None:
    rows = (QUERIES / "README.md").read_text(encoding="utf-8").splitlines()
    assert sum(row.startswith(f"| `{query_files()[name].relative_to(QUERIES)}` |") for row in rows) == 1, (
        f"one row of {name}.sql"
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_scan_has_a_run_of_its_own(name: str) -> None:
    tree = parsed(name)
    found = scans(tree)
    assert found
    for scan in found:
        query = scan.find_ancestor(exp.Select)
        assert query is not None
        assert [scan] == [t for t in query.find_all(exp.Table) if t.find_ancestor(exp.Select) is query], (
            f"{scan} stands with another table: whose run_id is meant is not plain"
        )
        conditions = query.args["where"].find_all(exp.EQ)
        assert any(
            c.this == exp.column("run_id") and isinstance(c.expression, exp.Placeholder) for c in conditions
        ), f"{scan} is read without run_id = ?"


@pytest.mark.parametrize("name", NAMES)
def test_parameters_stand_in_where_only_and_are_all_the_run(name: str) -> None:
    tree = parsed(name)
    marks = list(tree.find_all(exp.Placeholder))
    assert len(marks) == queries()[name].count("?") == parameter_count(queries()[name]) == len(scans(tree))
    for mark in marks:
        assert isinstance(mark.find_ancestor(exp.Where, exp.Select), exp.Where)
        assert isinstance(mark.parent, exp.EQ)
        assert mark.parent.this == exp.column("run_id")


@pytest.mark.parametrize("name", NAMES)
def test_without_its_comments_it_asks_the_same(name: str) -> None:
    text = bare(queries()[name])
    assert "--" not in text
    asked, written = sqlglot.parse_one(text, dialect="athena"), parsed(name)
    assert asked.sql(dialect="athena", comments=False) == written.sql(dialect="athena", comments=False)


@pytest.mark.parametrize("name", NAMES)
def test_only_constructs_on_which_the_engines_agree(name: str) -> None:
    text = code(queries()[name])
    called = {name.lower() for name in re.findall(r"\b(\w+)\s*\(", text)}
    assert not called & UNSAFE
    assert not re.search(r"\d\.\d+(?!\d*E)|\d\.(?!\d)", text), "a decimal literal: write 1.5E0"
    assert not re.search(r"/\s*\d+(?![\dE.])", text), "a division by a whole number"
    assert "SELECT *" not in text
    assert text.isascii()
    assert len(queries()[name].encode()) < ATHENA_MAX_BYTES


@pytest.mark.parametrize("name", NAMES)
def test_the_head_names_inputs_and_columns(name: str, tmp_path: Path) -> None:
    sql = queries()[name]
    head = sql.partition("\nWITH\n")[0] if "\nWITH\n" in sql else comments(sql)
    assert sql.startswith("-- ")
    inputs = re.search(r"^-- inputs:\s+(.*)$", head, re.MULTILINE)
    assert inputs
    read = {scan.name for scan in scans(parsed(name))}
    assert set(inputs.group(1).split(", ")) == read
    assert read <= TABLES
    if name == "cases":
        return  # its columns are the table's
    result = run(sql, Bucket(tmp_path).tables(), ["'none'"] * parameter_count(sql))
    for column, _ in result.columns:
        assert re.search(rf"\b{column}\b", head), f"{column} is not explained"


@pytest.mark.parametrize("name", NAMES)
def test_no_rows_from_empty_tables(name: str, tmp_path: Path) -> None:
    assert Bucket(tmp_path).ask(name) == []


@pytest.mark.parametrize("name", NAMES)
def test_no_step_is_read_so_often_that_the_query_is_refused(name: str) -> None:
    found = scans_of(queries()[name])
    assert set(found) <= TABLES
    assert found.total() <= MOST_SCANS, found


def test_what_counts_as_a_scan() -> None:
    sql = "WITH a AS (SELECT 1 FROM t), b AS (SELECT 1 FROM a, a AS d) SELECT 1 FROM b, b AS c, u"
    assert scans_of(sql) == Counter({"t": 4, "u": 1})


def included(text: str) -> list[str]:
    return INCLUDE.findall(text)


def test_every_include_is_there_and_every_part_is_used() -> None:
    texts = [path.read_text() for path in query_files().values()] + list(PARTS.values())
    assert {name for text in texts for name in included(text)} == set(PARTS)
    assert all(len(included(text)) == text.count("include:") for text in texts), (
        "an include that nothing reads"
    )
    assert all("include:" not in sql for sql in queries().values())


@pytest.mark.parametrize("name", NAMES)
def test_a_query_has_each_part_once(name: str) -> None:
    tree = parsed(name)
    names = [cte.alias for cte in tree.find_all(exp.CTE)]
    assert len(names) == len(set(names))
    assert list(tree.find_all(exp.With)) == ([tree.args["with_"]] if names else [])


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_a_list_of_expressions_and_says_what_it_is(name: str) -> None:
    text = PARTS[name]
    assert text.startswith("-- ")
    assert text.endswith("\n")
    assert not code(text).strip().endswith((",", ";"))
    assert not re.search(r"^WITH\b", code(text), re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_every_expression_is_read(name: str) -> None:
    """What a query does not need of a part it shares is named here."""
    tree = parsed(name)
    read = {table.name for table in tree.find_all(exp.Table)}
    unread = {cte.alias for cte in tree.find_all(exp.CTE)} - read
    assert unread <= {"line_costs", "costs"}, unread
