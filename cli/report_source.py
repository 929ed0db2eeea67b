"""Reports of the folder of runs, for commands that read them: where they are, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from pydantic import ValidationError

from breakeven.errors import InputError, first_fault
from breakeven.report.contract.of_today import of_today
from breakeven.report.contract.report_model import Report
from breakeven.workload.json_text import JsonFault, parse_json
from breakeven.workload.problems import shown
from cli.command_name import command
from local.stored.earlier_reports import report_of
from local.stored.published_report import PREFIX
from local.stored.settled_report import can_be_made_anew, has_records, is_unfinished, settled_report

SOURCE = "report.json"
#: of a report whose run has left too little
NOT_ANEW = "the run's rows are not all there to make it anew: restore the file, or start a new run"


def unfinished(target: str, runs: Path) -> Path | None:
    """The folder of the run of that name, where it did not come to its end."""
    places = (runs / target, Path(target))
    return next((place.resolve() for place in places if is_unfinished(place)), None)


def load(target: str, runs: Path, asked_by: str) -> Report:
    """The report of a run, as far as it is settled, by its id, ``latest`` or a path.

    :param asked_by: the command that an error names
    :raises InputError: there is no such run, nothing of it is settled, or its file is damaged
    """
    folder = unfinished(target, runs)
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
        else f"no run in {runs} has one; {command('run quick')} makes one"
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
