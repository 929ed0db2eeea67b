"""Clusters with other nodes or copies than their form has: bills worked by hand, and no capacity of another.

At 100 messages a second a month of 730 hours has 262,800,000 messages; a GB of traffic is 2^30 bytes.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.broker_lines import apart_share
from breakeven.pricing.bill.cheaper_variants import variants
from breakeven.pricing.bill.cluster_capacity import capacity_of
from breakeven.pricing.bill.inputs import Inputs, ask
from breakeven.pricing.bill.known_capacity import capacities
from breakeven.pricing.bill.pair_questions import ask_pairs
from breakeven.pricing.bill.questions import own_cluster, question
from breakeven.pricing.bill.run_capacities import Capacities, RunCapacity
from breakeven.pricing.bill.size_board import boards
from breakeven.pricing.bill.variations import ask_all
from breakeven.pricing.cluster_form import NODES, ClusterForm, cluster_name, form_words
from breakeven.pricing.prices.book_files import load_book
from breakeven.targets.catalog import clusters
from local.stored.answers import answers
from tests.support.money.traffic_by_hand import CLIENT, MEMBER, MIRROR, moved, usd

MESSAGES, BOOK, KIB = 262_800_000, load_book("us-east-1"), 1024
FIVE = {"deployment": "trio", "cluster_nodes": 5}
MIRRORED = {"deployment": "pair", "cluster_nodes": 5}
DAY = date(2026, 11, 20)


def bill(**inputs: Any) -> dict[str, float]:
    asked = question("by-hand", ask(**{"msg_per_s": 100} | inputs), BOOK)
    rows = answers(Asked((asked,)).rows(), ["bills"])["bills"]
    return {row["line"]: row["usd"] for row in rows if row["option_id"] == "rabbitmq"}


def test_five_nodes_with_a_group_of_three_line_by_line() -> None:
    # nodes in zones a b c a b: of 10 pairs the two within a and within b cross nothing
    apart = 8 / 10
    copies = 2 * apart  # two followers, on any two of the four other nodes
    clients = 2 * (2 / 3)  # publish and deliver; two of three clients are in another zone than their node
    # four of five publishers do not speak to the leader's node, nor do as many consumers, of whom half speak
    # to one of the two nodes of the other four that have no copy
    hops = (4 / 5 + 2 / 5) * apart
    assert bill(**FIVE) == pytest.approx(
        {
            "instances": 5 * 730 * 0.0816,
            "volumes": 5 * 20 * 0.08,
            "traffic across zones": usd(MESSAGES, moved(KIB, copies=copies, clients=clients, hops=hops)),
            "metrics": 5 * 10 * 0.30,
            "alarms": 5 * 5 * 0.10,
        }
    )
    assert bill(**FIVE)["instances"] == pytest.approx(297.84)


def test_a_group_of_five_sends_two_copies_more_and_has_a_member_on_each_consumers_node() -> None:
    more = bill(**FIVE, group_size=5)["traffic across zones"] - bill(**FIVE)["traffic across zones"]
    assert more == pytest.approx(usd(MESSAGES, moved(KIB, copies=2 * 0.8, hops=-2 / 5 * 0.8)))


def test_a_mirrored_cluster_has_a_copy_on_every_node() -> None:
    # four nodes in zones a b c a: 5 of 6 pairs have a zone between them
    # round a ring of four, and from the channel to three mirrors, each of which is beside it one time in four
    copies = (4 + 3 * (3 / 4)) * (5 / 6)
    found = bill(deployment="pair", cluster_nodes=4)
    across = moved(KIB, mirrored=copies, clients=2 * (2 / 3), hops=2 * (3 / 4) * (5 / 6))
    assert found["traffic across zones"] == pytest.approx(usd(MESSAGES, across))
    assert found["instances"] == pytest.approx(4 * 59.568)


def test_a_mirrored_cluster_may_have_fewer_copies_than_nodes() -> None:
    every, two = bill(**MIRRORED), bill(**MIRRORED, group_size=2)
    # of five nodes in three zones 8 of 10 pairs have a zone between them; of three mirrors that are left out
    # each is in the ring, and for 4 of 5 on another node than the channel
    saved = usd(MESSAGES, moved(KIB, mirrored=(3 + 3 * (4 / 5)) * (8 / 10)))
    assert every["traffic across zones"] - two["traffic across zones"] == pytest.approx(saved)
    assert every | {"traffic across zones": 0} == two | {"traffic across zones": 0}
    # to a consumer and round the ring; to the mirror where the channel is at the master, one in five
    sent = 1.2 * (KIB + MIRROR) + KIB + CLIENT
    assert capacity_of(ask(**MIRRORED, group_size=2)).network == pytest.approx(937e6 / 8 / sent)


def test_one_node_leads_all_of_its_queues_whatever_is_said_of_clients() -> None:
    asked = ask(deployment="single", leader_hop_share=1.0)
    assert capacity_of(asked).network == pytest.approx(937e6 / 8 / (KIB + CLIENT))


def test_nodes_are_in_three_zones_at_most_unless_fewer_are_said() -> None:
    assert [ask(deployment="trio", cluster_nodes=nodes).zones for nodes in (3, 4, 9)] == [3, 3, 3]
    assert ask(**FIVE, broker_zones=2).zones == 2
    # a a a b b: 6 of 10 pairs
    assert (apart_share(5, 2), apart_share(9, 3)) == (0.6, 0.75)


def test_the_leader_sends_to_its_groups_members_and_to_no_other_node() -> None:
    # 0.937 Gbit/s / 8 / (two copies, and deliveries to consumers at its own node or at one without a member)
    def network(copies: float, served: float) -> float:
        return 937e6 / 8 / (copies * (KIB + MEMBER) + served * (KIB + CLIENT))

    assert capacity_of(ask(deployment="trio")).network == pytest.approx(network(2, 1 / 3))
    assert capacity_of(ask(**FIVE)).network == pytest.approx(network(2, 1 / 5 + 2 / 5))
    assert capacity_of(ask(**FIVE, group_size=5)).network == pytest.approx(network(4, 1 / 5))
    # of a mirrored one to a consumer and round the ring, and of a quarter of the channels to three mirrors
    assert capacity_of(ask(deployment="pair", cluster_nodes=4)).network == pytest.approx(
        937e6 / 8 / (1.75 * (KIB + MIRROR) + KIB + CLIENT)
    )


@pytest.mark.parametrize(
    ("fields", "field", "remedy"),
    [
        ({"deployment": "trio", "cluster_nodes": 2}, "cluster_nodes", "a trio has 3 to 9 nodes"),
        ({"deployment": "pair", "cluster_nodes": 1}, "cluster_nodes", "a pair has 2 to 9 nodes"),
        ({"deployment": "single", "cluster_nodes": 3}, "cluster_nodes", "a single has one node"),
        ({"deployment": "trio", "cluster_nodes": 10}, "cluster_nodes", "9"),
        (
            {**FIVE, "group_size": 7},
            "group_size",
            "a node has one copy of a queue at most; give at most 5",
        ),
        ({"deployment": "trio", "group_size": 4}, "group_size", "give at most 3, or more nodes"),
        ({"deployment": "pair", "group_size": 3}, "group_size", "give at most 2, or more nodes"),
        ({"deployment": "single", "group_size": 1}, "group_size", "the queues of a single have one copy"),
        ({**FIVE, "broker_zones": 4}, "broker_zones", "3"),
    ],
)
def test_a_cluster_that_cannot_be_is_refused_with_what_can(fields, field, remedy) -> None:
    with pytest.raises(InputError) as caught:
        ask(**fields)
    assert (caught.value.field, remedy in caught.value.remedy) == (field, True)


def capacity(**changes: Any) -> RunCapacity:
    fields: dict[str, Any] = {
        "target": "rabbitmq-quorum-trio", "deployment": "trio", "instance": "m7g.large", "release": "4.0",
        "message_bytes": 1024, "nodes_down": 1, "objective_ms": 100.0, "msg_per_s": 500.0,
        "low_msg_per_s": 480.0, "high_msg_per_s": 520.0, "repeats": 2, "cell": "capacity", "run_id": "a",
        "date": DAY.isoformat(),
    }  # fmt: skip
    return RunCapacity(**fields | changes)


#: as stored by runs before nodes were counted, and those of five nodes
THREE, OF_FIVE, OF_FIVE_COPIES = capacity(), capacity(cluster_nodes=5, msg_per_s=800.0), capacity(
    cluster_nodes=5, group_size=5, msg_per_s=300.0
)  # fmt: skip


@pytest.mark.parametrize("own", [True, False])
def test_no_capacity_of_five_nodes_prices_three_nor_one_of_other_copies(own) -> None:
    every = (THREE, OF_FIVE, OF_FIVE_COPIES)
    found = Capacities(DAY, own=every) if own else Capacities(DAY, stored=every)
    assert found.find(ask(deployment="trio")) == THREE
    assert found.find(ask(deployment="trio", cluster_nodes=3, group_size=3)) == THREE
    assert found.find(ask(**FIVE)) == OF_FIVE
    assert found.find(ask(**FIVE, group_size=5)) == OF_FIVE_COPIES
    assert found.find(ask(deployment="trio", cluster_nodes=7)) is None
    assert found.find(ask(deployment="trio", group_size=1)) is None
    assert len({one.same for one in every}) == 3, "a later run's takes the place of its own only"
    assert THREE.same == capacity(cluster_nodes=3, group_size=3).same


def test_each_stands_on_the_board_of_sizes_under_a_name_of_its_own() -> None:
    questions, sizes, left_out = boards(
        ask(deployment="trio"), BOOK, Capacities(DAY, own=(THREE, OF_FIVE, OF_FIVE_COPIES))
    )
    assert left_out == []
    assert [(size["option_id"], size["option"], size["capacity_msg_per_s"]) for size in sizes] == [
        ("m7g.large", "RabbitMQ trio of m7g.large", 500.0),
        ("m7g.large.5-nodes.3-copies", "RabbitMQ quorum cluster of 5 m7g.large", 800.0),
        (
            "m7g.large.5-nodes.5-copies",
            "RabbitMQ quorum cluster of 5 m7g.large, 5 copies of each message",
            300.0,
        ),
    ]
    (asked,) = questions
    hours = {option.option_id: option.lines[0].per_cluster for option in asked.options}
    assert [hours[size["option_id"]] for size in sizes] == [3 * 730, 5 * 730, 5 * 730]


def test_what_was_printed_of_a_pair_is_no_larger_clusters() -> None:
    asked = ask(instance="r3.large", message_bytes=100, deployment="pair")
    assert capacities(asked)
    assert capacities(asked.but(group_size=2)) == capacities(asked)
    assert capacities(asked.but(group_size=1)) == {}
    assert capacities(asked.but(cluster_nodes=4)) == {}
    assert capacities(asked.but(cluster_nodes=4, group_size=2)) == {}
    assert capacities(asked.but(deployment="trio")) == {}


def test_other_forms_beside_a_larger_cluster_have_their_own_nodes_and_it_keeps_its() -> None:
    base = question("q", ask(**FIVE, group_size=5, broker_zones=3, capacity_msg_per_s=900.0), BOOK)
    asked, *_ = ask_pairs(base)
    labels = {option.option_id: option.label for option in asked.options}
    assert labels["rabbitmq-trio"] == "RabbitMQ quorum cluster of 5 m7g.large, 5 copies of each message"
    assert (labels["rabbitmq-single"], labels["rabbitmq-pair"]) == (
        "RabbitMQ on one m7g.large",
        "RabbitMQ pair of m7g.large",
    )
    assert {each.name: (each.inputs.nodes, each.inputs.copies) for each in variants(base.inputs)} == {
        "one-node": (1, 1),
        "burstable": (5, 5),
        "burstable-standard": (5, 5),
        "one-burstable-node": (1, 1),
    }


def test_a_larger_cluster_has_every_question_that_a_trio_has() -> None:
    def purposes(inputs: Inputs) -> set[tuple[str, str]]:
        return {(each.purpose, each.varied or "") for each in ask_all("q", inputs, BOOK).questions}

    assert purposes(ask(**FIVE, msg_per_s=100)) == purposes(ask(deployment="trio", msg_per_s=100))


def test_names_say_nodes_and_copies_where_they_are_not_the_forms_own() -> None:
    said = {
        "RabbitMQ on one x": ClusterForm(deployment="single"),
        "RabbitMQ pair of x": ClusterForm(deployment="pair"),
        "RabbitMQ trio of x": ClusterForm(deployment="trio", cluster_nodes=3, group_size=3),
        "RabbitMQ trio of x, 1 copy of each message": ClusterForm(deployment="trio", group_size=1),
        "RabbitMQ mirrored cluster of 4 x": ClusterForm(deployment="pair", cluster_nodes=4),
        "RabbitMQ mirrored cluster of 4 x, 2 copies of each message": ClusterForm(
            deployment="pair", cluster_nodes=4, group_size=2
        ),
        "RabbitMQ pair of x, 1 copy of each message": ClusterForm(deployment="pair", group_size=1),
        "RabbitMQ quorum cluster of 9 x": ClusterForm(deployment="trio", cluster_nodes=9),
    }
    assert {cluster_name(form, "x"): form for form in said.values()} == said
    assert form_words(ClusterForm()) == form_words(ClusterForm(deployment="trio")) == "trio"
    assert form_words(ClusterForm(**FIVE)) == "quorum cluster of 5 nodes"
    assert (
        own_cluster(ask(**FIVE), BOOK, size="five").label == "RabbitMQ quorum cluster of 5 m7g.large (five)"
    )


def test_forms_have_the_nodes_that_their_targets_have() -> None:
    assert {nodes.deployment: nodes.count for nodes in clusters().values()} == NODES
