"""``breakeven report``: a run's report again from its ``report.json``, or from the rows of a run that did not
come to its end; or what a source published.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from shlex import quote
from typing import Any

from pydantic import ValidationError
from rich.console import Console

from breakeven.errors import InputError, first_fault
from breakeven.published.rows import SOURCES
from breakeven.report.contract.of_today import of_today
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Table
from breakeven.report.render.perftest_json import perftest_json
from breakeven.report.render.report_files import render_all
from breakeven.report.tables import instrument_findings
from breakeven.report.tables.scenario_tables import comparison_tables
from breakeven.workload.json_text import JsonFault, parse_json
from breakeven.workload.problems import shown
from cli.command_name import command
from cli.exit_codes import OK, SELF_TEST_FAILED
from cli.running.outcome import resume_command
from cli.running.summary import cases_of, print_answer, print_summary
from cli.terminal import print_json, print_rows, print_styled, say
from local.stored.earlier_reports import report_of, with_drift
from local.stored.published_report import PREFIX, write_report
from local.stored.settled_cases import is_under_way
from local.stored.settled_report import (
    can_be_made_anew,
    has_ended,
    has_records,
    is_unfinished,
    settled_report,
)
from local.stored.whole_files import write_whole

SOURCE = "report.json"
PERFTEST = "perftest.json"
#: of a report whose run has left too little
NOT_ANEW = "the run's rows are not all there to make it anew: restore the file, or start a new run"


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
    if folder := _unfinished(target, arguments.runs):
        return _as_far_as_settled(folder, arguments.perftest, as_json=arguments.json)
    source = find(target, arguments.runs)
    report = with_drift(read(source), source.resolve().parent.parent)
    written = write(report, source.parent, but=SOURCE, perftest=arguments.perftest)
    _conclude(report, written, as_json=arguments.json)
    return 0


def _unfinished(target: str, runs: Path) -> Path | None:
    """The folder of the run of that name, where it did not come to its end."""
    places = (runs / target, Path(target))
    return next((place.resolve() for place in places if is_unfinished(place)), None)


def _as_far_as_settled(folder: Path, perftest: bool, *, as_json: bool) -> int:
    report = with_drift(settled_report(folder), folder)
    _conclude(report, write(report, folder / "report", perftest=perftest), as_json=as_json)
    if has_ended(folder):
        line = f"{folder.name} came to its end, and had no report any more: it was made anew from its rows"
    elif is_under_way(folder):
        line = f"{folder.name} is under way: this is what was settled until now"
    else:
        own = folder.with_name(report.run_id)  # as it was called before it was renamed
        again = "" if own == folder else f"name its folder {report.run_id} again, and then "
        line = f"{folder.name} did not come to its end; to resume it: {again}{resume_command(own)}"
    print(line, file=sys.stderr)
    return 0


def load(target: str, runs: Path, asked_by: str) -> Report:
    """The report of a run, as far as it is settled, by its id, ``latest`` or a path.

    :param asked_by: the command that an error names
    :raises InputError: there is no such run, nothing of it is settled, or its file is damaged
    """
    folder = _unfinished(target, runs)
    return settled_report(folder) if folder else read(find(target, runs, asked_by))


def find(target: str, runs: Path, asked_by: str = "breakeven report") -> Path:
    """``report.json`` of a run's id, of ``latest``, or of a path to it, its folder or its run's folder.

    :param asked_by: the command that an error names
    :raises InputError: nothing of that name has one
    """
    for place in (runs / target, Path(target)):
        for path in (place, place / SOURCE, place / "report" / SOURCE):
            if path.is_file():
                return path
            if path.name == SOURCE and path.is_dir():
                raise InputError(asked_by, "run", target, f"{path} is a folder; {_other_than(path)}")
    if runs.exists() and not runs.is_dir():
        remedy = "is no folder; name the one that has the runs"
        raise InputError(asked_by, "--runs", str(runs), remedy)
    names = sorted({path.parents[1].name for path in runs.glob(f"*/report/{SOURCE}")} - {"latest"})
    known = [name for name in names if not name.startswith(PREFIX)]
    remedy = (
        f"there are {', '.join(known[-5:])}"
        if known
        else f"no run in {runs} has one; {command('run')} makes one"
    )
    raise InputError(asked_by, "run", target, f"no {SOURCE} there; {remedy}")


def read(source: Path) -> Report:
    """The report of a ``report.json``, of which an earlier version's is as today's.

    :raises InputError: it cannot be read, or is no report of this version's schema
    """
    try:
        body = source.read_bytes()
        found = of_today(Report.model_validate_json(body))
    except OSError as error:
        raise InputError(str(source), "file", source.name, f"cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise _damaged(source, body, error) from error
    _check_questions(source, found)
    return found


def _check_questions(source: Path, report: Report) -> None:
    """Each crossing is shown with what was asked for it.

    :raises InputError: of one that is not there
    """
    asked = {question.question_id for question in report.cost_questions}
    for number, crossing in enumerate(report.crossovers):
        if crossing.question_id not in asked:
            field = f"crossovers.{number}.question_id"
            remedy = f"is no question of cost_questions; {_other_than(source)}"
            raise InputError(str(source), field, crossing.question_id, remedy)


def _damaged(source: Path, body: bytes, error: ValidationError) -> InputError:
    """What is wrong with a report, and what to do about it."""
    with_remedy = _other_than(source)
    try:
        parse_json(body)
    except JsonFault as fault:
        return fault.of_file(str(source), with_remedy)
    field, first, wrong = first_fault(error, "report")
    # of what Python's library reads as JSON and pydantic's does not, the input is the whole file
    found = None if first["type"] in {"missing", "json_invalid"} else shown(first["input"])
    return InputError(str(source), field, found, f"{wrong}; {with_remedy}")


def _other_than(source: Path) -> str:
    """What to do about a report that is damaged, or of another version."""
    folder = source.resolve().parent.parent
    if report_of(folder) == source.resolve() and has_records(folder):
        anew = made_anew(folder)
        return f"remove it, and {anew}" if anew else NOT_ANEW
    return f"give a {SOURCE} as docs/report.schema.json describes it"


def made_anew(folder: Path) -> str:
    """What makes the report of a run's folder anew; empty where that cannot be done."""
    if not can_be_made_anew(folder):
        return ""
    return f"{command(f'report {quote(str(folder))}')} makes it anew from the run's rows"


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
        remedy = f"{folder} cannot be written ({error.strerror or error}); make it writable, or copy it"
        raise InputError("breakeven report", "run", report.run_id, remedy) from error
    return [folder / name for name in files]


def _conclude(report: Report, written: list[Path], *, as_json: bool) -> None:
    if as_json:
        print_json(_document(report, written))
        return
    console = Console()
    if report.source:
        _print_tables(report, console)
    else:
        print_summary(report, console)
    say(console, f"report: {written[0].with_name('index.html')}")
    if report.is_in_doubt:
        line = f"the self-test of {report.run_id} failed, of which its run says exit code {SELF_TEST_FAILED}"
        say(console, f"{line}; this command's {OK} says that the report was written")


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
        console = Console()
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
