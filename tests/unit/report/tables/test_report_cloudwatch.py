"""What CloudWatch has of services, in a report: its figures, what is said of them, and what had not come."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from breakeven import words
from breakeven.report.building.report_builder import build_report
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Paragraph, Table
from breakeven.report.render.markdown import markdown
from breakeven.report.render.page import page
from breakeven.report.sections.over_time.watched_nodes import section
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.cloudwatch_tables import MOST_ROWS, NOT_READ
from tests.fixtures.report import sample

MQ = "amazon-mq-cluster"
PLAN = sample.planned((MQ,))[:2] + sample.planned((sample.SQS,))[:1]
FIRST, SECOND, QUEUED = (case.case_id for case in PLAN)
AT = "2026-11-27T05:00:00+00:00"
NODE = "rabbit@ip-10-0-0-1.ec2.internal"
CPU = {"metric": "SystemCpuUtilization", "statistic": "Average", "unit": "Percent"}
MEMORY = {"metric": "RabbitMQMemUsed", "statistic": "Average", "unit": "Bytes"}
DISK = {"metric": "RabbitMQDiskFree", "statistic": "Average", "unit": "Bytes"}
SENT = {"metric": "NumberOfMessagesSent", "statistic": "Sum", "unit": "Count"}
QUEUE = {"target": sample.SQS, "part": "queue", "name": None}


def figure(case_id: str = FIRST, **changed: Any) -> dict[str, Any]:
    """A row of the query: one metric of one node, of which three of four minutes have come."""
    usual = {"target": MQ, "part": "node", "name": NODE, **CPU, "mean": 71.5, "highest": 93.5, "total": None}
    usual |= {"lowest": 12.0}
    counts = {"minutes": 4, "known_minutes": 3, "whole_minutes": 2}
    return {"case_id": case_id, "provenance": "measured", "environment": "aws", **usual, **counts, **changed}


def report(*rows: dict[str, Any], at: str | None = AT, unread: str | None = None) -> Report:
    record = replace(sample.record(PLAN), metrics_read_at=at, metrics_unread=unread)
    answers = replace(sample.answers(PLAN), service_figures=list(rows))
    return build_report(record, sample.manifest(), answers)


def shown(made: Report) -> tuple[list[str], list[Table]]:
    """The section's paragraphs and tables."""
    found = section(Subject(made, None, with_charts=False))
    assert found
    said = ["".join(map(str, part.pieces)) for part in found.parts if isinstance(part, Paragraph)]
    return said, [part for part in found.parts if isinstance(part, Table)]


def test_processors_of_amazon_mqs_nodes_are_there_by_case_and_node() -> None:
    rows = [
        figure(),
        figure(**MEMORY, mean=3 * 2.0**20, highest=4 * 2.0**20),
        figure(**DISK, mean=4 * 2.0**20, lowest=2.0**20),
        figure(part="broker", name=None, mean=150.0, highest=210.0),
    ]
    said, (table,) = shown(report(*rows))
    assert "by CloudWatch, a minute each" in table.caption
    assert table.titles[:4] == [
        "processor, %: mean",
        "processor, %: highest minute",
        "memory used, MiB: mean",
        "memory used, MiB: highest minute",
    ]
    assert table.titles[6:8] == ["disk free, MiB: mean", "disk free, MiB: lowest minute"]
    node, broker = table.rows
    assert node.labels[1] == NODE
    assert node.cells[:4] == ("71.5", "93.5", "3.00", "4.00")
    assert node.cells[6:8] == ("4.00", "1.00")
    assert (broker.labels[1], broker.cells[:2]) == ("the broker, all nodes", ("150", "210"))
    assert (node.cells[-1], broker.cells[-1]) == ("9 of 12", "3 of 4")
    assert AT in said[0]


def test_what_has_not_come_is_a_dash_and_counted_and_a_zero_is_a_zero() -> None:
    none = {"mean": None, "highest": None, "known_minutes": 0}
    rows = [figure(**none), figure(SECOND, mean=0.0, highest=0.0)]
    _, (table,) = shown(report(*rows))
    assert [row.cells[:2] for row in table.rows] == [(words.NOTHING, words.NOTHING), ("0", "0")]
    assert [row.cells[-1] for row in table.rows] == ["0 of 4", "3 of 4"]


def test_sqs_has_a_table_of_its_own_with_sums_and_says_how_late_its_figures_are() -> None:
    sent = figure(QUEUED, **QUEUE, **SENT, mean=500.0, highest=700.0, total=1500.0)
    said, tables = shown(report(figure(), sent))
    assert {table.slug for table in tables} == {"cloudwatch-amazon-mq", "cloudwatch-amazon-sqs"}
    of_sqs = next(table for table in tables if table.slug.endswith("sqs"))
    assert of_sqs.titles[0] == "messages sent: in all"
    assert of_sqs.rows[0].cells[:2] == ("≥ 1,500", "≥ 700"), "as one of its four minutes has not come"
    whole = figure(QUEUED, **QUEUE, **SENT, highest=700.0, total=1500.0, known_minutes=4)
    assert shown(report(whole))[1][0].rows[0].cells[:2] == ("1,500", "700")
    assert "up to 15 minutes late" in said[0]
    assert "up to 15 minutes late" not in shown(report(figure()))[0][0]


def test_why_nothing_was_read_and_what_was_not_answered_is_said() -> None:
    said, tables = shown(report(at=None, unread="ReadMetrics: AccessDenied: no"))
    assert (said, tables) == ([f"{NOT_READ}: ReadMetrics: AccessDenied: no."], [])
    said, tables = shown(report(figure(), unread="InternalError of 2 metrics"))
    assert "Not all was answered: InternalError of 2 metrics." in said
    assert len(tables) == 1


def test_what_came_with_another_runs_cases_is_shown_whether_or_not_this_run_has_read() -> None:
    """One that had only its report left to make has nothing to ask for."""
    made = report(figure(), at=None)
    taken = [case.model_copy(update={"settled_in": "cut"}) for case in made.cases]
    said, (table,) = shown(made.model_copy(update={"cases": taken}))
    assert "that run's figures stand" in said[0]
    assert not any(NOT_READ in each or "asked once" in each for each in said)
    assert table.rows[0].labels[1] == NODE
    said, tables = shown(report(figure(), at=None, unread="ReadMetrics: AccessDenied: no"))
    assert f"{NOT_READ}: ReadMetrics: AccessDenied: no." in said
    assert len(tables) == 1


def test_a_report_in_which_nobody_was_to_ask_says_nothing_of_it() -> None:
    made = report(at=None)
    assert made.services is None
    assert section(Subject(made, None)) is None


def test_page_and_markdown_have_the_table(undrawn) -> None:
    made = report(figure())
    for text in (page(made, None), markdown(made, None)):
        assert NODE in text
        assert "by CloudWatch, a minute each" in text


@pytest.mark.parametrize("more", [0, 1])
def test_rows_are_not_without_end(more: int) -> None:
    rows = [figure(name=f"rabbit@{number:03}") for number in range(MOST_ROWS + more)]
    _, (table,) = shown(report(*rows))
    assert len(table.rows) == MOST_ROWS
    assert table.notes == (("1 more row in report.json.",) if more else ())
