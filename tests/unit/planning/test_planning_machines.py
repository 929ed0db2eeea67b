"""What the plan makes of machines: their price, an image, zones and the account's quota."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from breakeven.errors import InputError
from breakeven.planning.budget.lane_lines import cross_zone_gb
from breakeven.planning.machine_availability import Account, lanes_at_once, placed, refusals
from breakeven.planning.plan import Plan, make_plan
from breakeven.pricing.prices.book_files import load_book
from breakeven.steps.run import account_capacity
from breakeven.steps.run.costs import ask_about
from breakeven.workload.ebs_volumes import VOLUMES
from breakeven.workload.read import parse_suite
from cli.main import main
from tests.support.money.traffic_by_hand import moved

PAIR = "rabbitmq-mirrored-pair"
SIZES = {"large": {}, "xlarge": {"instance_type": "m7g.xlarge", "volume_gb": 50}}


def suite(sizes=SIZES, targets=("sqs-standard", PAIR), **more):
    document = {"suite": "sizes", "title": "Sizes", "targets": list(targets), "machines": {PAIR: sizes}}
    scenarios = {"p": {"threads": 1, "message_size": "16B"}}
    return parse_suite({**document, "instrument": False, "scenarios": scenarios, **more}, "sizes.yaml")


def planned(sizes=SIZES, account=None, region="us-east-1", **options) -> Plan:
    room = {"account": account} if account else {}
    return make_plan(suite(sizes), run_id="run-1", region=region, **room, **options)


def test_each_size_is_priced_by_its_own_type_and_volume():
    lines = {(line.service, line.item): line for line in planned().estimate.lines}
    lanes = planned().estimate.lanes
    for name, item in (("large", "m7g.large"), ("xlarge", "m7g.xlarge")):
        line = lines["ec2", item]
        assert line.quantity == pytest.approx(2 * lanes[f"{PAIR}_{name}"] / 3600, rel=1e-3)
        assert line.unit_usd == load_book("us-east-1").price("ec2", item).usd
    gb_hours = sum(2 * gb * lanes[f"{PAIR}_{name}"] / 3600 for name, gb in (("large", 20), ("xlarge", 50)))
    assert lines["ebs", "gp3_gb_month"].quantity == pytest.approx(gb_hours / 730, rel=1e-3)


@pytest.mark.parametrize(
    ("named", "taken"),
    [("r3.xlarge", "r7g.xlarge"), ("r3.4xlarge", "r7g.4xlarge"), ("c3.2xlarge", "c7g.2xlarge")],
)
def test_a_type_of_a_generation_that_has_passed_is_replaced_and_the_plan_says_so(named, taken):
    made = planned({"old": {"instance_type": named}, "new": {"instance_type": taken}})
    machines = {case.target.size: case.machines for case in made.cases if case.machines}
    assert {each.instance_type for each in machines.values()} == {taken}
    assert machines["old"] == machines["new"]
    (note,) = made.machine_notes
    assert note.startswith(
        f"{PAIR}_old: nodes are {taken} and not {named}, which is of a generation that has"
    )
    assert {line.item for line in made.estimate.lines if line.service == "ec2"} >= {taken}
    assert account_capacity.instance_types(suite({"old": {"instance_type": named}})) == [taken]


def test_each_type_of_volume_is_priced_by_its_own_size_and_what_is_provisioned():
    sizes = {
        "usual": {},
        "older": {"volume_type": "gp2", "volume_gb": 50},
        "faster": {"volume_type": "io2", "volume_gb": 30, "volume_iops": 10_000},
        "fast": {"volume_type": "io2"},
    }
    made = planned(sizes)
    lines = {line.item: line for line in made.estimate.lines if line.service == "ebs"}
    months = {name: 2 * made.estimate.lanes[f"{PAIR}_{name}"] / 3600 / 730 for name in sizes}
    for item, quantity in (
        ("gp3_gb_month", 20 * months["usual"]),
        ("gp2_gb_month", 50 * months["older"]),
        ("io2_gb_month", 30 * months["faster"] + 20 * months["fast"]),
        ("io2_iops_month", 10_000 * months["faster"] + 3000 * months["fast"]),
    ):
        assert lines.pop(item).quantity == pytest.approx(quantity, rel=1e-3), item
    assert lines == {}


@pytest.mark.parametrize(
    ("size", "field", "remedy"),
    [
        ({"volume_type": "st1", "volume_gb": 500}, "volume_type", "no instance boots from such a volume"),
        ({"volume_type": "gp2", "volume_gb": 16_385}, "volume_gb", "gp2 has at most 16,384 GB"),
        ({"volume_iops": 5000}, "volume_iops", "are provisioned with io2 only; give volume_type: io2"),
        ({"volume_type": "gp2", "volume_iops": 5000}, "volume_iops", "are provisioned with io2 only"),
        (
            {"volume_type": "io2", "volume_iops": 20_001},
            "volume_iops",
            "at most 20,000 with so small a volume",
        ),
        ({"zones": 3}, "zones", "2 nodes can be in 2 zones at most; give fewer"),
    ],
)
def test_what_a_node_cannot_have_is_refused_with_what_it_can(size, field, remedy):
    with pytest.raises(InputError, match=rf"machines.{PAIR}.odd.{field}: .*{remedy}"):
        planned({"odd": size})


@pytest.mark.parametrize("kind", VOLUMES)
def test_a_suite_and_a_question_of_money_take_the_same_largest_volume_of_each_type(kind, capsys):
    """Of st1 none."""
    for gb in (VOLUMES[kind].gb[1], VOLUMES[kind].gb[1] + 1):
        try:
            planned({"odd": {"volume_type": kind, "volume_gb": gb}})
            is_planned = True
        except InputError:
            is_planned = False
        code = main(["crossover", "--volume", kind, "--volume-gb", str(gb), "--amazon-mq", "none"])
        is_taken = kind != "st1" and gb == VOLUMES[kind].gb[1]
        assert (is_planned, code == 0) == (is_taken, is_taken), gb


def test_a_question_of_money_prices_the_volume_that_was_measured_on():
    sizes = {"faster": {"volume_type": "io2", "volume_gb": 30, "volume_iops": 10_000}}
    inputs = ask_about(planned(sizes).cases, 1024, load_book("us-east-1")).questions[0].inputs
    assert (inputs.volume, inputs.volume_gb, inputs.volume_iops) == ("io2", 30, 10_000)
    usual = ask_about(planned({"large": {}}).cases, 1024, load_book("us-east-1")).questions[0].inputs
    assert (usual.volume, usual.volume_iops) == ("gp3", 3000)


def test_zones_that_are_asked_for_are_priced_and_hold_wherever_the_type_is_offered():
    sizes = {"usual": {}, "together": {"zones": 1}, "apart": {"zones": 2}}
    made = planned(sizes)
    assert made.machine_notes == [
        f"{PAIR}_together: its 2 nodes are launched in 1 zone.",
        f"{PAIR}_apart: its 2 nodes are launched in 2 zones.",
    ]
    one, two = (planned({"own": {"zones": zones}}) for zones in (1, 2))
    asked = (ask_about(each.cases, 1024, load_book("us-east-1")).questions[0] for each in (made, one, two))
    assert [question.inputs.broker_zones for question in asked] == [None, 1, 2]
    assert crossing_gb(one) < crossing_gb(two) == crossing_gb(planned({"own": {}}))
    account = Account(zones={"m7g.large": ("a", "b", "c")})
    found = {case.target: case.machines.zones for case in placed(made.cases, account) if case.machines}
    assert found == {f"{PAIR}_usual": ("a", "b"), f"{PAIR}_together": ("a",), f"{PAIR}_apart": ("a", "b")}


def test_more_zones_than_offer_the_type_are_refused_with_those_that_do():
    account = Account(zones={"m7g.large": ("a",)})
    cases = placed(planned({"apart": {"zones": 2}, "usual": {}}).cases, account)
    (refused,) = refusals(cases, load_book("us-east-1"), account)
    assert (refused.field, refused.value) == (f"machines.{PAIR}.apart.zones", "2")
    assert refused.remedy.startswith("m7g.large is offered in a of this deployment's zones: give 1, or")


def crossing_gb(made):
    return next(line.quantity for line in made.estimate.lines if line.item == "cross_zone_gb")


def test_a_type_without_a_successor_stands():
    made = planned({"old": {"instance_type": "c3.8xlarge"}})
    assert {case.machines.instance_type for case in made.cases if case.machines} == {"c3.8xlarge"}
    assert made.machine_notes == []


def test_a_leg_carries_its_machines():
    legs = {leg.target: leg for legs in planned().rounds for leg in legs}
    assert legs["sqs-standard"].machines is None
    assert legs[f"{PAIR}_xlarge"].machines.instance_type == "m7g.xlarge"


@pytest.mark.parametrize(
    ("sizes", "options", "field", "remedy"),
    [
        (
            {"new": {"instance_type": "m8g.large"}},
            {"region": "ap-southeast-1"},
            f"machines.{PAIR}.new.instance_type",
            "not offered in ap-southeast-1",
        ),
        (
            {"intel": {"instance_type": "m7i.large"}},
            {"account": Account(images=("arm64",))},
            f"machines.{PAIR}.intel.instance_type",
            "-c breakeven:image_architectures=arm64,x86_64",
        ),
        (
            {"large": {}},
            {"account": Account(zones={"m7g.large": ()})},
            f"machines.{PAIR}.large.instance_type",
            "none of this deployment's zones offers it",
        ),
        (
            {"large": {}},
            {"account": Account(free_plan=True, free_types=("t4g.small",))},
            f"machines.{PAIR}.large.instance_type",
            "on AWS' free plan, on which EC2 launches only types eligible for the Free Tier, and this is "
            "none: upgrade the account to the paid plan",
        ),
        (
            {"xlarge": {"instance_type": "m7g.xlarge"}},
            {"account": Account(vcpus=7)},
            f"machines.{PAIR}.xlarge.instance_type",
            "2 of them have 8 vCPUs, and the account may run 7 (quota L-1216C47A of EC2)",
        ),
    ],
)
def test_machines_that_are_not_to_be_had_are_refused(sizes, options, field, remedy):
    found = [refusal for refusal in planned(sizes, **options).refusals if refusal.field == field]
    assert [refusal.value for refusal in found] == [
        sizes[field.split(".")[2]].get("instance_type", "m7g.large")
    ]
    assert remedy in found[0].remedy
    assert planned().refusals == []


@pytest.mark.parametrize(("vcpus", "lanes"), [(None, 3), (12, 3), (11, 1), (8, 1)])
def test_lanes_that_do_not_fit_at_once_go_one_after_another(vcpus, lanes):
    """4 vCPUs of the large pair and 8 of the other; beside them SQS has none."""
    made = planned(account=Account(vcpus=vcpus))
    assert (made.lanes_at_once, made.refusals) == (lanes, [])
    assert lanes_at_once(made.cases, Account(vcpus=vcpus)) == lanes
    slower = made.estimate.seconds - planned().estimate.seconds
    assert (slower > 200) == (lanes == 1), "a run that takes longer has a later deadline"


def test_of_three_lanes_as_many_go_at_once_as_fit_whichever_they_are():
    sizes = {name: {"volume_gb": gb} for name, gb in (("a", 20), ("b", 30), ("c", 40))}
    made = planned(sizes, account=Account(vcpus=9))
    assert made.lanes_at_once == 2


def test_each_node_goes_to_another_zone_that_offers_the_type_as_far_as_there_are_some():
    zones = {"m7g.large": ("a", "b", "c"), "m7g.xlarge": ("b",)}
    made = planned(account=Account(zones=zones))
    assert {case.target: case.machines.zones for case in made.cases if case.machines} == {
        f"{PAIR}_large": ("a", "b"),
        f"{PAIR}_xlarge": ("b",),
    }
    assert {case.machines.zones for case in planned().cases if case.machines} == {()}, "not known"


def test_what_goes_from_zone_to_zone_is_of_the_zones_that_the_nodes_are_in():
    (case,) = [case for case in planned({"one": {}}).cases if case.machines]

    def gb(*zones: str) -> float:
        return cross_zone_gb(case.model_copy(update={"machines": _in(case.machines, zones)}))

    assert gb() == gb("a", "b")
    # of a pair in one zone only clients in the other cross: half of publishes and half of deliveries
    clients, all_of_it = moved(16, clients=1), moved(16, mirrored=2.5, clients=1, hops=1)
    assert gb("a") == pytest.approx(gb("a", "b") * clients / all_of_it)


def _in(machines, zones):
    return machines.model_copy(update={"zones": zones})


def test_the_bill_is_of_a_cluster_in_the_zones_that_offer_its_type():
    book = load_book("us-east-1")
    for zones, asked in ((("a", "b"), 2), (("b",), 1)):
        made = planned({"one": {}}, account=Account(zones={"m7g.large": zones}))
        assert ask_about(made.cases, 16, book).questions[0].inputs.zones == asked


def test_the_cost_notes_give_the_price_of_each_size():
    made, book = planned(environment="local"), load_book("us-east-1")
    notes = [note for note in ask_about(made.cases, 16, book).notes if "a month, before traffic" in note]
    large = 2 * 730 * 0.0816 + 2 * 20 * 0.08
    fixed = ask_about(planned({"large": {}}).cases, 16, book)
    assert not [note for note in fixed.notes if "before traffic" in note], "there is nothing to tell apart"
    assert [note.split(": $")[0] for note in notes] == [
        "RabbitMQ mirrored pair, large (2 x m7g.large with 20 GB each)",
        "RabbitMQ mirrored pair, xlarge (2 x m7g.xlarge with 50 GB each)",
    ]
    dollars = [float(note.split("$")[1].split(" ")[0]) for note in notes]
    assert dollars[0] == pytest.approx(large + 2 * (10 * 0.30 + 5 * 0.10), abs=0.02)
    assert dollars[1] - dollars[0] == pytest.approx(2 * 730 * 0.0816 + 2 * 30 * 0.08, abs=0.02)


class Quotas:
    """Answers for one quota, or refuses."""

    def __init__(self, value: float | None) -> None:
        self._value = value

    def get_service_quota(self, *, ServiceCode: str, QuotaCode: str) -> dict[str, Any]:
        if self._value is None:
            raise ClientError(
                {"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "GetServiceQuota"
            )
        assert (ServiceCode, QuotaCode) == ("ec2", "L-1216C47A")
        return {"Quota": {"Value": self._value}}


@pytest.fixture
def aws(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("BREAKEVEN_ZONES", "us-east-1a,us-east-1b")
    monkeypatch.setenv("BREAKEVEN_BROKER_IMAGES", "arm64")
    quotas: dict[str, Any] = {"service-quotas": Quotas(16.0), "freetier": Plans("PAID")}
    with mock_aws():
        made = boto3.client
        monkeypatch.setattr(boto3, "client", lambda name, **more: quotas.get(name) or made(name, **more))
        yield quotas


def test_the_account_is_asked_for_its_quota_and_its_zones(aws):
    found = account_capacity.account_of(
        account_capacity.instance_types(suite({**SIZES, "wrong": {"instance_type": "x.y"}}))
    )
    assert (found.images, found.vcpus) == (("arm64",), 16.0)
    assert set(found.zones) == {"m7g.large", "m7g.xlarge"}
    assert set(found.zones["m7g.large"]) <= {"us-east-1a", "us-east-1b"}


class Plans:
    """The Free Tier API of an account."""

    def __init__(self, answer: str) -> None:
        self._answer = answer

    def get_account_plan_state(self) -> dict[str, Any]:
        if self._answer in {"FREE", "PAID"}:
            return {"accountPlanType": self._answer, "accountPlanStatus": "ACTIVE"}
        raise ClientError({"Error": {"Code": self._answer, "Message": "no"}}, "GetAccountPlanState")


@pytest.mark.parametrize(
    ("answer", "free", "refused"),
    [
        ("FREE", True, True),
        ("PAID", False, False),
        ("ResourceNotFoundException", False, False),
        ("AccessDeniedException", None, False),
    ],
)
def test_an_account_on_the_free_plan_is_refused_what_ec2_would_not_launch_there(aws, answer, free, refused):
    aws["freetier"] = Plans(answer)
    room = account_capacity.account_of(["m7g.large"])
    assert room.free_plan is free
    found = [each for each in planned({"large": {}}, account=room).refusals if "free plan" in each.remedy]
    assert [(each.field, each.value) for each in found] == (
        [(f"machines.{PAIR}.large.instance_type", "m7g.large")] if refused else []
    )


def test_a_type_that_is_eligible_for_the_free_tier_may_be_launched_on_the_free_plan(aws):
    aws["freetier"] = Plans("FREE")
    # what moto's EC2 marks as eligible; today's list is longer
    assert account_capacity.account_of(["m7g.large", "t3.micro"]).free_types == ("t3.micro",)
    eligible = Account(free_plan=True, free_types=("m7g.large",))
    assert planned({"large": {}}, account=eligible).refusals == []


def test_nodes_are_launched_only_in_zones_that_offer_their_type_and_none_is_refused(aws, monkeypatch):
    """As us-east-1's use1-az3, which has no Graviton: the second of the default zones, or both."""
    offered: list[str] = []
    pages = [{"InstanceTypeOfferings": []}, {"InstanceTypeOfferings": []}]

    class Ec2:
        def get_paginator(self, name: str) -> Any:
            if name == "describe_instance_types":
                return SimpleNamespace(paginate=lambda **_: [{"InstanceTypes": []}])
            assert name == "describe_instance_type_offerings"
            pages[1]["InstanceTypeOfferings"] = [
                {"InstanceType": "m7g.large", "Location": zone} for zone in offered
            ]
            return SimpleNamespace(paginate=lambda **_: pages)

    aws["ec2"] = Ec2()
    (refusal,) = planned({"large": {}}, account=account_capacity.account_of(["m7g.large"])).refusals
    assert (refusal.field, refusal.value) == (f"machines.{PAIR}.large.instance_type", "m7g.large")
    assert "none of this deployment's zones offers it: choose another type, or destroy" in refusal.remedy
    offered.append("us-east-1b")
    made = planned({"large": {}}, account=account_capacity.account_of(["m7g.large"]))
    assert made.refusals == []
    assert {case.machines.zones for case in made.cases if case.machines} == {("us-east-1b",)}


def test_what_cannot_be_asked_holds_nothing_up(aws):
    aws["service-quotas"] = Quotas(None)
    assert account_capacity.account_of(["m7g.large"]).vcpus is None
    assert account_capacity.account_of([]) == Account(images=("arm64",))
