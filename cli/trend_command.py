"""``breakeven trend``: every figure of a suite over its runs, and the runs at which it changed for good."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from breakeven.errors import InputError, together
from breakeven.report.contract.report_model import Report
from breakeven.report.drift import trend_words
from breakeven.report.drift.comparable_runs import NOT_READ, SuiteRun
from breakeven.report.drift.trend import Trend, trend
from breakeven.report.elements import filled
from breakeven.report.tables.trend_tables import points_table, series_table
from breakeven.results.items import suite_runs
from breakeven.results.store import Store
from breakeven.steps.run.earlier_runs import known_runs, stored_report
from breakeven.workload.problems import did_you_mean
from breakeven.workload.read import shipped_suites
from cli.command_name import command
from cli.compare_command import print_figures
from cli.option_parser import one_of
from cli.out_file import check_out, write_out
from cli.report_source import NOT_ANEW, SOURCE, made_anew, read
from cli.running import deployed
from cli.running.outcome import RUNS
from cli.terminal import Terminal, print_json, print_styled, say
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
    command.add_argument("--runs", type=Path, help="folder of results (runs)")
    command.add_argument("--out", type=Path, metavar="FILE", help="write the trend as a page, too")
    command.add_argument(
        "--on",
        type=one_of("local", "aws"),
        metavar="{local,aws}",
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
    if arguments.out:
        check_out(arguments.out, "breakeven trend")
    damaged: list[InputError] = []
    known, read = (_on_aws if arguments.on == "aws" else _here)(arguments, damaged)
    found = trend(arguments.suite, known, read)
    if found is None:
        nothing = InputError("breakeven trend", "suite", arguments.suite, _remedy(arguments, damaged))
        raise together([nothing, *damaged])
    for line in damaged:
        print(f"left out: {line}", file=sys.stderr)
    if arguments.out:
        # which brings the charts, for which the terminal should not wait
        from breakeven.report.render.trend_page import trend_page  # noqa: PLC0415

        write_out(arguments.out, trend_page(found), "breakeven trend")
    if arguments.json:
        print_json(trend_words.document(found))
        return 0
    _print(Terminal(), found, arguments.out)
    return 0


def _here(arguments: argparse.Namespace, damaged: list[InputError]) -> Source:
    """
    :param damaged: is given an error for each report that cannot be read, and each run whose records cannot
    :raises InputError: an option of runs on AWS, or no such folder
    """
    for option in ("region", "prefix", "profile"):
        if value := getattr(arguments, option):
            remedy = "belongs to runs on AWS: give --on aws, too, or leave it out"
            raise InputError("breakeven trend", f"--{option}", value, remedy)
    runs: Path = arguments.runs or RUNS
    if not runs.is_dir():
        remedy = f"no such folder; name the one that has the runs, or make a run: {command('run quick')}"
        raise InputError("breakeven trend", "--runs", str(runs), remedy)
    damaged += earlier_reports.unreadable(runs, arguments.suite)
    damaged += map(_gone, earlier_reports.without_report(runs, arguments.suite))
    return earlier_reports.suite_runs(runs, arguments.suite), partial(_read, runs, damaged)


def _gone(folder: Path) -> InputError:
    remedy = made_anew(folder) or NOT_ANEW
    return InputError(str(folder), "report", None, f"has no {SOURCE} any more; {remedy}")


def _read(runs: Path, damaged: list[InputError], run_id: str) -> Report | None:
    """The report of a run; None where it is gone, or damaged, which is noted."""
    try:
        return read(earlier_reports.report_of(runs / run_id))
    except InputError as error:
        damaged.append(error)
        return None


def _remedy(arguments: argparse.Namespace, damaged: Sequence[InputError]) -> str:
    """What a suite without a trend may be, and what it lacks."""
    is_here, shipped = arguments.on == "local", shipped_suites()
    name = arguments.suite if arguments.suite in shipped else "SUITE.yaml"
    makes = f"{command(f'run {name}' if is_here else f'run {name} --on aws')} makes one"
    if damaged:
        return f"no report that could be compared with the newest can be read, as is said below; {makes}"
    measured = earlier_reports.known_suites(arguments.runs or RUNS) if is_here else ()
    if arguments.suite in {*measured, *shipped}:
        return f"no run of this suite came to its end with a case that is ok and a report; {makes}"
    hint = did_you_mean(arguments.suite, [*measured, *shipped])
    have = f"there are runs of {', '.join(measured)}" if measured else "there is no run yet"
    return f"no run of such a suite; {hint}{f'{have}; ' if is_here else ''}suites are {', '.join(shipped)}"


def _on_aws(arguments: argparse.Namespace, damaged: list[InputError]) -> Source:
    """
    :param damaged: is given an error for each report that cannot be read
    :raises InputError: an option of runs here, no such installation, or AWS refuses access
    """
    if arguments.runs is not None:
        remedy = "belongs to runs on this machine: leave it out, or --on aws"
        raise InputError("breakeven trend", "--runs", str(arguments.runs), remedy)
    found = deployed.find(deployed.connect(arguments.profile, arguments.region), arguments.prefix)
    with deployed.aws_errors_in_words():
        known = known_runs(found.state(suite_runs(arguments.suite)))
    return known, partial(_read_stored, found.store, damaged)


def _read_stored(store: Store, damaged: list[InputError], run_id: str) -> Report | None:
    """Likewise, of the deployed stack.

    :raises InputError: AWS refuses access
    """
    with deployed.aws_errors_in_words():
        report = stored_report(store, run_id)
    if report is None:
        damaged.append(InputError("AWS", "run", run_id, NOT_READ))
    return report


def _print(console: Console, found: Trend, out: Path | None) -> None:
    print_styled(console, trend_words.headline(found), "bold", wrap=console.is_terminal)
    for sentence in trend_words.sentences(found):
        print_styled(console, sentence, wrap=console.is_terminal)
    for table in filled(points_table(found), series_table(found)):
        print_figures(console, table)
    if out:
        say(console)
        say(console, f"page: {out}")
