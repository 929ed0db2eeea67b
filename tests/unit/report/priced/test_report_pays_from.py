"""Rates from which on one's own cluster pays with eight hours of staff time a month, and their intervals."""

from __future__ import annotations

import math
from typing import Any

import pytest

from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ
from breakeven.report.building.pays_from import with_pays_from
from breakeven.report.contract.cost_model import PaysFrom
from breakeven.report.contract.crossing_model import EmptyReceives
from breakeven.report.contract.report_model import Report
from breakeven.report.money.break_even import in_short
from breakeven.report.money.break_even import money as money_detail
from breakeven.report.money.priced.staffed_words import pays_words
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
    """A pair costs $129.34 and 7.734e-8 a message of 1 KiB, SQS $0.2 less at no message. With $600 of work:

    as used, 3 requests of $0.4 a million: 729.54 / 1.1227e-6 = 650 million a month, 247 a second; with one
    empty receive a message 729.54 / 1.5227e-6: 182. Batched, 0.3 requests: 729.54 / 4.266e-8: 6,507, but a
    cluster carries 7,040, and two cost less from 858.87 / 4.266e-8 on: 7,660; half full, 0.6 requests:
    729.54 / 1.6266e-7: 1,707.
    """
    report = report_of()
    used, batched = pays_from(report, AS_USED), pays_from(report, BATCHED)
    assert used
    assert batched
    assert used.interval == (pytest.approx(182.3, rel=0.001), pytest.approx(247.3, rel=0.001))
    assert used.interval[1] == used.msg_per_s
    assert batched.interval == (pytest.approx(1707, rel=0.001), pytest.approx(7660, rel=0.001))
    assert used.is_sure
    assert batched.is_sure
    assert pays_from(report, AS_USED, AMAZON_MQ) is None


@pytest.mark.parametrize(
    "inputs",
    [
        {"message_bytes": 512},
        pytest.param({"message_bytes": 256}, marks=pytest.mark.thorough),
        pytest.param({"batch_fill": 0.8}, marks=pytest.mark.thorough),
    ],
)
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
        assert pays.msg_per_s == pytest.approx(crossing.msg_per_s, rel=1e-9)
        assert (pays.interval is None) == (crossing.interval is None)
        if pays.interval and crossing.interval:
            assert pays.interval == pytest.approx(crossing.interval, rel=1e-9)


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
def test_with_steps_of_clusters_it_is_in_its_interval_and_pays_at_every_rate_priced_within(
    capacity: float, form: str
) -> None:
    report = report_of(capacity_msg_per_s=capacity, deployment=form, amazon_mq=None)
    for sqs in (AS_USED, BATCHED):
        found = pays_from(report, sqs)
        assert found
        if found.msg_per_s is None:
            continue
        assert found.low_msg_per_s <= found.msg_per_s <= found.high_msg_per_s
        until = found.until_msg_per_s or math.inf
        assert all(left > 0 for rate, left in saved_at(report, sqs) if found.msg_per_s <= rate < until)
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
    """3 KiB: full batches cost less than a message's traffic between zones, and half full ones more.

    3 x (3,072 + 360) B over a zone are 1.9177e-7, so that half full ones, 2.4e-7, save 4.823e-8. The network
    limits a cluster to 2,726 msg/s, and four of them cost 1,117.54 more: 8,817 a second.
    """
    report = report_of(message_bytes=3072)
    batched = pays_from(report, BATCHED)
    assert batched
    assert (batched.msg_per_s, batched.corners_with, batched.corners) == (None, 1, 2)
    said = in_detail(report)["Staff time"]
    assert "than SQS batched at no rate (at best from about 8,820) (priced up to" in said


def test_where_sqs_is_cheaper_again_above_it_is_said_up_to_where_it_pays() -> None:
    """10 KiB over three zones: traffic of $0.78 for a million messages, and $0.066 for clusters, which the
    network limits to 1,119 msg/s. SQS takes $1.2, from 33 billion messages on $0.9, from 67 billion $0.72.
    """
    report = report_of(deployment="trio", message_bytes=10 * 1024, amazon_mq=None)
    used = pays_from(report, AS_USED)
    assert used
    assert used.msg_per_s == pytest.approx(718.0, abs=0.1)
    assert used.until_msg_per_s == pytest.approx(64_900.7, abs=0.1)
    assert used.is_sure
    said = in_detail(report)["Staff time"]
    assert "from about 718 (between " in said
    assert ") to about 64,900 msg/s and than SQS batched at no rate" in said
    short = "RabbitMQ is cheaper than SQS as used from about 718 to about 64,900 a second and than"
    assert short in in_short(report)


@pytest.mark.parametrize(
    ("start", "until", "least", "said"),
    [
        (0.0, None, None, "at every rate"),
        (0.0, 80.0, 80.0, "up to about 80 msg/s"),
        (20.0, None, None, "from about 20 msg/s on"),
        (20.0, None, 60.0, "from about 20 msg/s on (or only to about 60)"),
        (20.0, 80.0, 80.0, "from about 20 to about 80 msg/s"),
        (20.0, 80.0, 60.0, "from about 20 to about 80 msg/s (or only 60)"),
        (None, None, None, "at no rate (at best from the first message)"),
    ],
)
def test_a_range_is_said_by_its_ends(
    start: float | None, until: float | None, least: float | None, said: str
) -> None:
    low = 0.0 if start is None else start
    found = PaysFrom(
        hours=8,
        msg_per_s=start,
        until_msg_per_s=until,
        low_msg_per_s=low,
        high_msg_per_s=low,
        low_until_msg_per_s=least,
        corners=2,
        corners_with=2,
    )
    assert pays_words(found, " msg/s", "at no rate", in_full=True) == said


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
    assert "from about 247 msg/s on (between 182 and 247, or at no rate) and" in said["Staff time"]


def test_the_interval_reaches_to_the_empty_receives_that_a_run_counted() -> None:
    """With 2 empty receives a message 5 requests in place of 3: 729.54 / 1.9227e-6 is 144.4 a second."""
    rows = money.answers()["pays_from"]
    hours = report_of().break_even_hours
    counted = EmptyReceives(question_id=sample.QUESTION, case_id="c", per_message=2.0, msg_per_s=20.0)
    (wider,) = [
        row.pays_from
        for row in with_pays_from(hours, rows, counted)
        if (row.question_id, row.sqs_option, row.other_option) == (sample.QUESTION, AS_USED, RABBITMQ)
    ]
    assert wider
    assert wider.interval == (pytest.approx(144.4, rel=0.001), pytest.approx(247.3, rel=0.001))
    between = counted.model_copy(update={"per_message": 3.0})
    (further,) = [
        row.pays_from
        for row in with_pays_from(hours, rows, between)
        if (row.question_id, row.sqs_option, row.other_option) == (sample.QUESTION, AS_USED, RABBITMQ)
    ]
    assert further
    assert further.low_msg_per_s == pytest.approx(729.54 / 2.3227e-6 / (730 * 3600), rel=0.001)


def test_from_the_first_message_on_it_is_at_every_rate() -> None:
    report = report_of(sqs_path="nat", client_zones=6, instance="t4g.small", hour_rate=1.0)
    used = pays_from(report, AS_USED)
    assert used
    assert used.msg_per_s == 0
    assert "cheaper than SQS as used (one message a call) at every rate" in in_detail(report)["Staff time"]
