"""One node and burstable types beside the cluster: bills by hand, what credits sustain, what is given up."""

from __future__ import annotations

import pytest

from breakeven.pricing.bill.cheaper_variants import cheaper, variants
from breakeven.pricing.bill.cluster_capacity import capacity_of
from breakeven.pricing.bill.inputs import Inputs, ask
from breakeven.pricing.bill.questions import RABBITMQ, Question, own_cluster
from breakeven.pricing.prices.book_files import load_book
from breakeven.pricing.prices.instance_types import burstable_twin, machine

BOOK = load_book("us-east-1")
MONTH_S = 730 * 3600


def fixed_usd(inputs: Inputs) -> float:
    """Of one cluster a month, before traffic: what its lines bill by the cluster."""
    lines = own_cluster(inputs, BOOK).lines
    return sum(
        BOOK.known(line.service, line.item).cost(line.per_cluster) for line in lines if line.own is None
    )


def line_of(inputs: Inputs, name: str):
    return next((line for line in own_cluster(inputs, BOOK).lines if line.line == name), None)


def test_the_baselines_are_those_of_the_users_guide():
    shares = {"nano": 0.05, "micro": 0.1, "small": 0.2, "medium": 0.2, "large": 0.3, "xlarge": 0.4}
    for family in ("t3", "t4g"):
        found = {size: machine(f"{family}.{size}").cpu_credit_baseline for size in shares}
        assert found == shares


@pytest.mark.parametrize(
    ("instance", "twin"),
    [
        ("m7g.large", "t4g.large"),
        ("m7i.large", "t3.large"),
        ("m7g.xlarge", "t4g.xlarge"),
        ("c7g.large", "t4g.medium"),
        ("m7g.2xlarge", None),
        ("m7g.medium", None),
        ("t4g.large", None),
        ("x.y", None),
    ],
)
def test_a_burstable_twin_has_the_vcpus_the_memory_and_the_architecture(instance, twin):
    assert burstable_twin(instance) == twin


def test_one_node_costs_what_one_node_costs():
    # 730 h of m7g.large, 20 GB of gp3, ten metrics and five alarms
    by_hand = 730 * 0.0816 + 20 * 0.08 + 10 * 0.30 + 5 * 0.10
    (one, *_) = variants(ask())
    assert (one.name, one.inputs.deployment) == ("one-node", "single")
    assert fixed_usd(one.inputs) == pytest.approx(by_hand)
    assert one.gives_up.startswith("no copy")


def test_surplus_credits_are_billed_for_what_a_full_cluster_uses_above_its_baseline():
    # a mean of 0.7 / 3 = 23.33% of each vCPU, of which credits sustain 20%; three nodes of two vCPUs
    inputs = ask(instance="t4g.medium", capacity_msg_per_s=3000)
    line = line_of(inputs, "surplus CPU credits")
    assert line.per_cluster == pytest.approx(3 * 2 * 730 * (0.7 / 3 - 0.2))
    nodes = 3 * (730 * 0.0336 + 20 * 0.08 + 10 * 0.30 + 5 * 0.10)
    assert fixed_usd(inputs) == pytest.approx(nodes + 3 * 2 * 730 * (0.7 / 3 - 0.2) * 0.04)
    assert line_of(ask(instance="t4g.large"), "surplus CPU credits") is None, "30% is more than the mean"
    assert line_of(ask(instance="m7g.large"), "surplus CPU credits") is None
    steady = line_of(ask(instance="t3.large", peak_factor=1), "surplus CPU credits")
    assert (steady.service, steady.item) == ("ec2_credits", "t3")
    assert steady.per_cluster == pytest.approx(3 * 2 * 730 * (0.7 - 0.3))


def test_in_standard_mode_a_cluster_carries_what_credits_sustain_and_no_credit_is_billed():
    inputs = ask(instance="t4g.medium", cpu_credits="standard", capacity_msg_per_s=3000)
    found = capacity_of(inputs)
    assert (found.sustained, found.limit) == (pytest.approx(600), "CPU credits")
    assert found.mean_msg_per_s == pytest.approx(3000 * 0.2 * 0.7 / 3)
    assert found.describe() == "3,000 msg/s with one node down, but CPU credits sustain 600 msg/s"
    assert found.needed(100) == pytest.approx(100 * 3 / 0.7 / 0.2), "while it has credits"
    assert line_of(inputs, "surplus CPU credits") is None
    unlimited = capacity_of(inputs.but(cpu_credits="unlimited"))
    assert (unlimited.sustained, unlimited.limit) == (3000, "capacity")
    other = capacity_of(ask(cpu_credits="standard", capacity_msg_per_s=3000))
    assert (other.sustained, other.limit) == (3000, "capacity"), "not a burstable type"


def of(name: str, found: list[Question]) -> Question:
    return next(each for each in found if each.question_id.endswith(f".{name}"))


def test_variants_have_the_clusters_inputs_but_its_capacity():
    base = Question(
        "q", "headline", ask(msg_per_s=500, message_bytes=2048, capacity_msg_per_s=9000, hours=3), BOOK, ()
    )
    found, left_out = cheaper(base)
    assert left_out == []
    assert [each.question_id for each in found] == [
        "q.one-node",
        "q.burstable",
        "q.burstable-standard",
        "q.one-burstable-node",
    ]
    for each in found:
        assert (each.inputs.msg_per_s, each.inputs.message_bytes, each.inputs.hours) == (500, 2048, 3)
        assert each.inputs.capacity_msg_per_s is None, "nobody has measured that cluster"
        (own,) = [option for option in each.options if option.option_id == RABBITMQ]
        assert {option.side for option in each.options} == {"sqs", "self-hosted"}
        assert own.label.startswith("RabbitMQ ")
    labels = [option.label for each in found for option in each.options if option.option_id == RABBITMQ]
    assert labels == [
        "RabbitMQ on one m7g.large",
        "RabbitMQ trio of t4g.large (unlimited credits)",
        "RabbitMQ trio of t4g.large (standard credits)",
        "RabbitMQ on one t4g.large (unlimited credits)",
    ]
    assert "slowed down" in of("burstable-standard", found).varied
    assert "no copy" in of("one-burstable-node", found).varied


def test_a_capacity_that_is_known_of_just_the_variant_prices_it():
    def known(inputs: Inputs) -> Inputs:
        return inputs.but(capacity_msg_per_s=1200) if inputs.deployment == "single" else inputs

    found, _ = cheaper(Question("q", "headline", ask(), BOOK, ()), known)
    assert of("one-node", found).inputs.capacity_msg_per_s == 1200
    assert of("burstable", found).inputs.capacity_msg_per_s is None
    (own,) = [option for option in of("one-node", found).options if option.option_id == RABBITMQ]
    assert own.messages_per_cluster == pytest.approx(1200 * 0.7 / 3 * MONTH_S)


def test_a_variant_whose_price_is_not_known_is_left_out_and_said():
    without = [price for price in BOOK.prices if price.item != "t4g.large"]
    found, left_out = cheaper(
        Question("q", "headline", ask(), BOOK.model_copy(update={"prices": tuple(without)}), ())
    )
    assert [each.question_id for each in found] == ["q.one-node"]
    assert len(left_out) == 3
    assert "RabbitMQ trio of t4g.large" in left_out[0]
    assert "is not priced beside" in left_out[0]


def test_of_one_node_of_a_burstable_type_there_is_nothing_cheaper():
    assert list(variants(ask(deployment="single", instance="t4g.large"))) == []
