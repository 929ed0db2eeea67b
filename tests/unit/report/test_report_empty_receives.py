"""Empty receives that the cases counted: shown, priced, and within the interval."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.report.building.counted_empty_receives import crossing_at
from breakeven.report.contract.report_model import Report
from breakeven.report.money.counted import counted_table
from breakeven.report.money.price_assumptions import money_assumptions
from tests.fixtures.report import money, sample
from tests.fixtures.report.spoken import in_detail

PLAN = sample.planned()[2:4]  # a case on each target
FIRST = ("us-east-1", "sqs-as-used", "rabbitmq")


def report_of(count: float | None, provenance: str = "measured", **inputs: Any) -> Report:
    """A report whose cases had so many empty receives a message."""
    answers = sample.answers(PLAN)
    cases = [row | {"provenance": provenance} for row in answers.cases]
    rows = [row | {"empty_per_message": count} for row in answers.throughput if row["metric"] == "consume"]
    others = [row for row in answers.throughput if row["metric"] != "consume"]
    return sample.report(PLAN, cases=cases, throughput=[*rows, *others], **money.answers(**inputs))


def crossing(report: Report) -> Any:
    found = {(row.question_id, row.sqs_option, row.other_option): row for row in report.crossovers}
    return found[FIRST]


@pytest.mark.parametrize("count", [0.3, 4.24, 700.0])
def test_the_crossing_with_as_many_is_that_of_a_question_that_gives_them(count: float) -> None:
    report = report_of(count, message_bytes=4096)
    given = crossing(report_of(None, message_bytes=4096, empty_receives=count))
    assert report.empty_receives is not None
    assert report.empty_receives.msg_per_s == pytest.approx(given.msg_per_s, rel=1e-3)
    assert crossing(report).low_msg_per_s <= given.msg_per_s * 1.001


def test_more_than_one_a_message_widens_the_interval_and_is_said() -> None:
    report, usual = report_of(4.24, message_bytes=4096), report_of(None, message_bytes=4096)
    assert crossing(usual).low_msg_per_s == pytest.approx(36.5, rel=0.01)
    assert crossing(report).low_msg_per_s == pytest.approx(18.6, rel=0.01)
    assert crossing(report).high_msg_per_s == crossing(usual).high_msg_per_s
    assert "only below about 52 a second (between 19 and 52)" in report.verdict
    noted = in_detail(report)
    assert "empty receives (none to the 4.24 that this run counted per message)" in noted["The break-even"]
    assert noted["Empty receives"] == (
        "Receives came back empty up to 4.24 times a message (parallel, 1 thread); with as many, "
        "the crossing would be at about 19 messages a second."
    )
    assert any(
        "goes up to the 4.24 that this run counted per message" in s for s in money_assumptions(report)
    )


def test_those_of_an_emulator_are_shown_and_leave_the_interval() -> None:
    report, usual = (report_of(count, "emulated", message_bytes=4096) for count in (4.24, None))
    assert crossing(report) == crossing(usual)
    noted = in_detail(report)
    assert "empty receives (none to one per message)" in noted["The break-even"]
    assert noted["Empty receives"] == (
        "Receives came back empty up to 4.24 times a message (parallel, 1 thread, emulated); if SQS answered "
        "with as many, the crossing would be at about 19 messages a second. The interval does not cover that."
    )


def test_what_the_interval_covers_is_not_said_to_be_beyond_it() -> None:
    noted = in_detail(report_of(0.5, "emulated", message_bytes=4096))["Empty receives"]
    assert "came back empty up to 0.500 times a message (parallel, 1 thread, emulated)" in noted
    assert "The interval does not cover that" not in noted
    none = in_detail(report_of(0.0, "emulated", message_bytes=4096))["Empty receives"]
    assert none == "No receive came back empty (emulated)."


def test_less_than_one_a_message_leaves_the_interval() -> None:
    report, usual = report_of(0.3), report_of(None)
    assert crossing(report) == crossing(usual)
    assert "none to one per message" in in_detail(report)["The break-even"]


def test_each_case_on_sqs_is_shown_with_what_it_would_add() -> None:
    table = counted_table(report_of(4.24, "emulated"))
    assert table
    ((row),) = table.rows  # RabbitMQ bills none
    assert row.origin == "emulated"
    # each is a request of $0.4 a million
    assert row.cells[:2] == ("4.24", "$1.70")


def test_where_none_was_counted_nothing_is_said() -> None:
    report = report_of(None)
    assert report.empty_receives is None
    assert counted_table(report) is None
    assert "Empty receives" not in in_detail(report)


def test_where_their_number_was_given_what_was_counted_moves_nothing() -> None:
    report = report_of(4.24, empty_receives=0.0)
    assert report.empty_receives is None
    assert crossing(report).interval is None


def test_between_two_crossings_the_reciprocal_is_linear() -> None:
    assert crossing_at(3.0, [(2.0, 10.0), (4.0, 5.0)]) == pytest.approx(1 / 0.15)
    assert crossing_at(2.0, [(2.0, 10.0), (4.0, 5.0)]) == 10.0
    assert crossing_at(5.0, [(2.0, 10.0), (4.0, 5.0)]) is None
    assert crossing_at(1.0, []) is None
