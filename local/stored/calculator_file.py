"""The calculator's file: a question that SQL answers at a book's prices, and what sources published."""

from __future__ import annotations

import tempfile
from pathlib import Path

from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.questions import price_books
from breakeven.pricing.bill.variations import ask_all
from breakeven.pricing.prices.book_files import load_book
from breakeven.published.rows import SOURCES
from breakeven.report.building.query_answers import Answers, RunRecord
from breakeven.report.building.report_builder import build_report
from breakeven.report.contract.report_model import Manifest, Report
from breakeven.report.money.price_assumptions import money_assumptions
from breakeven.report.render.calculator import calculator
from breakeven.report.render.page_data import USUAL_RATE
from breakeven.results.queries import queries
from breakeven.version import VERSION
from local.stored.answers import answers
from local.stored.published_report import published_report

TITLE = "Amazon SQS or your own RabbitMQ: a calculator"


def calculator_page(region: str) -> str:
    """The file's text.

    :param region: whose prices it opens with; the others' are in it, too
    :raises InputError: no book of the region is shipped
    """
    money = money_report(region)
    with tempfile.TemporaryDirectory(prefix="breakeven-") as folder:
        sources = [published_report(letter, Path(folder)) for letter in SOURCES]
    return calculator(money, sources)


def money_report(region: str) -> Report:
    """A report of no case: what the options cost with every input as it is unless said.

    :raises InputError: no book of the region is shipped
    """
    inputs = Inputs(msg_per_s=USUAL_RATE)
    asked = ask_all("today", inputs, load_book(region))
    found = answers(asked.rows(), list(queries()))
    record = RunRecord(
        run_id="calculator",
        suite="calculator",
        title=TITLE,
        variant="equal-guarantees",
        started_at="",
        finished_at="",
        environment="elsewhere",
        planned=(),
    )
    manifest = Manifest(
        project_version=VERSION,
        scenario_sha256="",
        seed=0,
        rabbitmq=None,
        sqs=None,
        versions={},
        hardware={},
        price_books=price_books(asked.of("headline")),
        notes=[],
    )
    report = build_report(record, manifest, Answers(**found, cost=asked.to_json()))
    # nothing was measured: no table says that nothing near a crossing was
    return report.model_copy(update={"crossing_latencies": [], "assumptions": money_assumptions(report)})
