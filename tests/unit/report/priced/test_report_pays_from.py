"""Rates from which on one's own cluster pays with eight hours of staff time a month, and their intervals."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ
from breakeven.report.building.pays_from import reaching
from breakeven.report.contract.cost_model import BreakEvenHours, PaysFrom
from breakeven.report.contract.crossing_model import EmptyReceives
from breakeven.report.contract.report_model import Report
from breakeven.report.money.break_even import money as money_detail
from tests.fixtures.report import money, sample
from tests.fixtures.report.spoken import in_detail

PLAN = sample.planned()[:2]


def report_of(**inputs: Any) -> Report:
    return sample.report(PLAN, **money.answers(**inputs))


def pays_from(report: Report, sqs: str, other: str = RABBITMQ) -> PaysFrom | None:
    (found,) = [
        row.pays_from
        for row in report.break_even_hours
        if (row.question_id, row.sqs_option, row.other_option) == (sample.QUESTION, sqs, other)
    ]
    return found


def test_its_ends_are_worked_by_hand() -> None:
    """A pair costs $129.34 and 5.722e-8 a message of 1 KiB, SQS $0.2 less at no message. With $600 of work:

    as used, 3 requests of $0.4 a million: 729.54 / 1.1428e-6 = 638 million a month, 243 a second; with one
    empty receive a message 729.54 / 1.5428e-6: 180. Batched, 0.3 requests: 729.54 / 6.278e-8: 4,422; half
    full, 0.6 requests: 729.54 / 1.8278e-7: 1,519.
    """
    report = report_of()
    used, batched = pays_from(report, AS_USED), pays_from(report, BATCHED)
    assert used
    assert batched
    assert used.interval == (pytest.approx(180, rel=0.001), pytest.approx(243, rel=0.001))
    assert used.interval[1] == used.msg_per_s
    assert batched.interval == (pytest.approx(1519, rel=0.001), pytest.approx(4422, rel=0.001))
    assert used.is_sure
    assert batched.is_sure
    assert pays_from(report, AS_USED, AMAZON_MQ) is None


@pytest.mark.parametrize("inputs", [{}, {"message_bytes": 512}, {"batch_fill": 0.8}])
def test_they_are_the_crossings_of_the_question_with_as_many_hours(inputs: dict[str, Any]) -> None:
    found, asked = report_of(**inputs), report_of(**inputs, hours=8.0)
    for sqs in (AS_USED, BATCHED):
        pays = pays_from(found, sqs)
        (crossing,) = [
            one
            for one in asked.crossovers
            if (one.question_id, one.sqs_option, one.other_option) == (sample.QUESTION, sqs, RABBITMQ)
        ]
        assert pays
        assert pays.msg_per_s == pytest.approx(crossing.msg_per_s, rel=1e-4)
        assert (pays.interval is None) == (crossing.interval is None)
        if pays.interval and crossing.interval:
            assert pays.interval == pytest.approx(crossing.interval, rel=1e-4)


def saved_at(report: Report, sqs: str) -> list[tuple[float, float]]:
    """Rates priced, and what is left of what is saved after eight hours at $75."""
    (row,) = [
        row
        for row in report.break_even_hours
        if (row.question_id, row.sqs_option, row.other_option) == (sample.QUESTION, sqs, RABBITMQ)
    ]
    return [(rate, saved - 600.0) for rate, saved in zip(row.msg_per_s, row.saved_usd, strict=True)]


@pytest.mark.parametrize(
    ("capacity", "form"),
    [(900.0, "pair"), *((capacity, "trio") for capacity in (450.0, 500.0, 550.0, 12_000.0))],
)
def test_with_steps_of_clusters_it_is_in_its_interval_and_pays_at_every_rate_priced_above(
    capacity: float, form: str
) -> None:
    report = report_of(capacity_msg_per_s=capacity, deployment=form, amazon_mq=None)
    for sqs in (AS_USED, BATCHED):
        found = pays_from(report, sqs)
        assert found
        if found.msg_per_s is None:
            continue
        assert found.low_msg_per_s <= found.msg_per_s <= found.high_msg_per_s
        assert all(left > 0 for rate, left in saved_at(report, sqs) if rate >= found.msg_per_s)
        assert not all(left > 0 for rate, left in saved_at(report, sqs))


def test_a_capacity_moves_it_both_ways() -> None:
    report = report_of(capacity_msg_per_s=900.0, amazon_mq=None)
    used = pays_from(report, AS_USED)
    assert used
    assert used.interval
    assert used.msg_per_s
    ends = f"(between {used.interval[0]:.0f} and {used.interval[1]:.0f})"
    assert f"from about {used.msg_per_s:.0f} msg/s on {ends}" in in_detail(report)["Staff time"]


def test_at_no_rate_it_is_said_what_it_would_be_at_best() -> None:
    """3 KiB: full batches cost less than a message's traffic between zones, and half full ones more."""
    report = report_of(message_bytes=3072)
    batched = pays_from(report, BATCHED)
    assert batched
    assert (batched.msg_per_s, batched.corners_with, batched.corners) == (None, 1, 2)
    said = in_detail(report)["Staff time"]
    assert "than SQS batched at no rate (at best from about 4,780) (priced up to" in said


def test_a_rate_that_may_not_be_there_says_so() -> None:
    report = report_of()
    rows = [
        row.model_copy(
            update={"pays_from": row.pays_from.model_copy(update={"corners_with": row.pays_from.corners - 1})}
        )
        if row.pays_from
        else row
        for row in report.break_even_hours
    ]
    said = {
        one.subject: one.text for one in money_detail(report.model_copy(update={"break_even_hours": rows}))
    }
    assert "from about 243 msg/s on (between 180 and 243, or no crossing) and" in said["Staff time"]


def curve(question_id: str, saved: list[float]) -> BreakEvenHours:
    return BreakEvenHours(
        question_id=question_id,
        sqs_option=AS_USED,
        other_option=RABBITMQ,
        hour_usd=75.0,
        msg_per_s=[1.0, 1000.0],
        saved_usd=saved,
        hours=[0.0, 0.0],
    )


def test_the_interval_reaches_to_the_empty_receives_that_a_run_counted() -> None:
    sure = PaysFrom(
        hours=8, msg_per_s=400.0, low_msg_per_s=300.0, high_msg_per_s=400.0, corners=2, corners_with=2
    )
    asked = curve("q", [0.0, 1500.0]).model_copy(update={"pays_from": sure})
    counts = [
        {"question_id": "q.4-empty", "per_message": 4.0},
        {"question_id": "q.8-empty", "per_message": 8.0},
    ]
    varied = [({}, curve("q.4-empty", [0.0, 3000.0])), ({}, curve("q.8-empty", [0.0, 6000.0]))]
    counted = EmptyReceives(question_id="q", case_id="c", per_message=4.0, msg_per_s=20.0)
    (wider,) = reaching([asked], varied, counts, counted)
    assert wider.pays_from
    # 600 of 3,000 dollars are saved a fifth of the way from 1 to 1,000
    assert wider.pays_from.interval == (pytest.approx(1 + 999 / 5), 400.0)
    assert reaching([asked], varied, counts, None) == [asked]
