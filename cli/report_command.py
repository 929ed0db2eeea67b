"""``breakeven report``: a run's report again from its ``report.json``, or from the rows of a run that did not
come to its end; or what a source published.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console

from breakeven.errors import InputError
from breakeven.published.rows import SOURCES
from breakeven.report.charts.artist import drawing_beside
from breakeven.report.charts.drawing import start_loading
from breakeven.report.collector import without_collector
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Table
from breakeven.report.render.perftest_json import perftest_json
from breakeven.report.render.report_files import render_all
from breakeven.report.tables import instrument_findings
from breakeven.report.tables.scenario_tables import comparison_tables
from cli.exit_codes import OK, SELF_TEST_FAILED
from cli.report_source import SOURCE, find, read, unfinished
from cli.running.outcome import resume_command
from cli.running.summary import cases_of, print_answer, print_summary
from cli.terminal import Terminal, print_json, print_rows, print_styled, printable, say
from local.stored.answers import are_large
from local.stored.damage import damaged_documents
from local.stored.earlier_reports import report_of, with_drift
from local.stored.published_report import write_report
from local.stored.settled_cases import is_under_way
from local.stored.settled_report import has_ended, settled_report
from local.stored.whole_files import write_whole

PERFTEST = "perftest.json"


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "report",
        help="render a run's report again, or that of a published source",
        description="Render a run's page, Markdown and CSV again from its report.json, or, where the run did "
        "not come to its end, from the cases that were settled; print its summary. "
        "With --published, write the report of what a source printed instead. "
        f"Ends with exit code {OK} once the report is written, whatever its run came to: "
        "codes of failed cases and of a failed self-test are those of 'run'. Where the self-test failed, the "
        "summary says so above its verdict and in its last line.",
    )
    command.add_argument(
        "target", nargs="?", metavar="RUN", help="a run's id, latest (unless given), or a path"
    )
    command.add_argument(
        "--published",
        metavar="SOURCE",
        help=f"{', '.join(SOURCES)}: a source's own figures, as printed",
    )
    command.add_argument(
        "--perftest",
        action="store_true",
        help=f"write {PERFTEST} beside the report: results in the form that PerfTest's HTML viewer shows",
    )
    command.add_argument("--runs", type=Path, default=Path("runs"), help="folder of results (runs)")
    command.add_argument(
        "--json", action="store_true", help="print what was written, the verdict and the cases as JSON"
    )
    command.set_defaults(run=run)


@without_collector()
def run(arguments: argparse.Namespace) -> int:
    """Write the report's files; returns the exit code. A ``report.json`` of a whole run stays as it is.

    :raises InputError: there is no such run or source, its file is damaged, or both are asked for
    """
    if arguments.published is not None:
        if arguments.target is not None:
            remedy = "give a run or --published, not both"
            raise InputError("breakeven report", "run", arguments.target, remedy)
        if arguments.perftest:
            remedy = "is of runs, and a source prints nothing second by second; leave one of them out"
            raise InputError("breakeven report", "--perftest", arguments.published, remedy)
        return _published(arguments.published, arguments.runs, as_json=arguments.json)
    target = arguments.target or "latest"
    if folder := unfinished(target, arguments.runs):
        return _as_far_as_settled(folder, arguments.perftest, as_json=arguments.json)
    source = find(target, arguments.runs)
    start_loading()
    report = with_drift(read(source), source.resolve().parent.parent)
    written = write(report, source.parent, but=SOURCE, perftest=arguments.perftest)
    _conclude(report, written, as_json=arguments.json)
    folder = source.resolve().parent.parent
    if report_of(folder) == source.resolve():
        _say_damage(folder)
    return 0


def _as_far_as_settled(folder: Path, perftest: bool, *, as_json: bool) -> int:
    start_loading()
    # another process is ready to draw only after a second
    with drawing_beside() if are_large(folder.glob("rows/**/*.json.gz")) else nullcontext():
        report = with_drift(settled_report(folder), folder)
        written = write(report, folder / "report", perftest=perftest)
    _conclude(report, written, as_json=as_json)
    if has_ended(folder):
        line = f"{folder.name} came to its end, and had no report any more: it was made anew from its rows"
    elif is_under_way(folder):
        line = f"{folder.name} is under way: this is what was settled until now"
    else:
        own = folder.with_name(report.run_id)  # as it was called before it was renamed
        again = "" if own == folder else f"name its folder {report.run_id} again, and then "
        line = f"{folder.name} did not come to its end; to resume it: {again}{resume_command(own)}"
    print(line, file=sys.stderr)
    _say_damage(folder)
    return 0


def _say_damage(folder: Path) -> None:
    """Of files of the run's folder that the report could do without."""
    for error in damaged_documents(folder):
        print(f"damaged: {printable(str(error))}", file=sys.stderr)


def write(report: Report, folder: Path, but: str = "", *, perftest: bool = False) -> list[Path]:
    """Write the report's files.

    :param but: the name of one that stays as it is
    :param perftest: the results in PerfTest's form, too
    :raises InputError: the folder cannot be written
    """
    files = {name: body for name, body in render_all(report).items() if name != but}
    if perftest:
        files[PERFTEST] = perftest_json(report).encode()
    try:
        for name, body in files.items():
            write_whole(folder / name, body)
    except OSError as error:
        why = "is no folder" if folder.exists() and not folder.is_dir() else error.strerror or error
        what = "move it away" if why == "is no folder" else "make it writable, or copy it"
        remedy = f"{folder} cannot be written ({why}); {what}"
        raise InputError("breakeven report", "run", report.run_id, remedy) from error
    return [folder / name for name in files]


def _conclude(report: Report, written: list[Path], *, as_json: bool) -> None:
    if as_json:
        print_json(_document(report, written))
        return
    console = Terminal()
    if report.source:
        _print_tables(report, console)
    else:
        print_summary(report, console)
    say(console, f"report: {written[0].with_name('index.html')}")
    if report.is_in_doubt:
        line = f"the self-test of {report.run_id} failed (exit code {SELF_TEST_FAILED} of its run)"
        say(console, f"{line}; this command ends with {OK}, as the report was written")


def _document(report: Report, written: list[Path]) -> dict[str, Any]:
    return {
        "run_id": report.run_id,
        "written": [str(path) for path in written],
        "verdict": report.verdict,
        "self_test": instrument_findings.outcome(report),
        "cases": cases_of(report),
    }


def _published(letter: str, runs: Path, *, as_json: bool) -> int:
    """Write the report of the source, print its tables and where the report is; returns the exit code.

    :raises InputError: there is no such source, its file is damaged, or ``runs`` cannot be written
    """
    report, folder = write_report(letter, runs)
    if as_json:
        written = [str(path) for path in sorted(folder.iterdir())]
        print_json({"run_id": report.run_id, "written": written, "verdict": report.verdict})
    else:
        console = Terminal()
        _print_tables(report, console)
        say(console, f"report: {folder / 'index.html'}")
    return 0


def _print_tables(report: Report, console: Console) -> None:
    """The source's tables as aligned plain text, with what they do not say beneath, and the verdict."""
    for table in comparison_tables(report, None):
        console.print()
        print_styled(console, f"{table.caption} (published)", "bold")
        print_rows(console, *table_rows(table))
        for note in table.notes:
            print_styled(console, note, "dim", wrap=console.is_terminal)
    console.print()
    print_answer(report, console)
    console.print()


def table_rows(table: Table) -> tuple[list[list[str]], range]:
    """Rows, the first of titles; and which of their cells are figures."""
    sections = any(row.section for row in table.rows)
    header = [*([""] if sections else []), *table.label_titles, *table.titles]
    body = [[*([row.section] if sections else []), *row.labels, *row.cells] for row in table.rows]
    return [header, *body], range(len(header) - len(table.columns), len(header))
