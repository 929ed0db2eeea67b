"""Verdict and detail say what was found, and no more than that."""

from __future__ import annotations

from breakeven.report.building.verdict import detail, verdict
from breakeven.report.contract.report_model import Report
from tests.fixtures.report import sample
from tests.fixtures.report.spoken import in_detail

PLAN = sample.planned()
SQS_40 = "parallel.4.sqs-standard.r1"


def speeds(report: Report) -> str:
    return in_detail(report)["Speeds"]


def test_what_this_machine_did_is_said_of_rabbitmq_only():
    reported = speeds(sample.report())
    assert "The RabbitMQ mirrored pair confirmed 1,120 messages a second at p95 75.3 ms" in reported
    assert "parallel, 40 threads" in reported
    assert reported.count("on this machine, with loader and brokers sharing its cores") == 1
    assert "come from an emulator, ElasticMQ 1.7.1, and say nothing about SQS's speed" in reported
    fastest_emulated = max(c.produce.msg_per_s for c in sample.report().cases if c.provenance == "emulated")
    assert f"{fastest_emulated:.0f} messages a second" not in reported


def test_the_verdict_has_how_much_was_measured_where_and_that_nothing_was_lost():
    (*_, last) = sample.report().verdict.split("\n\n")
    assert (
        last
        == "All 24 cases were measured on this machine (SQS emulated), and none of 103,704 messages was lost."
    )
    under_way = sample.report().model_copy(update={"unsettled": 6})
    assert "24 of 30 cases were measured on this machine" in verdict(under_way)


def test_on_aws_the_service_itself_is_named():
    rows = [
        row | {"provenance": "measured", "environment": "aws", "flags": "[]"}
        for row in sample.answers(PLAN).cases
    ]
    report = sample.report(PLAN, cases=rows).model_copy(update={"environment": "aws"})
    reported = " ".join(one.text for one in detail(report))
    assert "All 24 cases were measured on AWS, and none of 103,704 messages was lost." in verdict(report)
    assert "Speeds were measured on AWS. SQS standard confirmed 487 messages a second" in reported
    assert "The RabbitMQ mirrored pair confirmed 1,120 messages a second" in reported
    assert "emulator" not in reported
    assert "sharing its cores" not in reported


def test_a_busy_loader_makes_it_a_lower_bound():
    rows = [row | {"flags": '["loader_saturated"]'} for row in sample.answers(PLAN).cases]
    assert "confirmed at least 1,120 messages a second" in speeds(sample.report(PLAN, cases=rows))


def test_without_confirms_nothing_is_said_to_be_confirmed():
    rows = [
        row | {"parameters": row["parameters"].replace('"confirms": true', '"confirms": false')}
        for row in sample.answers(PLAN).cases
    ]
    report = sample.report(PLAN, cases=rows)
    reported = " ".join((report.verdict, *in_detail(report).values()))
    assert "pair was sent, without confirms, 1,120 messages a second" in reported
    assert "confirmed" not in reported


def test_a_loss_is_said_and_named():
    ledgers = [
        sample.ledger_row(c, lost=7, missing=7) if c.case_id == SQS_40 else sample.ledger_row(c) for c in PLAN
    ]
    reported = sample.report(PLAN, ledger=ledgers).verdict
    assert (
        "LOST: 7 confirmed messages of 103,704 sent never came back: parallel, 40 threads on SQS" in reported
    )
    assert "was lost" not in reported
    assert "Messages" not in in_detail(sample.report(PLAN, ledger=ledgers))


def test_missing_without_a_known_loss_is_not_called_lost():
    ledgers = [sample.ledger_row(case, lost=None, missing=1) for case in PLAN[:1]]
    reported = sample.report(PLAN[:1], ledger=ledgers).verdict
    assert "1 message of 4,321 sent is missing" in reported
    assert "LOST" not in reported


def test_an_open_ledger_is_not_an_account():
    reported = sample.report(
        PLAN, ledger=[sample.ledger_row(case, closed=False, left_in_queue=4) for case in PLAN]
    ).verdict
    assert "Not all of the 103,704 messages sent are accounted for" in reported
    assert "and 19 more" in reported, "a long list is cut"


def test_failed_cases_are_named():
    rows = sample.failed(sample.answers(PLAN).cases, "it broke", SQS_40)
    reported = sample.report(
        PLAN, cases=rows, ledger=[sample.ledger_row(c) for c in PLAN if c.case_id != SQS_40]
    ).verdict
    assert "1 of 24 cases failed: parallel, 40 threads on SQS standard (emulated)." in reported
    assert (
        "23 of 24 cases were measured on this machine (SQS emulated), and none of 99,383 messages in the 23 "
        "cases with a ledger was lost." in reported
    )


def test_a_failed_case_is_never_the_fastest():
    rows = sample.failed(sample.answers(PLAN).cases, "it broke", "parallel.4.rabbitmq-mirrored-pair.r1")
    assert "1,120 messages a second" not in speeds(sample.report(PLAN, cases=rows))


def test_nothing_priced_and_nothing_measured():
    plan = PLAN[:2]
    rows = sample.failed(sample.answers(plan).cases, "it broke", *(case.case_id for case in plan))
    report = sample.report(plan, cases=rows, **sample.NOTHING)
    assert report.verdict.startswith("This run failed: none of its cases is ok")
    assert "This run priced nothing" in report.verdict
    assert "2 of 2 cases failed" in report.verdict
    assert verdict(report) == report.verdict
