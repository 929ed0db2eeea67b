"""``breakeven report --published A``: what a source printed, in the terminal and as a report."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Table
from breakeven.report.tables.scenario_tables import comparison_tables
from local.stored.published_report import write_report


def run(letter: str, runs: Path, *, as_json: bool) -> int:
    """Write the report of the source, print its tables and where the report is; returns the exit code.

    :raises InputError: there is no such source, its file is damaged, or ``runs`` cannot be written
    """
    report, folder = write_report(letter, runs)
    if as_json:
        written = [str(path) for path in sorted(folder.iterdir())]
        json.dump(
            {"run_id": report.run_id, "written": written, "verdict": report.verdict}, sys.stdout, indent=2
        )
        print()
    else:
        console = Console()
        print_tables(report, console)
        console.print(f"report: {folder / 'index.html'}", soft_wrap=True, highlight=False, markup=False)
    return 0


def print_tables(report: Report, console: Console) -> None:
    """The source's tables as aligned plain text, with what they do not say beneath, and the verdict."""
    for table in comparison_tables(report, None):
        console.print()
        _say(console, f"{table.caption} (published)", "bold")
        for line in lines(table):
            _say(console, line)
        for note in table.notes:
            _say(console, note, "dim", wrap=console.is_terminal)
    console.print()
    for number, paragraph in enumerate(report.verdict.split("\n\n")):
        _say(console, paragraph, "" if number else "bold", wrap=console.is_terminal)
    console.print()


def lines(table: Table) -> list[str]:
    """Rows as lines: words to the left, figures to the right."""
    sections = any(row.section for row in table.rows)
    header = [*([""] if sections else []), *table.label_titles, *table.titles]
    body = [[*([row.section] if sections else []), *row.labels, *row.cells] for row in table.rows]
    return _aligned([header, *body], len(header) - len(table.columns))


def _aligned(rows: Sequence[Sequence[str]], words: int) -> list[str]:
    widths = [max(len(row[number]) for row in rows) for number in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if number < words else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _say(console: Console, text: str, style: str = "", *, wrap: bool = False) -> None:
    console.print(Text(text, style=style), soft_wrap=not wrap)
