"""Crossings by message size and zones: those of the question with that size, up to the next change."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.report.contract.report_model import Report
from breakeven.report.money.by_size import RANGES, by_size_table, size_and_zones
from breakeven.report.money.option_words import changes
from breakeven.words import figure
from tests.fixtures.report import money, sample

PLAN = sample.planned()[:2]


def report_of(**inputs: Any) -> Report:
    return sample.report(PLAN, **money.answers(**inputs))


@pytest.fixture(scope="module")
def report() -> Report:
    return report_of()


def cells_by_position(table: Any) -> dict[str, tuple[str, ...]]:
    return {row.labels[0]: row.cells for row in table.rows}


def test_crossings_by_size_and_zones(report):
    table = by_size_table(report)
    assert [title for title, _ in table.groups] == ["SQS as used", "SQS batched and long-polled"]
    assert table.columns == ("2 zones", "1 zone") * 2
    rows = cells_by_position(table)
    # sent to the mirror and back 3 times: 129.536 / (1.2e-6 - 3 x (1,024 + 360) x 2 / 2^30 x 0.01) a month;
    # batched, 129.536 / (0.12e-6 - 0.0773e-6), until its third tier of $0.072 has used up what was saved
    assert rows["1 KiB"] == ("43.9", "41.1", "1,160 to 676,000", "411")
    assert rows["16 KiB"][:2] == ("186 to 27,300", "41.1")
    assert (rows["24 KiB"][0], rows["2 KiB"][2]) == ("never", "never")
    assert rows["32 KiB"] == rows["64 KiB"][:1] + rows["32 KiB"][1:]
    single = by_size_table(report_of(broker_zones=1))
    assert single.columns == ("1 zone", "1 zone")


def test_a_crossing_by_size_is_that_of_the_question_with_this_size():
    asked = report_of(message_bytes=8192, broker_zones=1, client_zone_share=0.0)
    own = [figure(own_crossings(asked, option)[0].msg_per_s) for option in ("sqs-as-used", "sqs-batched")]
    by_size = cells_by_position(by_size_table(report_of()))["8 KiB"]
    assert own == [by_size[1], by_size[3]]


def test_where_brokers_win_below_or_everywhere_the_cell_says_so(report):
    rows = [
        row.model_copy(update=change)
        for row, change in zip(
            report.crossovers_by_size,
            (
                {"cheaper_below": "rabbitmq", "cheaper_above": "sqs-as-used", "msg_per_s": 7.0},
                {"cheaper_below": None, "cheaper_above": "rabbitmq", "msg_per_s": None, "kind": "never"},
            ),
            strict=False,
        )
    ]
    table = by_size_table(report.model_copy(update={"crossovers_by_size": rows}))
    assert table.rows[0].cells == ("below 7.00", "every rate")


def test_a_crossing_by_size_goes_on_to_the_next_change_where_there_is_one():
    report = report_of(capacity_msg_per_s=3000.0)
    table, asked = by_size_table(report), report_of(capacity_msg_per_s=3000.0, message_bytes=16_384)
    (first, again) = [row.msg_per_s for row in changes(own_crossings(asked, "sqs-as-used"))][:2]
    assert cells_by_position(table)["16 KiB"][0] == f"{figure(first)} to {figure(again)}" == "186 to 27,300"
    assert RANGES in table.notes
    once = [row for row in report.crossovers_by_size if not row.again_msg_per_s]
    assert RANGES not in by_size_table(report.model_copy(update={"crossovers_by_size": once})).notes
    assert size_and_zones(report).endswith(
        "than SQS batched first from about 411 to about 700 messages a second."
    )
    below = report.crossovers_by_size[0].model_copy(
        update={"cheaper_below": "rabbitmq", "cheaper_above": "sqs-as-used", "again_msg_per_s": 900.0}
    )
    found = by_size_table(report.model_copy(update={"crossovers_by_size": [below]}))
    assert found.rows[0].cells == ("below 42.3, above 900",)


def own_crossings(report, option):
    """Of the headline's own cluster."""
    question = report.headline_question.question_id
    return [
        row
        for row in report.crossovers
        if (row.question_id, row.sqs_option, row.other_option) == (question, option, "rabbitmq")
    ]
