"""The table of prices: each with its unit, source and date, and whose list it is in."""

from __future__ import annotations

from breakeven.report.money.priced.price_sources import price_sources_table
from tests.fixtures.report import money, sample

PLAN = sample.planned()[:2]


def test_each_price_has_its_unit_source_and_date():
    report = sample.report(PLAN, **money.answers())
    table = price_sources_table(report)
    (request, *_) = [row for row in table.rows if row.labels == ("sqs/standard_request",)]
    assert request.section == "us-east-1@2026-11-20, prices of us-east-1"
    assert request.cells[:3] == ("$0.0000004", "request", "0 to 100 billion")
    assert request.cells[3] == "2026-10-08"
    assert request.cells[4] == "AWS"
    assert "Infracost Cloud Pricing API on 2026-10-08" in request.cells[5]
    units = {row.cells[1] for row in table.rows}
    assert {"GB", "GB month"} <= units
    assert not any("gb" in unit for unit in units)
    free = next(row for row in table.rows if row.labels == ("sqs/free_request",))
    assert (free.cells[0], free.cells[2]) == ("$0", "0 to 1.00 million")
    article = [row for row in table.rows if row.section.startswith("2012-12")]
    assert [row.labels[0] for row in article] == ["sqs/standard_request", "ec2/m1.small"]
    assert {row.cells[4] for row in article} == {"\u2013"}
    brokers = [row for row in table.rows if "mq.m7g.large" in row.labels[0]]
    assert {row.cells[4] for row in brokers} == {"third parties"}
    priced = {line.service + "/" + line.item for bill in report.bills for line in bill.lines}
    assert priced <= {row.labels[0] for row in table.rows}


def test_a_price_of_the_questions_own_says_who_gave_it():
    table = price_sources_table(sample.report(PLAN, **money.answers(hours=4.0, hour_rate=90.0)))
    (hour,) = [row for row in table.rows if row.labels == ("people/hour",)]
    assert hour.cells[:3] == ("$90", "hour", "all")
    assert hour.cells[4:] == ("\u2013", "given with the question, or assumed")
