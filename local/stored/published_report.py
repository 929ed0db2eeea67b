"""The report of what a source published: its figures as rows, through the queries that every run is asked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from breakeven.errors import InputError
from breakeven.pricing.bill.article import article_question
from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.questions import price_books
from breakeven.published.rows import SOURCES, Published, load_shipped, shipped
from breakeven.report.building.published_as_rows import ENVIRONMENT, VARIANT, rows, source_of
from breakeven.report.building.query_answers import Answers, RunRecord
from breakeven.report.building.report_builder import build_report
from breakeven.report.contract.report_model import Manifest, Report
from breakeven.report.render.report_files import render_all
from breakeven.results.queries import queries
from breakeven.version import VERSION
from local.stored.answers import ask, write_rows

#: of the folders that such reports are in, among those of runs
PREFIX = "published-"
Rows = Sequence[Mapping[str, Any]]


def write_report(letter: str, runs: Path) -> tuple[Report, Path]:
    """Write rows and report of a source to ``runs/published-<letter>/``.

    :param letter: of the source, in either case
    :returns: the report, and the folder that it is in
    :raises InputError: there is no such source, its file is damaged, or the folder cannot be written
    """
    letter = letter.upper()
    if letter not in SOURCES:
        remedy = f"sources with published rows are {', '.join(SOURCES)}"
        raise InputError("breakeven report", "--published", letter, remedy)
    folder = runs / f"{PREFIX}{letter.lower()}" / "report"
    try:
        report = published_report(letter, runs)
        folder.mkdir(parents=True, exist_ok=True)
        for name, body in render_all(report).items():
            (folder / name).write_bytes(body)
    except OSError as error:
        raise _unwritable(runs, error) from error
    return report, folder


def published_report(letter: str, runs: Path) -> Report:
    """The report of a source, whose rows are written to ``runs``.

    :param letter: of the source, a capital
    :raises InputError: its file is damaged
    :raises OSError: the rows cannot be written
    """
    published = load_shipped(SOURCES[letter])
    run_id = f"{PREFIX}{letter.lower()}"
    asked = Asked((article_question(),) if published.breakeven else ())
    tables = write_rows(runs / run_id, run_id, {**rows(published), **asked.rows()})
    return _build(run_id, published, asked, ask(tables, run_id, list(queries())))


def _unwritable(runs: Path, error: OSError) -> InputError:
    remedy = f"cannot be written: {error.strerror}; give another folder"
    return InputError("breakeven report", "--runs", str(runs), remedy)


def _build(run_id: str, published: Published, asked: Asked, answered: Mapping[str, Rows]) -> Report:
    # queries sort by id; a reader wants the order of the source
    ordered = {**answered, "cases": _in_order(published, answered["cases"])}
    answers = Answers(**ordered, cost=asked.to_json())
    record = RunRecord(
        run_id=run_id,
        suite=published.id,
        title=published.title,
        variant=VARIANT,
        started_at="",
        finished_at="",
        environment=ENVIRONMENT,
        planned=(),
        source=source_of(published),
    )
    return build_report(record, _manifest(published, asked), answers)


def _in_order(published: Published, cases: Rows) -> Rows:
    order = [row["case_id"] for row in rows(published)["cases"]]
    return sorted(cases, key=lambda case: order.index(case["case_id"]))


def _manifest(published: Published, asked: Asked) -> Manifest:
    return Manifest(
        project_version=VERSION,
        scenario_sha256=hashlib.sha256(shipped(published.id).read_bytes()).hexdigest(),
        seed=0,
        rabbitmq=published.setup.get("rabbitmq"),
        sqs=None,
        versions={},
        hardware={},
        price_books=price_books(asked.questions),
        notes=[],
    )
