"""Folders and files that somebody has edited, and numbers that nobody means: one line each, none written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.pricing.prices.book_files import BOOKS, DEFAULT_REGION
from cli.exit_codes import BAD_INPUT
from cli.main import main
from cli.report_command import write
from tests.fixtures.report import sample
from tests.support.refused_input import refused

LONG = "1B" * 500
STORED = Path(__file__).parents[3] / "fixtures" / "report" / "earlier_version.json"
#: of a run's folder: its state.json, and what is said of it
RECORDS: dict[str, tuple[str, str]] = {
    "cut off": (
        '{"run": {',
        "line 1, column 10: 'end of file': is not JSON: the file ends before the document",
    ),
    "a list": ("[1]", "file: 'state.json': cannot be read (is no JSON object); start a new run"),
    "a record that is a number": (
        '{"run": 3}',
        "file: 'state.json': cannot be read (the record of run is no JSON object); start a new run",
    ),
    "a status that is a list": (
        '{"run": {"suite": "quick"}, "case#a": {"status": []}}',
        "file: 'state.json': cannot be read (the status of case#a is no text); start a new run",
    ),
    "an attempt in words": (
        '{"run": {"suite": "quick"}, "case#a": {"status": "failed", "attempt": "first"}}',
        "file: 'state.json': cannot be read (the attempt of case#a is no whole number); start a new run",
    ),
    "a record whose name has two lines": (
        '{"a\\nb": 3}',
        "file: 'state.json': cannot be read (the record of 'a\\nb' is no JSON object); start a new run",
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "runs" / "r1"
    found.mkdir(parents=True)
    (found / "plan.json").write_text("{}")
    return found


@pytest.mark.parametrize("name", RECORDS)
def test_records_of_a_run(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    text, said = RECORDS[name]
    (folder / "state.json").write_text(text)
    before = sorted(folder.rglob("*"))
    for argv in (["report", "r1"], ["compare", "r1", "r1"]):
        line = refused(capsys, *argv, "--runs", str(folder.parent))
        assert line.startswith(f"error: {folder / 'state.json'}: {said}"), argv
    resumed = refused(capsys, "run", "--resume", "r1", "--runs", str(folder.parent))
    assert f"breakeven run: --resume: 'r1': {folder / 'state.json'} cannot be read (" in resumed
    assert main(["trend", "quick", "--runs", str(folder.parent)]) == BAD_INPUT
    nothing, why = capsys.readouterr().err.splitlines()
    assert "no report that could be compared with the newest can be read, as is said below" in nothing
    assert f"{folder / 'state.json'}: " in why
    assert sorted(folder.rglob("*")) == before


#: of a report: what is added to it, and what is said of that
REPORTS: dict[str, tuple[dict[str, Any], str]] = {
    "name of two lines": ({"a\nb": 1}, r"'a\nb': 1: no such field; leave it out"),
    "name without end": ({"k" * 5000: 1}, f"'{'k' * 37}...{'k' * 38}': 1: no such field; leave it out"),
    "half a character": ({"title": "\ud800"}, "report: Invalid JSON: unexpected end of hex escape at line 1"),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    added, said = REPORTS[name]
    path = tmp_path / "report.json"
    path.write_text(json.dumps(json.loads(STORED.read_text(encoding="utf-8")) | added))
    line = refused(capsys, "report", str(path))
    assert line.startswith(f"error: {path}: {said}")
    assert line.endswith("; give a report.json as docs/report.schema.json describes it")
    assert [one.name for one in tmp_path.iterdir()] == ["report.json"]


def test_a_folder_in_the_place_of_a_file_is_told_from_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = refused(capsys, "crossover", "--book", str(folder))
    assert line.endswith("cannot be read: is not a regular file; give a price book in JSON")
    (folder / "state.json").mkdir()
    line = refused(capsys, "report", "r1", "--runs", str(folder.parent))
    assert line.endswith("cannot be read (is not a regular file); start a new run")
    line = refused(capsys, "report", "--published", "A", "--runs", str(folder / "plan.json"))
    assert line.endswith("cannot be written: Not a directory; give another folder")


def test_a_file_in_the_place_of_the_reports_folder_is_said_to_be_none(
    folder: Path,
) -> None:
    report = sample.report(sample.planned()[:1])
    (folder / "report").write_text("mine")
    with pytest.raises(InputError, match=r"report cannot be written \(is no folder\); move it away"):
        write(report, folder / "report")
    assert (folder / "report").read_text() == "mine"


def test_a_plan_without_a_version_is_of_an_earlier_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "state.json").write_text('{"run": {"suite": "quick"}}')
    line = refused(capsys, "run", "--resume", "r1", "--runs", str(folder.parent))
    assert "--resume: 'r1': it was planned by an earlier version, this is " in line


#: of a price book: what is changed in it, and what is said of that
BOOKS_CHANGED: dict[str, tuple[dict[str, Any], str]] = {
    "prices by name": ({"prices": {}}, "prices: must be a list"),
    "price of next to nothing": (
        {
            "prices": [
                {
                    "service": "sqs",
                    "item": "standard_request",
                    "unit": "request",
                    "region": "us-east-1",
                    "usd": 1e-300,
                    "source": "mine",
                    "as_of": "2026-11-20",
                    "mark": "V",
                }
            ]
        },
        "prices.0: sqs/standard_request: 1e-300 is next to nothing; give at least 1e-12 dollars, or 0 where",
    ),
}


@pytest.mark.parametrize("name", BOOKS_CHANGED)
def test_a_book(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    changed, said = BOOKS_CHANGED[name]
    path = tmp_path / "book.json"
    path.write_text(json.dumps(json.loads((BOOKS / f"{DEFAULT_REGION}.json").read_text()) | changed))
    assert f"{path}: {said}" in refused(capsys, "crossover", "--book", str(path))


def test_a_value_of_a_thousand_characters_is_shortened(capsys: pytest.CaptureFixture[str]) -> None:
    line = refused(capsys, "crossover", "--size", LONG)
    assert len(line) < 800
    assert "--size: '1B1B1B" in line
    assert "1B1B': must be a size from 1B to 1MiB" in line


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (
            ["plan", "spec.js", "--full-rate", "1e-300"],
            "breakeven plan: --full-rate: 1e-300: must be messages a second, 0.0001 to 10000000",
        ),
        (
            ["run", "quick", "--rabbitmq-url", "amqp://"],
            "error: breakeven run: --rabbitmq-url: host: '': the host is missing: expected amqp://",
        ),
        (
            ["doctor", "--region", "eu west"],
            "error: breakeven doctor: --region: 'eu west': no region of AWS, such as us-east-1",
        ),
        (["calculator", "--region", "mars"], "error: breakeven calculator: --region: 'mars': no such book;"),
        (
            ["calculator", "--out", "itself.html"],
            "--out: 'itself.html': cannot be written: Too many levels of symbolic links; give another file",
        ),
    ],
)
def test_an_option_makes_and_changes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    argv: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec.js").write_text("[{'name': 'a', 'type': 'simple', 'params': [{}]}]")
    (tmp_path / "itself.html").symlink_to("itself.html")
    assert said in refused(capsys, *argv)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["itself.html", "spec.js"]
    assert (tmp_path / "itself.html").is_symlink()
