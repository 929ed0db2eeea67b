"""What every file in ``queries/`` keeps to, so that Athena takes it and both engines agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sqlglot
from query_tables import QUERIES, Bucket
from sqlglot import exp

from breakeven.results import schemas
from local.sql_engine import run

FILES = sorted(QUERIES.glob("*.sql"))
TABLES = {table.name for table in schemas.TABLES}
ATHENA_MAX_BYTES = 262_144
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


def ids(path: Path) -> str:
    return path.stem


def comments(path: Path) -> str:
    return "\n".join(line for line in path.read_text().splitlines() if line.strip().startswith("--"))


def code(path: Path) -> str:
    return "\n".join(line for line in path.read_text().splitlines() if not line.strip().startswith("--"))


def scans(tree: exp.Expression) -> list[exp.Table]:
    names = {cte.alias for cte in tree.find_all(exp.CTE)}
    return [table for table in tree.find_all(exp.Table) if table.name not in names]


def test_the_questions_of_the_main_job_are_there() -> None:
    names = {path.stem for path in FILES}
    assert {"cases", "throughput", "latency_percentiles", "rate_over_time", "ledger"} <= names
    assert {"cost_lines", "crossover"} <= names


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_every_scan_has_a_run_of_its_own(path: Path) -> None:
    tree = sqlglot.parse_one(path.read_text(), dialect="athena")
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


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_parameters_stand_in_where_only_and_are_all_the_run(path: Path) -> None:
    tree = sqlglot.parse_one(path.read_text(), dialect="athena")
    marks = list(tree.find_all(exp.Placeholder))
    assert len(marks) == path.read_text().count("?") == len(scans(tree))
    for mark in marks:
        assert isinstance(mark.find_ancestor(exp.Where, exp.Select), exp.Where)
        assert isinstance(mark.parent, exp.EQ)
        assert mark.parent.this == exp.column("run_id")


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_only_constructs_on_which_the_engines_agree(path: Path) -> None:
    text = code(path)
    called = {name.lower() for name in re.findall(r"\b(\w+)\s*\(", text)}
    assert not called & UNSAFE
    assert not re.search(r"\d\.\d+(?!\d*E)|\d\.(?!\d)", text), "a decimal literal: write 1.5E0"
    assert not re.search(r"/\s*\d+(?![\dE.])", text), "a division by a whole number"
    assert "SELECT *" not in text
    assert text.isascii()
    assert len(path.read_bytes()) < ATHENA_MAX_BYTES


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_the_head_names_inputs_and_columns(path: Path, tmp_path: Path) -> None:
    head = comments(path)
    assert path.read_text().startswith("-- ")
    inputs = re.search(r"^-- inputs:\s+(.*)$", head, re.MULTILINE)
    assert inputs
    read = {scan.name for scan in scans(sqlglot.parse_one(path.read_text(), dialect="athena"))}
    assert set(inputs.group(1).split(", ")) == read
    assert read <= TABLES
    if path.stem == "cases":
        return  # its columns are the table's
    result = run(path.read_text(), Bucket(tmp_path).tables(), ["'none'"] * path.read_text().count("?"))
    for name, _ in result.columns:
        assert re.search(rf"\b{name}\b", head), f"{name} is not explained"


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_no_rows_from_empty_tables(path: Path, tmp_path: Path) -> None:
    assert Bucket(tmp_path).ask(path.stem) == []
