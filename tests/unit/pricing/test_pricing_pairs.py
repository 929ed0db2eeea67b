"""The question of all pairs: its options, its corners, and the crossing of a trio with Amazon MQ by hand."""

from __future__ import annotations

from typing import Any

import pytest
from gmpy2 import mpq as F

from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.inputs import Inputs, ask
from breakeven.pricing.bill.pair_questions import ask_pairs, in_form
from breakeven.pricing.bill.questions import Question, question
from breakeven.pricing.prices.book_files import load_book
from local.stored.answers import answers
from tests.support.money.cost_crossings import Pair
from tests.support.money.priced_options import option_of
from tests.support.money.traffic_by_hand import moved, usd

MONTH_S = 730 * 3600
OPTIONS = [
    "sqs-as-used", "sqs-batched", "rabbitmq-single", "rabbitmq-pair", "rabbitmq-trio",
    "amazon-mq-single", "amazon-mq-cluster",
]  # fmt: skip

#: with up to a thousand clusters on both sides
BRUTE = [
    ("sqs-batched", "amazon-mq-cluster"),
    ("rabbitmq-trio", "amazon-mq-cluster"),
    ("rabbitmq-pair", "rabbitmq-trio"),
    ("rabbitmq-pair", "amazon-mq-single"),
    ("sqs-as-used", "sqs-batched"),
]


def asked(region: str = "us-east-1", **inputs: Any) -> tuple[Question, ...]:
    return ask_pairs(question("q", ask(**inputs), load_book(region)))


def crossings(**inputs: Any) -> dict[tuple[str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in answers(Asked(asked(**inputs)).rows(), ["pair_crossings"])["pair_crossings"]:
        found.setdefault((row["first_option"], row["second_option"]), []).append(row)
    return found


def test_every_form_stands_beside_every_other() -> None:
    pairs, *_ = asked()
    assert (pairs.question_id, pairs.purpose) == ("q.pairs", "pairs")
    assert [option.option_id for option in pairs.options] == OPTIONS
    assert len(crossings()) == 7 * 6 / 2


def test_where_amazon_mq_has_no_price_the_others_have_their_pairs() -> None:
    pairs, *_ = asked("eu-west-1", amazon_mq=None)
    assert [option.option_id for option in pairs.options] == OPTIONS[:5]


def test_a_trio_against_amazon_mq_has_a_crossing_of_its_own_by_hand() -> None:
    # instances 178.704, volumes 4.80, metrics 9, alarms 1.50; brokers 598.746 and 45 GB of disk 4.50
    trio, managed = 178.704 + 4.80 + 9.00 + 1.50, 598.746 + 4.50
    # of 1 KiB a trio sends two copies and hops two thirds of publishes across zones besides
    more = usd(1, moved(1024, copies=2, hops=2 / 3))
    messages = (managed - trio) / more
    first, *others = crossings()["rabbitmq-trio", "amazon-mq-cluster"]
    assert not others
    assert (first["kind"], first["cheaper_below"], first["cheaper_above"]) == (
        "meet",
        "rabbitmq-trio",
        "amazon-mq-cluster",
    )
    assert first["msg_per_s"] == pytest.approx(messages / MONTH_S, rel=1e-9)
    assert first["msg_per_s"] == pytest.approx(2404.24, rel=1e-5)
    across = usd(1, moved(1024, copies=2, clients=4 / 3, hops=2 / 3))
    assert first["usd_per_month"] == pytest.approx(trio + messages * across, rel=1e-9)
    # charged as EC2 charges what crosses zones, both rise alike, and the trio stays cheaper
    assert (first["corners"], first["corners_with"]) == (7, 4)
    (charged,) = crossings(amazon_mq_inter_node=1.0)["rabbitmq-trio", "amazon-mq-cluster"]
    assert (charged["kind"], charged["cheaper_above"]) == ("never", "rabbitmq-trio")


def test_a_trio_is_cheaper_than_a_pair_once_mirrors_that_are_sent_each_message_twice_cost_a_node() -> None:
    # 64.668 of the trio's third node, over what each message of the pair costs more
    of_pair, of_trio = (
        moved(1024, mirrored=2.5, clients=1, hops=1),
        moved(1024, copies=2, clients=4 / 3, hops=2 / 3),
    )
    row = crossings()["rabbitmq-pair", "rabbitmq-trio"][0]
    assert (row["kind"], row["cheaper_below"], row["cheaper_above"]) == (
        "meet",
        "rabbitmq-pair",
        "rabbitmq-trio",
    )
    assert row["msg_per_s"] == pytest.approx(64.668 / usd(1, of_pair - of_trio) / MONTH_S, rel=1e-9)


@pytest.mark.parametrize(
    "inputs",
    [
        {"capacity_msg_per_s": 900.0, "deployment": "trio", "amazon_mq_capacity_msg_per_s": 4000.0},
        {"consumer": "lambda", "message_bytes": 4096, "amazon_mq_inter_node": 0.5},
    ],
)
def test_every_pair_is_that_of_the_brute_force(inputs: dict[str, Any]) -> None:
    pairs, *_ = asked(**inputs)
    rows = Asked((pairs,)).rows()
    carried = {option.option_id: option.messages_per_cluster for option in pairs.options}
    made = {
        name: option_of(rows, pairs.question_id, name, F(size) if size else None)
        for name, size in carried.items()
    }
    found = crossings(**inputs)
    for key in BRUTE:
        exact = Pair(made[key[0]], made[key[1]], F(730)).crossings()[:10]
        assert [row["kind"] for row in found[key]] == [c.kind for c in exact], key
        for row, c in zip(found[key], exact, strict=True):
            assert (row["cheaper_below"], row["cheaper_above"]) == (c.below, c.above), key
            if c.messages is not None:
                assert row["messages_per_month"] == pytest.approx(float(c.messages), rel=1e-6), key


def test_another_form_has_its_own_zones_and_no_capacity_that_was_measured_of_this() -> None:
    inputs = ask(
        deployment="trio", broker_zones=3, capacity_msg_per_s=900.0, amazon_mq_capacity_msg_per_s=4000.0,
        amazon_mq_gb=75.0,
    )  # fmt: skip
    pair, single = in_form(inputs, "pair"), in_form(inputs, "single")
    assert (pair.broker_zones, single.broker_zones) == (2, 1)
    assert (pair.capacity_msg_per_s, single.capacity_msg_per_s) == (None, None)
    assert (pair.amazon_mq_capacity_msg_per_s, single.amazon_mq_capacity_msg_per_s) == (4000.0, None)
    assert (pair.amazon_mq_gb, single.amazon_mq_gb) == (75.0, None)
    assert in_form(inputs, "trio") == inputs


def test_a_form_is_priced_with_what_was_measured_of_it() -> None:
    def known(inputs: Inputs) -> Inputs:
        return inputs.but(
            capacity_msg_per_s={"single": 700.0, "pair": 500.0, "trio": 300.0}[inputs.deployment]
        )

    base = question("q", ask(deployment="trio"), load_book("us-east-1"))
    pairs, *_ = ask_pairs(base, known)
    carried = {o.option_id: (o.messages_per_cluster or 0.0) / MONTH_S for o in pairs.options}
    assert [round(carried[f"rabbitmq-{form}"] * 3 / 0.7) for form in ("single", "pair", "trio")] == [
        700,
        500,
        300,
    ]


@pytest.mark.parametrize(
    ("inputs", "many"),
    [
        # empty receives; how full batches are; what traffic between brokers is charged. Of three options that
        # are moved, all at once are no pair's
        ({}, 7),
        ({"empty_receives": 0.0}, 4),
        ({"empty_receives": 0.0, "batch_fill": 1.0}, 2),
        ({"empty_receives": 0.0, "batch_fill": 1.0, "amazon_mq_inter_node": 0.0}, 0),
        ({"batch_fill": 1.0, "capacity_msg_per_s": 900.0}, 7),
        ({"batch_fill": 1.0, "amazon_mq_capacity_msg_per_s": 4000.0}, 8),  # the cluster's two, with SQS's one
    ],
)
def test_corners_are_the_ends_of_each_two(inputs: dict[str, Any], many: int) -> None:
    corners = asked(**inputs)[1:]
    assert len(corners) == many
    assert all((each.base_id, each.purpose) == ("q.pairs", "pairs-interval") for each in corners)
