"""Amazon MQ's brokers as a suite names them: planned, priced, and refused where they cannot be."""

from __future__ import annotations

import pytest

from breakeven.errors import InputError
from breakeven.planning.budget.metric_lines import has_metrics, metrics_read
from breakeven.planning.budget.planning_assumptions import OVERHEADS
from breakeven.planning.budget.state_calls import loader_s
from breakeven.planning.execution_limits import (
    BROKER_LIMIT_S,
    BROKER_LOOKS_EVERY_S,
    RELEASE_LIMIT_S,
    history_events,
)
from breakeven.planning.machine_availability import Account, machines_of, to_bake
from breakeven.planning.plan import Plan, make_plan
from breakeven.pricing.prices.book_files import load_book
from breakeven.pricing.prices.broker_types import USUAL, broker_types
from breakeven.steps.run.account_capacity import instance_types
from breakeven.steps.run.plan_run import _broker_images, _leg
from breakeven.targets.catalog import record_of
from breakeven.targets.records.amazon_mq_records import AMAZON_MQ_RELEASE, AMAZON_MQ_TYPE
from breakeven.terms import TargetName
from breakeven.workload.node_faults import REBOOT_S
from breakeven.workload.read import parse_suite
from breakeven.workload.suite import Suite

CLUSTER, SINGLE, TRIO = "amazon-mq-cluster", "amazon-mq-single", "rabbitmq-quorum-trio"
XLARGE = TargetName.of(CLUSTER, "xlarge")
SIZES = {CLUSTER: {"large": {}, "xlarge": {"instance_type": "mq.m7g.xlarge"}}}


def suite(targets=(CLUSTER, SINGLE), settings=None, **more) -> Suite:
    scenarios = {"p": {"threads": 2, "message_size": "1KiB", **(settings or {})}}
    document = {"suite": "managed", "title": "Managed", "targets": list(targets), "instrument": False}
    return parse_suite({**document, "warm_up": False, "scenarios": scenarios, **more}, "managed.yaml")


def planned(asked: Suite | None = None, **more) -> Plan:
    return make_plan(asked or suite(), **{"run_id": "run-1", **more})


def test_a_lane_has_the_broker_that_its_suite_names():
    made = planned(suite(machines=SIZES))
    machines = {case.target: case.machines for case in made.cases}
    assert {name: (each.instance_type, each.nodes, each.volume_gb) for name, each in machines.items()} == {
        TargetName.of(CLUSTER, "large"): ("mq.m7g.large", 3, 15),
        XLARGE: ("mq.m7g.xlarge", 3, 25),
        SINGLE: ("mq.m7g.large", 1, 200),
    }
    assert {each.service for each in machines.values()} == {"amazonmq"}
    assert planned().refusals == []


def test_it_takes_nothing_of_ec2s_quotas_images_and_zones():
    made = planned(suite([CLUSTER, TRIO]), account=Account(vcpus=6, baked={"debian-13-arm64": False}))
    assert list(machines_of(made.cases)) == [TRIO]
    assert to_bake([case for case in made.cases if case.target == CLUSTER], Account()) == []
    assert made.lanes_at_once == 2
    assert all("mq." not in name for name in instance_types(suite([CLUSTER, TRIO])))
    assert len(_broker_images(made)) == 1


def test_a_leg_says_that_its_broker_is_created():
    made = planned(suite([CLUSTER, TRIO, "sqs-standard"])).model_dump(mode="json")
    legs = {leg["target"]: _leg(planned(), leg) for legs in made["rounds"] for leg in legs}
    assert {name: (leg["brokers"], leg["managed"]) for name, leg in legs.items()} == {
        CLUSTER: (True, True),
        TRIO: (True, False),
        "sqs-standard": (False, False),
    }


def test_brokers_and_their_disks_are_priced_for_as_long_as_their_lanes_take():
    book = load_book("us-east-1")
    made = planned()
    lines = {(line.service, line.item): line for line in made.estimate.lines if line.service == "amazonmq"}
    hours = made.estimate.lanes[CLUSTER] / 3600
    cluster = lines["amazonmq", "cluster.mq.m7g.large"]
    assert cluster.quantity == pytest.approx(hours)
    assert cluster.usd == pytest.approx(hours * book.price("amazonmq", "cluster.mq.m7g.large").usd)
    disks = [line.quantity for line in made.estimate.lines if line.item == "storage_gb_month"]
    single = made.estimate.lanes[SINGLE] / 3600
    assert sorted(disks) == pytest.approx(sorted([3 * 15 * hours / 730, 200 * single / 730]))
    assert not [line for line in made.estimate.lines if line.service == "ec2"]


def test_a_reboot_is_paid_for_as_long_as_it_may_take():
    reboot = {"faults": [{"at_s": 10, "kind": "reboot"}]}
    plain, rebooting = (planned(suite([CLUSTER], {"measure_s": 60, **more})) for more in ({}, reboot))
    before, after = (
        {f"{line.service}/{line.item}": line.quantity for line in made.estimate.lines}
        for made in (plain, rebooting)
    )
    (case,) = rebooting.cases
    ordered_s = OVERHEADS["aws"].gate + case.workload.warmup_s + 10
    longer_s = ordered_s + REBOOT_S - loader_s(case)  # the watch, than the loaders
    more = {name: after[name] - before[name] for name in before}
    assert longer_s > 0
    assert more["lambda/gb_second_arm"] == pytest.approx((longer_s + ordered_s + REBOOT_S) * 0.5)
    assert more["s3/put"] == pytest.approx(ordered_s + 4 * longer_s)
    assert more["dynamodb/read"] == pytest.approx(ordered_s + 4 * longer_s)


def test_a_lane_takes_as_long_as_its_broker_to_be_created():
    lanes = planned(suite([CLUSTER, TRIO])).estimate.lanes
    later = record_of(CLUSTER).open_lane_s["aws"] - record_of(TRIO).open_lane_s["aws"]
    assert lanes[CLUSTER] - lanes[TRIO] == pytest.approx(later)
    assert 15 * 60 <= record_of(CLUSTER).open_lane_s["aws"] <= 25 * 60 < BROKER_LIMIT_S


def test_each_look_at_it_adds_to_the_executions_history():
    one, two = (history_events(planned(suite(targets)).cases) for targets in ([CLUSTER], [CLUSTER, SINGLE]))
    assert two - one > 9 * (BROKER_LIMIT_S + RELEASE_LIMIT_S) // BROKER_LOOKS_EVERY_S


def test_on_one_machine_it_is_refused_with_the_reason():
    made = planned(environment="local")
    (refusal,) = made.refusals
    assert (refusal.field, refusal.value) == ("targets", f"{CLUSTER}, {SINGLE}")
    assert "--on aws" in refusal.remedy
    with pytest.raises(InputError, match="nothing here stands in for it"):
        made.raise_if_refused()


@pytest.mark.parametrize("region", ["eu-west-1", "ap-southeast-1"])
def test_a_size_that_the_regions_book_has_no_price_of_is_refused(region):
    made = planned(suite([CLUSTER], machines=SIZES), region=region)
    # and the sum is not known, which is held to nothing
    assert {(each.field, each.value) for each in made.refusals} == {
        ("max_usd", made.max_usd),
        (f"machines.{CLUSTER}.large.instance_type", "mq.m7g.large"),
        (f"machines.{CLUSTER}.xlarge.instance_type", "mq.m7g.xlarge"),
    }
    assert "asks the Price List for it" in made.refusals[0].remedy


#: of a size: the field at fault, its value, what its remedy says
BAD = [
    ({"instance_type": "mq.m7g.lrge"}, "instance_type", "mq.m7g.lrge", "has mq.m7g.medium, mq.m7g.large"),
    ({"instance_type": "m7g.large"}, "instance_type", "m7g.large", "did you mean mq.m7g.large"),
    ({"instance_type": "mq.m5.large"}, "instance_type", "mq.m5.large", "runs RabbitMQ 4.2 on none of"),
    ({"volume_gb": 50}, "volume_gb", 50, "chooses that by the type; remove it"),
    ({"nodes": 3}, "nodes", 3, "chooses that by the type; remove it"),
    ({"architecture": "arm64"}, "architecture", "arm64", "chooses that by the type; remove it"),
]


@pytest.mark.parametrize(("size", "field", "value", "remedy"), BAD)
def test_sizes_that_amazon_mq_does_not_have_are_refused(size, field, value, remedy):
    with pytest.raises(InputError) as caught:
        planned(suite([CLUSTER], machines={CLUSTER: {"a": size}}))
    assert (caught.value.field, caught.value.value) == (f"machines.{CLUSTER}.a.{field}", value)
    assert remedy in caught.value.remedy


def test_an_instance_of_ec2_is_none_of_amazon_mqs():
    with pytest.raises(InputError, match="no such type"):
        planned(suite([TRIO], machines={TRIO: {"a": {"instance_type": "mq.m7g.large"}}}))


#: what a suite asks of a cluster -> the field and the value at fault, and what its remedy says
ASKED = [
    ({"nodes_down": 1}, "nodes_down", 1, "no call stops a node of amazon-mq-cluster"),
    ({"leaders": "one"}, "leaders", "one", "Amazon MQ lets nobody put a queue on a node"),
    ({"group_size": 1}, "group_size", 1, "makes queues of 3 members whatever is asked"),
    ({"group_size": 5}, "group_size", 5, "makes queues of 3 members whatever is asked"),
    ({"message_size": "1MiB"}, "message_size", "1MiB", "at most 512KiB a message"),
    ({"send_batch": 10}, "send_batch", 10, "one by one"),
]


@pytest.mark.parametrize(("asked", "field", "value", "remedy"), ASKED)
def test_what_no_broker_of_amazon_mq_does_is_refused(asked, field, value, remedy):
    with pytest.raises(InputError) as caught:
        planned(suite([CLUSTER], asked))
    assert (caught.value.field, caught.value.value) == (f"scenarios.p.{field}", value)
    assert remedy in caught.value.remedy


def test_queues_of_a_cluster_have_three_members_and_those_of_a_single_broker_say_nothing():
    groups = {case.target: case.workload.group_size for case in planned().cases}
    assert groups == {CLUSTER: 3, SINGLE: None}


def test_there_is_one_type_that_is_usual_and_it_runs_the_release_that_is_asked_for():
    assert USUAL == AMAZON_MQ_TYPE
    assert AMAZON_MQ_RELEASE in broker_types()[AMAZON_MQ_TYPE].releases


@pytest.mark.parametrize("targets", [[CLUSTER], [CLUSTER, SINGLE]])
def test_a_suite_of_nothing_but_unpriced_brokers_is_refused(targets):
    made = planned(suite(targets), region="eu-west-1")
    assert {each.field for each in made.refusals} == {"max_usd", *(f"targets.{name}" for name in targets)}


def test_an_unpriced_target_that_has_no_type_of_its_own_is_left_out_beside_others():
    made = planned(suite([CLUSTER, TRIO]), region="eu-west-1")
    assert {case.target for case in made.cases} == {TRIO}
    assert (made.refusals, len(made.machine_notes)) == ([], 1)
    local = planned(suite([CLUSTER, TRIO]), region="eu-west-1", environment="local")
    assert [each.field for each in local.refusals][:1] == ["targets"], "on one machine it is refused"


def test_metrics_of_a_lanes_broker_and_nodes_are_read_once_and_those_of_queues_for_each_case():
    """Four of each, and five of each of two queues."""
    managed = planned(suite([CLUSTER], {"queues": 2}, repeats=2)).cases
    queues = planned(suite(["sqs-standard"], {"queues": 2}, repeats=2)).cases
    own = planned(suite([TRIO])).cases
    assert (len(managed), len(queues)) == (2, 2)
    assert metrics_read(managed) == 4 * (1 + 3)
    assert metrics_read(queues) == 5 * 2 * 2
    assert metrics_read([*managed, *queues, *own]) == 16 + 20
    assert (metrics_read(own), has_metrics(own), has_metrics([*own, *queues])) == (0, False, True)
