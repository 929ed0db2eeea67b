"""Consumers in the bill, worked by hand line by line: containers that poll, and Lambda, on every queue.

Prices of us-east-1: a request of SQS $0.40 a million, of Lambda $0.20; a GB-second $0.0000133334; Fargate on
ARM $0.03238 a vCPU-hour and $0.00356 a GB-hour. A month has 730 hours, 2,628,000 seconds; 500 messages a
second are 1,314 million.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from gmpy2 import mpq as F

from breakeven.errors import InputError
from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.consumption.invocations import most_mapped_msg_per_s
from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.bill.questions import Question, question
from breakeven.pricing.bill.uncertainty import uncertain
from breakeven.pricing.bill.variations import corners
from breakeven.pricing.prices.book_files import load_book
from local.stored.answers import answers
from tests.support.money.cost_crossings import Pair
from tests.support.money.priced_options import option_of

SECONDS = 2_628_000.0
MESSAGES = 500 * SECONDS


def priced(**inputs: Any) -> Question:
    return question("q", ask(**{"msg_per_s": 500.0, **inputs}), load_book("us-east-1"))


def bill(option: str, **inputs: Any) -> dict[str, float]:
    """Line -> dollars a month, of an option at 500 messages a second unless another rate is given."""
    rows = answers(Asked((priced(**inputs),)).rows(), ["bills"])["bills"]
    return {row["line"]: row["usd"] for row in rows if row["option_id"] == option}


def beside(option: str, **inputs: Any) -> dict[str, float]:
    """The lines that the consumers add to the queue's bill, and by how much those of both differ."""
    only, both = bill(option), bill(option, **inputs)
    assert only.keys() <= both.keys()
    found = {line: both[line] - only.get(line, 0.0) for line in both}
    return {line: usd for line, usd in found.items() if abs(usd) > 1e-9}


LAMBDA = {"consumer": "lambda", "lambda_ms": 10.0, "lambda_memory_mb": 512}
DURATION = MESSAGES * 0.010 * 0.5 * 1.33334e-5
CONTAINERS = {"consumer": "containers", "containers": 3, "container_vcpu": 0.5, "container_gb": 1.0}


def test_containers_are_billed_by_the_hour_and_sqs_for_their_polls_of_idle_queues() -> None:
    found = beside("sqs-as-used", **CONTAINERS, consumer_queues=2, poll_wait_s=10)
    assert found == pytest.approx(
        {
            "containers, processors": 3 * 0.5 * 730 * 0.03238,
            "containers, memory": 3 * 1 * 730 * 0.00356,
            "requests": 2 * 3 * SECONDS / 10 * 0.4e-6,  # 1,576,800 receives
        }
    )


def test_batches_do_not_end_the_polls_of_idle_queues() -> None:
    polls = {"consumer_queues": 100, "poll_wait_s": 20}
    for option in ("sqs-as-used", "sqs-batched"):
        asked = beside(option, **CONTAINERS, **polls)["requests"]
        assert asked == pytest.approx(100 * 3 * SECONDS / 20 * 0.4e-6)  # 39,420,000 receives, $15.768
        taken = beside(option, **LAMBDA, consumer_queues=100)["requests"]
        assert taken == pytest.approx(100 * 5 * SECONDS / 20 * 0.4e-6)  # 65,700,000, $26.28


@pytest.mark.parametrize("option", ["rabbitmq", "amazon-mq"])
def test_a_broker_pushes_so_that_containers_poll_nothing(option: str) -> None:
    assert beside(option, **CONTAINERS) == pytest.approx(
        {"containers, processors": 35.4561, "containers, memory": 7.7964}
    )


def test_without_a_window_an_invocation_takes_what_one_receive_brings() -> None:
    found = beside("sqs-as-used", **LAMBDA)
    assert found == pytest.approx(
        {
            "invocations": MESSAGES * 0.2e-6,
            "duration": DURATION,
            "requests": 5 * SECONDS / 20 * 0.4e-6,  # Lambda's five pollers, which wait for 20 s
        }
    )
    assert beside("sqs-batched", **LAMBDA)["invocations"] == pytest.approx(MESSAGES / 10 * 0.2e-6)
    fewer = bill("sqs-batched", **LAMBDA, lambda_batch=4, empty_receives=0, free_tier=False)
    assert fewer["invocations"] == pytest.approx(MESSAGES / 4 * 0.2e-6)
    # sent by tens, received and deleted as an invocation takes them
    assert fewer["requests"] == pytest.approx(MESSAGES * (1 / 10 + 1 / 4 + 1 / 4) * 0.4e-6)


def test_what_lambdas_receives_bring_may_be_given() -> None:
    """Sent singly, received and deleted by fours: 1.5 requests a message and a quarter of an invocation."""
    known = {**LAMBDA, "lambda_receives": 4, "lambda_polls_per_s": 2, "free_tier": False}
    found = bill("sqs-as-used", **known)
    assert found["requests"] == pytest.approx((MESSAGES * 1.5 + 2 * SECONDS) * 0.4e-6)
    assert found["invocations"] == pytest.approx(MESSAGES / 4 * 0.2e-6)
    assert bill("sqs-batched", **known)["requests"] == pytest.approx((MESSAGES * 0.6 + 2 * SECONDS) * 0.4e-6)


@pytest.mark.parametrize(
    ("inputs", "least", "most"),
    [
        # two pollers to five, each with a poll in 20 s
        ({}, (10, 0.1), (1, 0.25)),
        # three that are provisioned: a poll in 20 s each, to ten a second each
        ({"lambda_pollers": 3}, (10, 0.15), (1, 30)),
        ({"lambda_batch": 4}, (4, 0.1), (1, 0.25)),
        # nine of 7 KiB are one request, and ten are two
        ({"message_bytes": 7 * 1024}, (9, 0.1), (1, 0.25)),
    ],
)
def test_how_lambda_polls_is_uncertain(
    inputs: dict[str, Any], least: tuple[float, float], most: tuple[float, float]
) -> None:
    found = uncertain(ask(**LAMBDA, **inputs))["Lambda's polling"]
    assert [(each["lambda_receives"], each["lambda_polls_per_s"]) for each in found] == [
        pytest.approx(least),
        pytest.approx(most),
    ]


def test_a_batch_of_one_leaves_nothing_open_of_what_a_receive_brings() -> None:
    (least, most) = uncertain(ask(**LAMBDA, lambda_batch=1))["Lambda's polling"]
    assert least.keys() == most.keys() == {"lambda_polls_per_s"}


def test_the_interval_reaches_to_what_lambda_polls_at_least_and_at_most() -> None:
    """Two pollers provisioned: $0.11 a month for a poll in 20 s each, and $21.02 for ten a second."""
    asked = priced(**LAMBDA, lambda_pollers=2, amazon_mq=None, batch_fill=1.0, free_tier=False)
    rows = answers(
        Asked(
            tuple(replace(corner, purpose="rate") for corner in corners(asked))  # billed, as no corner is
        ).rows(),
        ["bills"],
    )["bills"]
    found = {(row["question_id"], row["option_id"]): row["usd"] for row in rows if row["line"] == "requests"}
    least, most = 2 * SECONDS / 20, 2 * 10 * SECONDS
    assert found == pytest.approx(
        {
            ("q.corner-0", "sqs-as-used"): (MESSAGES * (1 + 0.2) + least) * 0.4e-6,
            ("q.corner-0", "sqs-batched"): (MESSAGES * 0.3 + least) * 0.4e-6,
            ("q.corner-1", "sqs-as-used"): (MESSAGES * 3 + most) * 0.4e-6,
            ("q.corner-1", "sqs-batched"): (MESSAGES * 2.1 + most) * 0.4e-6,
        }
    )


def test_provisioned_pollers_are_paid_for_by_the_hour_and_poll_as_many_as_they_are() -> None:
    found = beside("sqs-as-used", **LAMBDA, lambda_pollers=3, consumer_queues=2)
    assert found["provisioned pollers"] == pytest.approx(2 * 3 * 730 * 0.00925)
    assert found["requests"] == pytest.approx(2 * 3 * SECONDS / 20 * 0.4e-6)


WINDOW = {**LAMBDA, "lambda_batch": 100, "lambda_window_s": 5}
SQS, BROKERS = ("sqs-as-used", "sqs-batched"), ("rabbitmq", "amazon-mq")


@pytest.mark.parametrize(
    ("msg_per_s", "of_sqs", "of_brokers"),
    [
        (0.1, 0.1, 0.1),  # one a message, as windows have less than one
        (0.2, 0.2, 1 / 5),
        (10.0, 1.0, 1 / 5),  # one a window: of each of SQS's five pollers, and of a mapping's one
        (20.0, 1.0, 1 / 5),
        (40.0, 1.0, 0.4),  # one a full batch on brokers, whose windows bring more than a hundred
        (500.0, 5.0, 5.0),  # one a full batch on all
    ],
)
def test_a_window_gathers_a_batch(msg_per_s: float, of_sqs: float, of_brokers: float) -> None:
    for options, per_s in ((SQS, of_sqs), (BROKERS, of_brokers)):
        for option in options:
            found = bill(option, **WINDOW, msg_per_s=msg_per_s)["invocations"]
            assert found == pytest.approx(per_s * SECONDS * 0.2e-6), option


@pytest.mark.parametrize(
    ("msg_per_s", "per_s"),
    [
        (1.0, 1.0),  # fewer than two a second: an invocation each
        (11.0, 2.0),  # one a window of half a second
        (500.0, 50.0),  # full batches of ten: 131.4 million a month, $26.28
    ],
)
def test_a_mapping_of_amazon_mq_gathers_for_half_a_second_unasked(msg_per_s: float, per_s: float) -> None:
    for option in BROKERS:
        found = bill(option, **LAMBDA, msg_per_s=msg_per_s)["invocations"]
        assert found == pytest.approx(per_s * SECONDS * 0.2e-6), option
        single = bill(option, **LAMBDA, msg_per_s=msg_per_s, lambda_window_s=0)["invocations"]
        assert single == pytest.approx(msg_per_s * SECONDS * 0.2e-6), "with no window each has its own"


def test_provisioned_pollers_gather_ten_batches_each_at_a_time() -> None:
    found = bill("sqs-batched", **WINDOW, lambda_pollers=3, msg_per_s=30.0)["invocations"]
    assert found == pytest.approx(3 * 10 * SECONDS / 5 * 0.2e-6)  # six a second


@pytest.mark.parametrize(
    ("option", "msg_per_s", "ms_per_s"),
    [
        ("sqs-as-used", 500.0, 500 * 1),  # 0.3 ms is billed as one
        ("sqs-batched", 500.0, 50 * 3),  # ten together are 3 ms
        ("amazon-mq", 1.0, 1 * 1),
        ("amazon-mq", 11.0, 2 * 2),  # 5.5 a window, 1.65 ms
        ("amazon-mq", 500.0, 50 * 3),
        ("rabbitmq", 500.0, 50 * 3),
    ],
)
def test_the_time_of_an_invocation_is_rounded_up_to_a_millisecond(
    option: str, msg_per_s: float, ms_per_s: float
) -> None:
    short = {**LAMBDA, "lambda_ms": 0.3}
    found = bill(option, **short, msg_per_s=msg_per_s)["duration"]
    assert found == pytest.approx(ms_per_s * SECONDS / 1000 * 0.5 * 1.33334e-5)
    assert most_mapped_msg_per_s(ask(**short)) == pytest.approx(10_000 / 3)


def test_an_invocation_takes_what_its_payload_carries() -> None:
    """6 MiB are 6,291,456 B: eight bodies of 700,000 B, and six of 933,336 B, which is their base64."""
    large = {**LAMBDA, "message_bytes": 700_000, "lambda_window_s": 1}
    assert bill("sqs-batched", **large)["invocations"] == pytest.approx(MESSAGES / 8 * 0.2e-6)
    for option in BROKERS:
        assert bill(option, **large)["invocations"] == pytest.approx(MESSAGES / 6 * 0.2e-6)


def test_on_amazon_mq_a_mapping_needs_two_endpoints_in_each_zone() -> None:
    found = beside("amazon-mq", **WINDOW, client_zones=3)
    assert found == pytest.approx(
        {
            "invocations": MESSAGES / 100 * 0.2e-6,
            "duration": DURATION,
            "mapping's endpoints, hours": 2 * 3 * 730 * 0.01,
            "mapping's endpoints, data": MESSAGES * 1368 / 2**30 * 0.01,  # 4 B for each begun 3 of 1,024
        }
    )
    assert most_mapped_msg_per_s(ask(**WINDOW, consumer_queues=4)) == 400.0


def test_to_brokers_of_ones_own_lambda_has_no_mapping_and_containers_hand_on() -> None:
    assert beside("rabbitmq", **WINDOW) == pytest.approx(
        {
            "invocations": MESSAGES / 100 * 0.2e-6,
            "duration": DURATION,
            "forwarders, processors": 2 * 0.25 * 730 * 0.03238,
            "forwarders, memory": 2 * 0.5 * 730 * 0.00356,
        }
    )


def test_the_queue_only_has_no_line_of_consumers_and_its_empty_receives_are_not_known() -> None:
    assert not any(line.service in {"lambda", "fargate"} for one in priced().options for line in one.lines)
    known = {"amazon_mq": None, "batch_fill": 1.0}
    assert len(corners(priced(**known))) == 2
    assert corners(priced(**CONTAINERS, **known)) == [], "they are those of idle queues"
    assert len(corners(priced(**LAMBDA, **known))) == 2, "how Lambda polls is not known"
    polls = {"lambda_receives": 5, "lambda_polls_per_s": 0.2}
    assert corners(priced(**LAMBDA, **polls, **known)) == []


def test_empty_receives_that_are_given_stand_for_the_polls() -> None:
    found = beside("sqs-as-used", **CONTAINERS, empty_receives=1.0)
    assert found["requests"] == pytest.approx(MESSAGES * 0.4e-6)


@pytest.mark.parametrize(
    "inputs", [WINDOW, CONTAINERS, {**LAMBDA, "lambda_window_s": 1}, {**LAMBDA, "lambda_ms": 0.3}]
)
def test_crossings_are_those_of_the_brute_force(inputs: dict[str, Any]) -> None:
    asked = Asked((priced(**inputs),))
    rows = answers(asked.rows(), ["crossover"])["crossover"]
    for sqs in ("sqs-as-used", "sqs-batched"):
        carries = priced(**inputs).options[2].messages_per_cluster
        assert carries
        own = option_of(asked.rows(), "q", "rabbitmq", F(carries))
        exact = Pair(option_of(asked.rows(), "q", sqs), own, F(730)).crossings()
        found = [row for row in rows if (row["sqs_option"], row["other_option"]) == (sqs, "rabbitmq")]
        assert [(row["kind"], row["cheaper_above"]) for row in found] == [
            (one.kind, one.above) for one in exact
        ]
        for row, one in zip(found, exact, strict=True):
            if one.messages is not None:
                assert row["messages_per_month"] == pytest.approx(float(one.messages), rel=1e-6)


@pytest.mark.parametrize(
    ("field", "inputs"),
    [
        ("container_vcpu", {"consumer": "containers", "container_vcpu": 0.3}),
        ("container_gb", {"consumer": "containers", "container_gb": 9}),
        ("lambda_window_s", {"consumer": "lambda", "lambda_window_s": 1, "queue": "fifo"}),
        ("lambda_batch", {"consumer": "lambda", "lambda_batch": 11}),
        ("lambda_batch", {"consumer": "lambda", "lambda_batch": 11, "lambda_window_s": 1, "queue": "fifo"}),
        ("lambda_ms", {"consumer": "lambda", "lambda_ms": 90_001}),
        ("lambda_pollers", {"consumer": "lambda", "lambda_pollers": 1}),
        ("lambda_receives", {"consumer": "lambda", "lambda_receives": 5, "lambda_batch": 4}),
    ],
)
def test_what_aws_would_refuse_is_refused_by_field(field: str, inputs: dict[str, Any]) -> None:
    with pytest.raises(InputError) as refused:
        ask(**inputs)
    assert refused.value.field == field
    ask(**{**inputs, "consumer": None})  # of no consequence where nothing consumes


def test_a_price_that_is_not_known_refuses_only_the_question_that_needs_it() -> None:
    book = load_book("eu-west-1")
    question("q", ask(consumer="lambda"), book)
    with pytest.raises(InputError, match="lambda/sqs_poller_hour"):
        question("q", ask(consumer="lambda", lambda_pollers=2), book)
