"""A smaller type of the family, where the quota of vCPUs has no room for the usual nodes."""

from __future__ import annotations

import pytest

from breakeven.planning.machine_availability import Account
from breakeven.planning.plan import Plan, make_plan
from breakeven.pricing.prices.book_files import load_book
from breakeven.pricing.prices.instance_types import smaller_types
from breakeven.steps.run.account_capacity import instance_types
from breakeven.steps.run.costs import ask_about
from breakeven.workload.read import parse_suite
from breakeven.workload.suite import Suite

SQS, TRIO, PAIR = "sqs-standard", "rabbitmq-quorum-trio", "rabbitmq-mirrored-pair"


def suite(targets=(SQS, TRIO, PAIR), **more) -> Suite:
    scenarios = {"p": {"threads": 1, "message_size": "16B"}}
    document = {"suite": "small", "title": "Small", "targets": list(targets), "instrument": False}
    return parse_suite({**document, "scenarios": scenarios, **more}, "small.yaml")


def planned(vcpus: float | None, asked: Suite | None = None, **more) -> Plan:
    return make_plan(asked or suite(), run_id="run-1", account=Account(vcpus=vcpus, **more))


def types(made: Plan) -> dict[str, str]:
    return {case.target: case.machines.instance_type for case in made.cases if case.machines}


def test_smaller_types_are_of_the_family_the_largest_first():
    assert smaller_types("m7g.xlarge") == ["m7g.large", "m7g.medium"]
    assert smaller_types("m7g.medium") == []
    assert smaller_types("x.y") == []


@pytest.mark.parametrize(
    ("vcpus", "instance_type"), [(None, "m7g.large"), (6, "m7g.large"), (5, "m7g.medium"), (3, "m7g.medium")]
)
def test_every_cluster_of_a_suite_is_on_the_largest_type_of_which_each_fits(vcpus, instance_type):
    made = planned(vcpus)
    assert types(made) == {TRIO: instance_type, PAIR: instance_type}
    assert made.refusals == []
    assert {leg.machines.instance_type for legs in made.rounds for leg in legs if leg.machines} == {
        instance_type
    }
    assert bool(made.machine_notes) == (instance_type == "m7g.medium")


def test_what_is_said_names_types_quota_and_the_cluster_that_does_not_fit():
    assert planned(5).machine_notes == [
        "rabbitmq-quorum-trio and rabbitmq-mirrored-pair: nodes are m7g.medium and not m7g.large, as the "
        "account may run 5 vCPUs of standard instances, and 3 x m7g.large of rabbitmq-quorum-trio have up to "
        "6. What they carry is that of the smaller type; ask AWS for more of quota L-1216C47A of EC2 in "
        "Service Quotas."
    ]


def test_a_suite_whose_clusters_fit_stays_as_it_is():
    made = planned(5, suite(targets=(SQS, PAIR)))
    assert (types(made), made.machine_notes) == ({PAIR: "m7g.large"}, [])


def test_machines_that_the_suite_names_stand_and_are_refused():
    sizes = {"usual": {"volume_gb": 30}}
    made = planned(5, suite(machines={TRIO: sizes}))
    assert types(made) == {f"{TRIO}_usual": "m7g.large", PAIR: "m7g.large"}
    assert [(each.field, each.value) for each in made.refusals] == [
        (f"machines.{TRIO}.usual.instance_type", "m7g.large")
    ]
    assert "choose a smaller type" in made.refusals[0].remedy


def test_where_not_even_the_smallest_fits_the_quota_is_to_be_raised():
    made = planned(2)
    assert [(each.field, each.value) for each in made.refusals] == [(f"targets.{TRIO}", "m7g.medium")]
    assert made.refusals[0].remedy == (
        "3 of them have 3 vCPUs, and the account may run 2 (quota L-1216C47A of EC2): ask AWS for more in "
        "Service Quotas"
    )


@pytest.mark.parametrize(
    "lacking", [{"zones": {"m7g.medium": ()}}, {"free_plan": True, "free_types": ("m7g.large",)}]
)
def test_a_smaller_type_that_is_not_to_be_had_is_not_taken(lacking):
    made = planned(5, **lacking)
    assert types(made) == {TRIO: "m7g.large", PAIR: "m7g.large"}
    assert [each.value for each in made.refusals] == ["m7g.large"]


def test_nodes_of_the_smaller_type_are_spread_over_the_zones_that_offer_it():
    zones = {"m7g.large": ("a", "b"), "m7g.medium": ("b", "c")}
    assert {case.machines.zones for case in planned(5, zones=zones).cases if case.machines} == {("b", "c")}


def test_the_bill_is_of_the_nodes_that_are_launched():
    made = planned(5)
    asked = ask_about(made.cases, 16, load_book("us-east-1"))
    today = {question.inputs.instance for question in asked.questions if question.book.name == "us-east-1"}
    assert today == {"m7g.medium"}
    assert ("ec2", "m7g.medium") in {(line.service, line.item) for line in made.estimate.lines}


def test_the_account_is_asked_about_smaller_types_where_the_suite_names_none():
    assert instance_types(suite()) == ["m7g.large", "m7g.medium"]
    assert instance_types(suite(targets=(PAIR,), machines={PAIR: {"large": {}}})) == ["m7g.large"]
