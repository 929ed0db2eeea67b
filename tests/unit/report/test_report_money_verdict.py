"""What the verdict says of money: no more than was priced, and why where lines never cross."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.report.money.never_crossing import why_never
from tests.fixtures.report import money, sample

AS_USED, BATCHED, RABBITMQ = "sqs-as-used", "sqs-batched", "rabbitmq"
PLAN = sample.planned()[:2]


def said(**inputs: Any) -> list[str]:
    return sample.report(PLAN, **money.answers(**inputs)).verdict.split("\n\n")


def main_rows(*changes: dict[str, Any], sqs: str = AS_USED) -> list[dict[str, Any]]:
    """The sample's rows with those of one pair replaced: one row for each of ``changes``."""
    rows = money.answers()["crossover"]
    pair = (sample.QUESTION, sqs, RABBITMQ)
    (own,) = [row for row in rows if (row["question_id"], row["sqs_option"], row["other_option"]) == pair]
    others = [row for row in rows if row is not own]
    return [*(own | {"number": n} | change for n, change in enumerate(changes, 1)), *others]


def headline(*changes: dict[str, Any]) -> str:
    return sample.report(PLAN, crossover=main_rows(*changes)).verdict.split("\n\n")[0]


NO_INTERVAL = {"low_msg_per_s": None, "high_msg_per_s": None}
NEVER = (
    NO_INTERVAL
    | dict.fromkeys(("number", "msg_per_s", "messages_per_month", "messages_per_hour", "usd_per_month"))
    | {"kind": "never"}
)


def test_it_opens_with_the_first_crossing_and_its_interval():
    first, sums, takes, *_ = said()
    assert first == (
        "SQS is cheaper below about 43 messages a second (between 32 and 43); above that, a RabbitMQ pair of "
        "m7g.large is, if it can carry the load."
    )
    assert sums == (
        "That rate is a monthly mean of 113 million messages, at which either option costs $135.82 a month. "
        "The interval covers what is not known: empty receives (none to one per message). Batched and "
        "long-polled, SQS is cheaper up to about 785 messages a second."
    )
    assert takes == (
        "At that rate a cluster must carry at least 185 messages a second at peak with one node down (a peak "
        "of 3 times the mean, 70% utilisation); this run did not measure what a cluster carries on EC2. "
        "These figures exclude staff time. At 1,000 messages a second running your own saves $2,874 a "
        "month before staff time: it wins if it takes less than 38.3 hours a month at $75 an hour, or less "
        "than 0.473 against SQS batched and long-polled. List prices: us-east-1 of 2026-11-20."
    )


def test_without_anything_uncertain_no_interval_is_shown():
    first, sums, *_ = said(empty_receives=0.0)
    assert "between" not in first
    assert "interval" not in sums


def test_a_known_capacity_is_named_and_no_longer_doubted():
    first, sums, takes, *_ = said(capacity_msg_per_s=3000.0)
    assert first.endswith("above that, a RabbitMQ pair of m7g.large is.")
    assert "it is assumed to carry 3,000." in takes
    assert "Batched and long-polled, SQS is cheaper at every rate priced." in sums
    assert "it costs $93.89 a month more" in takes


def test_peoples_hours_that_were_given_are_said_to_be_in_the_sums():
    reported = " ".join(said(hours=20.0, hour_rate=90.0))
    assert "The cluster's bill includes 20 hours of staff time a month at $90 an hour." in reported
    assert "exclude staff time" not in reported


def test_large_messages_never_cross_and_the_traffic_is_why():
    first, why, takes, *_ = said(message_bytes=65536)
    assert first.startswith("SQS is cheaper at every rate priced, up to 104,000 messages a second.")
    assert why.startswith(
        "At 64 KiB a message, a million more messages cost $3.66 on a RabbitMQ pair of m7g.large (traffic "
        "across zones) and $1.20 on SQS as used (requests): no traffic is large enough to pay for the "
        "brokers."
    )
    assert "running your own costs $7,117 a month more before any staff time" in takes


def test_small_clusters_never_cross_and_their_price_is_why():
    _, why, *_ = said(capacity_msg_per_s=150.0)
    assert why.startswith(
        "Each cluster costs $129.34 a month for the 35.0 messages a second that it is priced to carry: $1.41 "
        "a million messages, $1.46 with traffic across zones, against $1.20 for SQS as used."
    )


def test_brokers_that_are_always_cheaper():
    first, why, *_ = said(sqs_path="nat", client_zones=6, instance="t4g.small", existing_requests=1e9)
    assert first.startswith("A RabbitMQ pair of t4g.small is cheaper at every rate priced")
    assert why.startswith(
        "Before the first message, SQS as used costs $197.30 a month (NAT gateway hours $197.10"
    )
    assert "SQS still costs more" in why


def test_clusters_that_step_past_sqs_again_and_again():
    first, sums, *_ = said(capacity_msg_per_s=200.0, empty_receives=0.0)
    assert first.endswith("above that, a RabbitMQ pair of m7g.large is, up to about 47.")
    assert "The cheaper option changes 32 times, the last time at 17,900 messages a second" in sums


def test_a_step_names_the_one_who_pays():
    step = {"kind": "step", "cheaper_below": RABBITMQ, "cheaper_above": AS_USED} | NO_INTERVAL
    report = sample.report(PLAN, crossover=main_rows(step))
    assert report.verdict.startswith(
        "A RabbitMQ pair of m7g.large is cheaper below about 43 messages a second; above that, SQS is."
    )
    assert "at which SQS costs $135.82 a month" in report.verdict


@pytest.mark.parametrize(
    ("until", "above", "sentence"),
    [
        (None, None, "from 43 messages a second on; below that SQS is cheaper."),
        (
            80.0,
            RABBITMQ,
            "from 43 messages a second to 80; below that SQS is cheaper, above it a RabbitMQ pair",
        ),
    ],
)
def test_a_tie(until, above, sentence):
    tie = {"kind": "tie", "equal_until_msg_per_s": until, "cheaper_above": above} | NO_INTERVAL
    assert headline(tie).startswith(f"SQS and a RabbitMQ pair of m7g.large cost the same {sentence}")


def test_a_touch_changes_nothing_but_is_reported():
    touch = {"kind": "touch", "cheaper_above": AS_USED} | NO_INTERVAL
    assert headline(touch) == (
        "SQS is cheaper at every rate but about 43 messages a second, where both cost the same."
    )


def test_a_touch_before_the_change_of_sides_is_not_the_break_even():
    touch = {"kind": "touch", "cheaper_above": AS_USED} | NO_INTERVAL
    later = {"msg_per_s": 70.0} | NO_INTERVAL
    assert headline(touch, later).startswith("SQS is cheaper below about 70 messages a second; above that")


def test_a_price_that_is_not_known():
    rows = main_rows(NEVER | {"kind": "unpriced", "cheaper_below": None, "cheaper_above": None})
    report = sample.report(PLAN, crossover=rows)
    assert report.verdict.startswith("A price needed for the break-even is not known")
    assert why_never(report.crossovers[0], report.cost_questions[0], report.bills) == ""


def test_an_interval_that_not_every_combination_has_says_so():
    report = sample.report(PLAN, crossover=main_rows({"corners_with": 1}))
    assert "1 of 2 combinations have this crossing" in report.verdict


def test_without_its_bills_no_reason_is_made_up():
    answers = money.answers(message_bytes=65536) | {"bills": ()}
    report = sample.report(PLAN, **answers)
    assert [
        why_never(crossing, report.cost_questions[0], report.bills) for crossing in report.crossovers
    ] == [""] * len(report.crossovers)
