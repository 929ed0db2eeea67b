"""Evidence that the page embeds of brokers' deaths and of sources: each row says whose it is."""

from __future__ import annotations

from typing import Any

from breakeven.published.rows import load_shipped
from breakeven.report.contents import GAIN, sections_of
from breakeven.report.render.page_data import page_data
from breakeven.report.sections.answer.broker_death import DOCUMENTED, WITH_LAMBDA, documented
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.fault_findings import finding
from tests.fixtures.report import sample
from tests.support.page import owner_report


def deaths() -> dict[str, Any]:
    data = page_data(owner_report.report())
    assert data is not None
    found: dict[str, Any] = data["deaths"]
    return found


def test_a_killed_broker_of_the_run_is_there_with_the_reports_own_sentences() -> None:
    report = owner_report.report()
    (seen,) = deaths()["seen"]
    assert seen["said"] == finding(report.faults[0])
    assert (seen["side"], seen["origin"], seen["source"]) == ("pair", "measured", None)
    assert (seen["message_bytes"], seen["msg_per_s"]) == (1024, 1000.0)


def test_a_run_without_faults_has_none() -> None:
    data = page_data(sample.report(sample.planned()[:2]))
    assert data is not None
    assert data["deaths"]["seen"] == []
    assert data["published"] == {}
    assert {one["source"] for one in data["latencies"]} <= {None}


def test_every_form_of_queue_has_what_its_makers_document_and_where() -> None:
    forms = {"sqs", "fifo", "single", "pair", "trio", "amazon-mq-single", "amazon-mq-cluster"}
    found = deaths()["documented"]
    assert found.keys() == forms
    assert all(
        one["url"].startswith(("https://www.rabbitmq.com/", "https://docs.aws.")) for one in found.values()
    )
    assert all(one["as_of"] and one["source"] for one in found.values())
    assert deaths()["with_lambda"] == WITH_LAMBDA


def test_the_report_has_them_as_a_table_that_says_that_it_is_documented() -> None:
    (section,) = [one for one in sections_of(Subject(sample.report(), None)) if one.slug == "broker-death"]
    assert section.question == GAIN
    rows = [(*row.labels, *row.cells) for row in documented().rows]
    assert [row[0] for row in rows] == [one.name for one in DOCUMENTED]
    assert documented().notes[0].startswith("Documented, not measured, as of November 2026.")


def test_a_source_says_of_a_lost_broker_what_it_printed() -> None:
    rows = load_shipped("source-d").rows
    said = [row.figures.broker_lost for row in rows if row.figures and row.figures.broker_lost]
    assert said == ["no visible mark"] * 2
