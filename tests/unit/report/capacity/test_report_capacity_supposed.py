"""What verdict and detail suppose that clusters carry, where their capacity is given and where it is not."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from breakeven.pricing.bill.questions import AMAZON_MQ, BATCHED, RABBITMQ
from breakeven.report.money.cheapest import Range
from breakeven.report.money.crossover_tables import crossover_table
from breakeven.report.money.priced import carried_loads
from tests.fixtures.report import money, sample
from tests.fixtures.report.spoken import PLAN, noted, said, sentence


def all_notes(inputs: dict[str, Any]) -> tuple[str, ...]:
    return crossover_table(sample.report(PLAN, **money.answers(**inputs)), None).notes


def test_a_known_capacity_is_named_and_no_longer_doubted():
    first, follows, _ = said(capacity_msg_per_s=3000.0)
    all_of_it = noted(capacity_msg_per_s=3000.0)
    assert "it is assumed to carry 3,000." in all_of_it["What a cluster must carry"]
    assert "Amazon MQ above that, and a RabbitMQ pair of m7g.large in 2 zones at no rate priced." in first
    assert "each RabbitMQ cluster" not in follows
    assert (
        "A RabbitMQ pair of m7g.large in 2 zones is the cheapest at no rate priced."
        in all_of_it["The headline"]
    )
    assert sentence(all_of_it["The headline"], "Without Amazon MQ").endswith(
        "SQS batched and long-polled is cheaper than a RabbitMQ pair of m7g.large in 2 zones at every rate "
        "searched, up to about 700,000 messages a second, where the 1,000th RabbitMQ cluster is full, even "
        "before staff time"
    )
    assert "cluster capacity (a quarter less to a quarter more)" in all_of_it["The break-even"]
    assert "it costs $146.75 a month more" in all_of_it["Staff time"]


def test_a_single_node_is_sized_with_it_up_as_there_is_no_other():
    one = {"deployment": "single"}
    takes = noted(**one)["What a cluster must carry"]
    assert " at peak (a peak of 3 times the mean, 70% utilisation)" in takes
    assert "node down" not in takes
    (note,) = (each for each in all_notes(one) if each.startswith("A cluster must carry:"))
    assert note.startswith("A cluster must carry: at a peak of 3 times the mean, 70% utilisation.")


def test_a_capacity_of_amazon_mq_that_is_known_is_no_condition():
    known = {"capacity_msg_per_s": 50_000.0, "amazon_mq_capacity_msg_per_s": 50_000.0, "deployment": "trio"}
    first, follows, _ = said(**known)
    assert first.endswith("These prices are before staff time.")
    assert follows.startswith("These prices suppose free traffic between Amazon MQ's brokers. ")
    assert "each Amazon MQ cluster can carry" not in follows
    assert "carries at least" not in noted(**known)["The headline"]


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"capacity_msg_per_s": 30_000.0}, "These prices suppose that each Amazon MQ cluster can carry "),
        (
            {"amazon_mq_capacity_msg_per_s": 30_000.0},
            "These prices suppose that each RabbitMQ cluster can carry ",
        ),
    ],
)
def test_a_cluster_whose_capacity_is_not_given_must_carry_more_at_higher_rates_whatever_the_other_carries(
    given, left
):
    follows = said(**given)[1]
    assert left in follows
    assert follows.count(" (more at higher rates)") == 1
    assert "At higher rates they must carry more." in noted(**given)["The headline"]


def test_where_all_capacities_are_given_nobody_must_carry_more():
    given = {"capacity_msg_per_s": 30_000.0, "amazon_mq_capacity_msg_per_s": 30_000.0}
    follows = said(**given)[1]
    assert "can carry" not in follows
    assert "at higher rates" not in follows
    assert "At higher rates they must" not in noted(**given)["The headline"]


@pytest.mark.parametrize("of", [carried_loads.in_short, carried_loads.in_full])
def test_each_option_is_supposed_to_carry_once_what_the_lowest_of_its_ranges_takes(of):
    report = sample.report(PLAN, **money.answers())
    question = report.headline_question
    of = partial(of, report) if of is carried_loads.in_short else of
    own, managed = Range(RABBITMQ, (1000.0, 2000.0)), Range(AMAZON_MQ, (5000.0,))
    again = Range(RABBITMQ, (8000.0, 9000.0))
    assert of(question, [own, managed, again]) == of(question, [own, managed])
    assert of(question, [again, managed]) != of(question, [own, managed])
    assert of(question, [Range(BATCHED, (1.0,))]) == ""


@pytest.mark.parametrize(
    ("asked", "said_so"), [({}, True), ({"amazon_mq_inter_node": 0.0}, False), ({"hours": 40.0}, False)]
)
def test_who_takes_amazon_mqs_place_if_traffic_between_its_brokers_is_charged_is_said(asked, said_so):
    """And it holds: at the price across zones no rate is left at which the trio costs more."""
    verdict = "\n".join(said(deployment="trio", **asked))
    assert ("(if it is charged, RabbitMQ undercuts Amazon MQ at every rate)" in verdict) is said_so
    charged = sample.report(PLAN, **money.answers(deployment="trio", **asked | {"amazon_mq_inter_node": 1.0}))
    (found,) = [
        one
        for one in charged.pairs.crossings
        if (one.first_option, one.second_option) == ("rabbitmq-trio", "amazon-mq-cluster")
    ]
    undercuts = found.msg_per_s is None and found.cheaper_below == "rabbitmq-trio"
    assert undercuts is ("hours" not in asked)


def test_the_headline_leaves_to_the_sentence_on_loads_that_clusters_must_carry_them():
    first, follows, _ = said()
    assert first.endswith("$6.30 less. These prices are before staff time.")
    assert follows.count("can carry") == 1


def test_what_is_saved_is_beside_the_option_that_costs_least_else_and_not_the_other_of_the_headline():
    first, *_ = said(deployment="trio", leader_hop_share=0.5)
    assert "and Amazon MQ above about 2,580" in first
    assert (
        "At 1,000 messages a second SQS batched costs $315.16 a month, $110.40 less than RabbitMQ; at 10,000 "
        "Amazon MQ costs $1,934 a month, $769.95 less than RabbitMQ."
    ) in first


def test_brokers_whose_traffic_may_be_charged_are_the_services_own_beside_a_cluster_of_ones_own():
    detail = noted(amazon_mq_capacity_msg_per_s=30_000.0)["The headline"]
    assert "at peak and traffic between Amazon MQ's brokers, whose price no source gives, is free." in detail
