"""``breakeven trend``: every figure of a suite over its runs, and the runs at which it changed for good."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from breakeven.errors import InputError
from breakeven.report.contract.report_model import Report
from breakeven.report.drift import trend_words
from breakeven.report.drift.comparable_runs import SuiteRun
from breakeven.report.drift.trend import Trend, trend
from breakeven.report.elements import filled
from breakeven.report.tables.trend_tables import points_table, series_table
from breakeven.results.items import suite_runs
from breakeven.steps.run.earlier_runs import known_runs, stored_report
from cli.compare_command import print_figures, write_page
from cli.running import deployed
from cli.terminal import print_json, print_styled, say
from local.stored import earlier_reports

#: a suite's runs, and what reads their reports
Source = tuple[Sequence[SuiteRun], Callable[[str], Report | None]]


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "trend",
        help="a suite's figures over all its runs, and where they changed",
        description="Set side by side what all comparable runs of a suite measured, and name the runs from "
        "which on a figure is another (change points), with what changed around them.",
    )
    command.add_argument("suite", metavar="SUITE", help="its name, such as quick")
    command.add_argument("--runs", type=Path, default=Path("runs"), help="folder of results (runs)")
    command.add_argument("--out", type=Path, metavar="FILE", help="write the trend as a page, too")
    command.add_argument(
        "--on",
        choices=["local", "aws"],
        default="local",
        help="runs of the folder, or of the deployed stack (local)",
    )
    command.add_argument("--region", help="with --on aws: where the stack is")
    deployed.add_options(command)
    command.add_argument("--json", action="store_true", help="print the trend as JSON")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the trend; returns the exit code, which is 0 whatever has changed.

    :raises InputError: there is no run of the suite, AWS refuses access, or the page cannot be written
    """
    known, read = _on_aws(arguments) if arguments.on == "aws" else _here(arguments)
    found = trend(arguments.suite, known, read)
    if found is None:
        remedy = "no run of this suite with a case that is ok and a report; breakeven run makes one"
        raise InputError("trend", "suite", arguments.suite, remedy)
    if arguments.out:
        # which brings the charts, for which the terminal should not wait
        from breakeven.report.render.trend_page import trend_page  # noqa: PLC0415

        write_page(arguments.out, trend_page(found), "trend")
    if arguments.json:
        print_json(trend_words.document(found))
        return 0
    _print(Console(), found, arguments.out)
    return 0


def _here(arguments: argparse.Namespace) -> Source:
    """:raises InputError: an option of runs on AWS"""
    for option in ("region", "prefix", "profile"):
        if value := getattr(arguments, option):
            remedy = "belongs to runs on AWS: give --on aws, too, or leave it out"
            raise InputError("breakeven trend", f"--{option}", value, remedy)
    runs: Path = arguments.runs
    return earlier_reports.suite_runs(runs, arguments.suite), partial(earlier_reports.read_report, runs)


def _on_aws(arguments: argparse.Namespace) -> Source:
    """:raises InputError: there is no such installation, or AWS refuses access"""
    found = deployed.find(deployed.connect(arguments.profile, arguments.region), arguments.prefix)
    with deployed.aws_errors_in_words():
        known = known_runs(found.state(suite_runs(arguments.suite)))
    return known, partial(stored_report, found.store)


def _print(console: Console, found: Trend, out: Path | None) -> None:
    print_styled(console, trend_words.headline(found), "bold", wrap=console.is_terminal)
    for sentence in trend_words.sentences(found):
        print_styled(console, sentence, wrap=console.is_terminal)
    for table in filled(points_table(found), series_table(found)):
        print_figures(console, table)
    if out:
        say(console)
        say(console, f"page: {out}")
