"""Tables that are read once: the same answers as from their files, however many ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from local.aws.athena_sql import SqlError
from local.aws.sql_engine import LoadedTables, SqlResult, SqlTable, run, tables_of
from local.stored import answers
from local.stored.answers import ask
from tests.support.money.query_tables import RUN_ID, Bucket

TOTALS = "SELECT case_id, operations FROM totals WHERE run_id = ? ORDER BY case_id"
GIVEN = [f"'{RUN_ID}'"]


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    made = Bucket(tmp_path / "bucket")
    made.put("totals", [{"case_id": "a", "operations": 2**53 + 1}])
    made.put("totals", [{"case_id": "b", "operations": None}], name="second")
    made.put("totals", [{"case_id": "other"}], run_id="2026-11-21")
    return made


@pytest.mark.parametrize("kept", [None, "loaded.duckdb"])
def test_answers_are_those_of_the_files_which_may_have_gone(bucket: Bucket, tmp_path: Path, kept) -> None:
    expected = run(TOTALS, bucket.tables(), GIVEN)
    with LoadedTables(bucket.tables(), tmp_path / kept if kept else None) as loaded:
        for path in bucket.root.rglob("*.json.gz"):
            path.unlink()
        assert loaded.run(TOTALS, GIVEN) == expected
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lambda _: loaded.run(TOTALS, GIVEN), range(20))) == [expected] * 20


def test_what_reads_most_begins_first_and_answers_stand_as_they_were_asked_for(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []

    class Recorded(LoadedTables):
        def run(self, sql: str, parameters: Sequence[str] = ()) -> SqlResult:
            begun.append(self.rows_under(sql, parameters))
            return super().run(sql, parameters)

    monkeypatch.setattr(answers, "LoadedTables", Recorded)
    monkeypatch.setattr(answers, "AT_ONCE", 1)
    assert list(ask(bucket.tables(), RUN_ID, ["faults", "throughput"])) == ["faults", "throughput"]
    assert begun == [3, 0]


def test_rows_of_a_large_run_are_kept_in_a_file_that_is_gone_afterwards(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = ask(bucket.tables(), RUN_ID, ["throughput"])
    assert [row["case_id"] for row in expected["throughput"]] == ["a", "b"]
    kept: list[Path | None] = []

    class Recorded(LoadedTables):
        def __init__(self, tables: Mapping[str, SqlTable], file: Path | None = None) -> None:
            super().__init__(tables, file)
            kept.append(file)
            assert file is None or file.stat().st_size > 0

    monkeypatch.setattr(answers, "LoadedTables", Recorded)
    assert ask(bucket.tables(), RUN_ID, ["throughput"]) == expected
    monkeypatch.setattr(answers, "MOST_IN_MEMORY", 0)
    assert ask(bucket.tables(), RUN_ID, ["throughput"]) == expected
    in_memory, in_file = kept
    assert in_memory is None
    assert in_file
    assert not in_file.parent.exists()


def test_a_damaged_row_file_and_a_wrong_statement_are_errors(bucket: Bucket) -> None:
    with LoadedTables(bucket.tables()) as loaded, pytest.raises(SqlError, match="no table 'absent'"):
        loaded.run("SELECT 1 FROM absent")
    next(bucket.root.rglob("*.json.gz")).write_bytes(b"no rows")
    with pytest.raises(SqlError, match="SQL error"):
        LoadedTables(bucket.tables())


def test_the_tables_of_a_statement_are_those_that_it_scans(bucket: Bucket) -> None:
    joined = (
        "SELECT 1 AS one FROM totals t JOIN cases c ON c.case_id = t.case_id "
        "WHERE t.run_id = 'x' AND c.run_id = 'x'"
    )
    assert tables_of(joined, bucket.tables(), []) == ("cases", "totals")
