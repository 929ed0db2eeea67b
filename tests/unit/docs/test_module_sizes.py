"""Modules are short enough to be read at one sitting."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[3]
#: lines of a module: of the product and its benchmarks, and of tests, which are tables for the most part
MOST = {"functions": 300, "infra": 300, "local": 300, "cli": 300, "bench": 300, "tests": 400}
#: longer, with the reason
LONGER = {
    "infra/functions/step_table.py": "one table: what each state of the workflow needs",
    "functions/breakeven/report/contract/report_model.py": "the report's data model, one class after another",
    "functions/breakeven/workload/perftest/spec_workload.py": "keys of PerfTest's files, one after another",
}


def test_modules_have_no_more_lines_than_are_read_at_one_sitting() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines())
        for folder in MOST
        for path in (ROOT / folder).rglob("*.py")
    }
    assert {path for path, lines in lengths.items() if lines > MOST[path.split("/")[0]]} == set(LONGER)
