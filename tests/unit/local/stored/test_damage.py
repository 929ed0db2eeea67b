"""Files of a run's folder that were cut off or edited: named, and no hindrance where nothing needs them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from breakeven.results import layout
from breakeven.results.items import RUN
from cli.main import main
from tests.support.workflow.settled_run import RUN_ID, ended

pytestmark = pytest.mark.usefixtures("undrawn", "killed")

Spoiled = Callable[[bytes], bytes]


def rows_of(runs: Path, table: str) -> Path:
    return min((runs / RUN_ID / layout.rows_prefix(table, RUN_ID)).glob("*.json.gz"))


@pytest.mark.parametrize(
    ("spoiled", "said"),
    [
        (lambda body: body[:50], "file: '{name}': is cut off: its gzip ends before its rows do"),
        (lambda _: b"", "file: '{name}': is empty, which no gzip is"),
        (lambda _: b"no gzip", "file: '{name}': is no gzip"),
        (
            lambda body: body[:20] + bytes(8) + body[28:],
            "file: '{name}': is damaged: its gzip cannot be unpacked",
        ),
        (
            lambda _: gzip.compress(b"{no JSON"),
            "row 1: 'no JSON': is not JSON: the name of a field is",
        ),
        (lambda _: gzip.compress(b"[]"), "row 1: '[]': is no JSON object"),
        (lambda _: gzip.compress(b'{}\n{"repeat": "two"}\n'), "row 2, repeat: 'two': must be a whole number"),
    ],
    ids=["cut off", "empty", "no gzip", "garbled", "no JSON", "list", "another kind"],
)
def test_a_damaged_file_of_rows_is_bad_input_in_our_own_words(
    runs: Path, capsys: pytest.CaptureFixture[str], spoiled: Spoiled, said: str
) -> None:
    path = rows_of(runs, "cases")
    path.write_bytes(spoiled(path.read_bytes()))
    for words in (["report"], ["compare", RUN_ID, "other"]):
        assert main([*words, "--runs", str(runs)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"error: {path}: {said.format(name=path.name)}"), line
        assert line.endswith("; restore the file from a copy, or start a new run")
        assert "SQL" not in line


def test_where_the_report_was_written_before_its_page_is_named(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "--runs", str(runs)]) == 0
    path = rows_of(runs, "cases")
    path.write_bytes(path.read_bytes()[:50])
    capsys.readouterr()
    assert main(["report", "--runs", str(runs)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    page = (runs / "latest").resolve() / "report" / "index.html"
    assert f"its rows do; the report as it was written before is in {page}; restore the file" in line


@pytest.mark.parametrize("name", ["state.json", "plan.json"])
def test_a_run_that_ended_has_its_report_although_a_document_beside_it_is_cut_off(
    runs: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    ended(runs)
    assert main(["report", RUN_ID, "--runs", str(runs)]) == 0
    path = runs / RUN_ID / name
    path.write_bytes(path.read_bytes()[:80])
    capsys.readouterr()
    assert main(["report", RUN_ID, "--runs", str(runs)]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"damaged: {path.resolve()}: line ")
    assert line.endswith(
        "; the report is rendered without it, but the run cannot be resumed; restore it from a copy"
    )


def test_without_a_report_records_that_are_cut_off_are_bad_input(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = runs / RUN_ID / "state.json"
    assert RUN in path.read_text()
    path.write_bytes(path.read_bytes()[:80])
    assert main(["report", RUN_ID, "--runs", str(runs)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {path}: line ")


def test_a_document_of_a_case_that_is_damaged_is_named_and_the_report_is_written(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended(runs)
    for name, body in (("bad", "{"), ("good", "{}")):
        path = runs / RUN_ID / "cases" / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(body)
    for made in ("from its rows", "from report.json"):
        assert main(["report", RUN_ID, "--runs", str(runs)]) == 0, made
        line = capsys.readouterr().err.splitlines()[-1]
        assert line.startswith(f"damaged: {(runs / RUN_ID).resolve()}/cases/bad.json: line 1, column 2: ")
        assert line.endswith("; no report needs it; restore it from a copy, or remove it")


def test_rows_that_are_damaged_are_found_before_anything_is_measured(
    killed: list[str], runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = runs / RUN_ID / layout.row_key("ledgers", RUN_ID, killed[0])
    rows.write_bytes(rows.read_bytes()[:30])
    assert main(["run", "--resume", RUN_ID, "--runs", str(runs)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{rows.name}: is cut off" in line.replace("'", "")
    assert "restore the file from a copy, or start a new run" in line


def test_a_case_that_moved_no_message_has_no_totals(
    killed: list[str], runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger, totals = (
        runs / RUN_ID / layout.row_key(table, RUN_ID, killed[0]) for table in ("ledgers", "totals")
    )
    row = json.loads(gzip.decompress(ledger.read_bytes()))
    ledger.write_bytes(gzip.compress(json.dumps(row | {"sent": 0, "confirmed": 0, "received": 0}).encode()))
    totals.unlink()
    assert main(["report", "--runs", str(runs)]) == 0
