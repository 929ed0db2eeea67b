"""``breakeven report --published A``: what a source printed, in the terminal and as a report."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Table
from breakeven.report.tables.scenario_tables import comparison_tables
from cli.terminal import aligned, print_json, print_styled, print_verdict, say
from local.stored.published_report import write_report


def run(letter: str, runs: Path, *, as_json: bool) -> int:
    """Write the report of the source, print its tables and where the report is; returns the exit code.

    :raises InputError: there is no such source, its file is damaged, or ``runs`` cannot be written
    """
    report, folder = write_report(letter, runs)
    if as_json:
        written = [str(path) for path in sorted(folder.iterdir())]
        print_json({"run_id": report.run_id, "written": written, "verdict": report.verdict})
    else:
        console = Console()
        print_tables(report, console)
        say(console, f"report: {folder / 'index.html'}")
    return 0


def print_tables(report: Report, console: Console) -> None:
    """The source's tables as aligned plain text, with what they do not say beneath, and the verdict."""
    for table in comparison_tables(report, None):
        console.print()
        print_styled(console, f"{table.caption} (published)", "bold")
        for line in lines(table):
            print_styled(console, line)
        for note in table.notes:
            print_styled(console, note, "dim", wrap=console.is_terminal)
    console.print()
    print_verdict(console, report.verdict)
    console.print()


def lines(table: Table) -> list[str]:
    """Rows as lines: words to the left, figures to the right."""
    sections = any(row.section for row in table.rows)
    header = [*([""] if sections else []), *table.label_titles, *table.titles]
    body = [[*([row.section] if sections else []), *row.labels, *row.cells] for row in table.rows]
    return aligned([header, *body], range(len(header) - len(table.columns), len(header)))
