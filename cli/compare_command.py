"""``breakeven compare``: what changed between two runs of a suite, and which figures moved beyond chance."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from breakeven import words
from breakeven.errors import InputError
from breakeven.report.contract.drift_model import DriftReport
from breakeven.report.contract.report_model import Report
from breakeven.report.drift.drift import FALSE_ALARMS, Drift, drift_between
from breakeven.report.drift.drift_builder import reported
from breakeven.report.drift.drift_words import sentences
from breakeven.report.elements import Table, filled
from breakeven.report.tables.drift_tables import moves_table, shifts_table
from breakeven.report.tables.unjudged_table import unjudged_table
from breakeven.report.tables.within_chance_table import within_chance_table
from cli.command_name import command
from cli.out_file import check_out, write_out
from cli.report_command import table_rows
from cli.report_source import load
from cli.terminal import Terminal, print_json, print_rows, print_styled, say

WHERE = "breakeven compare"
#: of a table of figures that did not move, on the terminal
MOST_ROWS = 24


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "compare",
        help="what changed between two runs, and which figures moved",
        description="Compare two runs of a suite: first what changed around them (releases, machines, "
        "prices), then which figures moved beyond chance, over all cells of a target and in single ones. Of "
        "a run that did not come to its end, what was settled is compared.",
    )
    parser.example = command("compare r20261120-093000-1a2b latest")
    parser.add_argument(
        "before", metavar="BEFORE", help="the run that the other is held against: an id, or a path"
    )
    parser.add_argument("after", metavar="AFTER", help="a run's id, latest, or a path")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder of results (runs)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the comparison as a page, too")
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the comparison; returns the exit code, which is 0 whatever has moved.

    :raises InputError: there is no such run, its file is damaged, the two are one or not comparable, or the
        page cannot be written
    """
    if arguments.out:
        check_out(arguments.out, WHERE)
    names = (arguments.before, arguments.after)
    before, after = (load(name, arguments.runs, WHERE) for name in names)
    if before.run_id == after.run_id:
        remedy = (
            f"holds run {after.run_id}, and so does {arguments.before}: a run is not compared with itself or "
            "a copy of itself; name the folder of another run"
        )
        raise InputError(WHERE, "run", arguments.after, remedy)
    drift = _compared(before, after)
    found = reported(drift, before, after)
    unmoved = filled(within_chance_table(found), unjudged_table(drift, after))
    if arguments.out:
        # which brings the template engine, for which the terminal should not wait
        from breakeven.report.render.drift_page import drift_page  # noqa: PLC0415

        write_out(arguments.out, drift_page(after, found, unmoved), WHERE)
    if arguments.json:
        print_json(document(drift))
        return 0
    console = Terminal()
    print_styled(console, f"{drift.after} held against {drift.before}", "bold")
    _print_changes(console, drift)
    say(console)
    for sentence in found.findings:
        say(console, sentence)
    _print_figures(console, found)
    for table in unmoved:
        print_figures(console, _shortened(table))
    if arguments.out:
        say(console)
        say(console, f"page: {arguments.out}")
    return 0


def document(drift: Drift) -> dict[str, Any]:
    """The comparison as JSON."""
    return {**asdict(drift), "false_alarms": FALSE_ALARMS, "sentences": sentences(drift)}


def _compared(before: Report, after: Report) -> Drift:
    """:raises InputError: they are not comparable, as this command's own error"""
    try:
        return drift_between(before, after)
    except InputError as error:
        raise InputError(WHERE, error.field, error.value, error.remedy) from error


def _print_changes(console: Console, drift: Drift) -> None:
    say(console)
    say(console, "What changed around them:" if drift.changes else "Nothing of their manifests changed.")
    for change in drift.changes:
        say(console, f"  {change.describe()}")


def _print_figures(console: Console, drift: DriftReport) -> None:
    for table in filled(shifts_table(drift), moves_table(drift)):
        print_figures(console, table)


def _shortened(table: Table) -> Table:
    """The first rows, and where the others are."""
    more = len(table.rows) - MOST_ROWS
    if more <= 0:
        return table
    note = f"{words.plural(more, 'more row')}: --out FILE writes a page with them, --json prints them."
    return replace(table, rows=table.rows[:MOST_ROWS], notes=(*table.notes, note))


def print_figures(console: Console, table: Table) -> None:
    """A table of the report as aligned text, its notes beneath."""
    say(console)
    print_styled(console, table.caption, "bold")
    print_rows(console, *table_rows(table))
    for note in table.notes:
        print_styled(console, note, "dim", wrap=console.is_terminal)
