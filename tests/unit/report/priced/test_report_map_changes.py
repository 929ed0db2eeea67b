"""The decision map in words has the rates of the verdict's eight hours and of the crossings."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from breakeven.report.contract.cost_model import DecisionMap, MapRow
from breakeven.report.money.lookup_tables import map_table
from breakeven.report.money.priced.map_changes import change_rates
from tests.fixtures.report import money, sample

PLAN = sample.planned()[:2]


def test_of_eight_hours_and_of_none_it_says_what_verdict_and_crossings_say() -> None:
    report = sample.report(PLAN, **money.answers(deployment="trio", amazon_mq=None))
    table = map_table(report)
    assert table
    rows = {row.labels[0]: row.cells for row in table.rows}
    assert rows["8"] == ("m7g.large from 273 msg/s", "m7g.large from 13,600 msg/s")
    assert "than SQS as used from about 273 a second and than SQS batched from about 13,600" in report.verdict
    assert rows["0"] == ("m7g.large from 66.7 msg/s", "m7g.large from 2,680 msg/s")
    assert "below about 2,680 messages a second" in report.verdict


@dataclass(frozen=True)
class Case:
    """A map of two rates: types at either, and what is cheapest from the second on."""

    types: tuple[str, str]
    cheapest: tuple[str, str]
    hours: float
    rate: float


@pytest.mark.parametrize(
    "case",
    [
        # SQS $0 and $100, the cluster $40: they meet at 10 + 90 * 0.4
        Case(("a", "a"), ("sqs-batched", "a"), 0.0, 46.0),
        # one hour at $30 more
        Case(("a", "a"), ("sqs-batched", "a"), 1.0, 73.0),
        # another type at the second rate: no straight line between them
        Case(("a", "b"), ("sqs-batched", "b"), 0.0, 100.0),
        # of two types the map has one's bill only
        Case(("a", "b"), ("a", "b"), 0.0, 100.0),
        # its own hours are in it
        Case(("amazon-mq", "amazon-mq"), ("sqs-batched", "amazon-mq"), 0.0, 100.0),
    ],
)
def test_a_rate_is_read_off_the_line_between_two_that_were_priced(case: Case) -> None:
    one = DecisionMap(
        question_id="q",
        sqs_option="sqs-batched",
        msg_per_s=[10.0, 100.0],
        sqs_usd=[0.0, 100.0],
        best_other=list(case.types),
        other_usd=[40.0, 40.0],
        rows=[MapRow(hours=case.hours, from_msg_per_s=[10.0, 100.0], cheapest=list(case.cheapest))],
    )
    assert change_rates(one, one.rows[0], 30.0) == pytest.approx([10.0, case.rate])
