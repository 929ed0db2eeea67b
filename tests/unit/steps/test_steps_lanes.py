"""What a lane makes for its nodes, and what it makes of what they register."""

from __future__ import annotations

import json
from collections import Counter

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from breakeven.agent.node_survey import Link, NodeSurvey, Times
from breakeven.brokers.access import Access, Node
from breakeven.errors import CaseError, NoRoomYetError
from breakeven.report.contract.node_model import SurveyedLink, SurveyedNode, SurveyedTimes
from breakeven.results import layout
from breakeven.results.store import Store
from breakeven.steps.lane import establish_lane, launch_brokers, release_lane
from breakeven.steps.services import Services
from breakeven.targets.records.rabbitmq_records import ROOT_DEVICE
from breakeven.targets.target import Description
from breakeven.workload.machines import Machines
from tests.support.aws.one_page import OnePage

RUN, TARGET = "run-1", "rabbitmq-mirrored-pair"
SURVEY = NodeSurvey(Times(9, 1.5, 4.0), (Link("n1", Times(9, 1.5, 4.0), 5e8),))
NO_MQ = None  # is never called for nodes that are launched
SUBNETS = {"zone-a": "subnet-a", "zone-b": "subnet-b"}
PLACE = launch_brokers.Place("template", "group", SUBNETS, {"x86_64": "ami-x"})


class Ec2(OnePage):
    """Launches what it is asked to; ``calls`` are the calls, by the subnet they are for."""

    def __init__(self) -> None:
        self.calls: dict[str, dict] = {}
        #: instance -> how it is, at one look after the other; the last one stays
        self.states: dict[str, list[dict]] = {}

    def run_instances(self, **asked):
        subnet = asked["NetworkInterfaces"][0]["SubnetId"]
        self.calls[subnet], count = asked, asked["MinCount"]
        return {"Instances": [{"InstanceId": f"i-{subnet}-{n}", "ImageId": "ami-1"} for n in range(count)]}

    def describe_instances(self, Filters):
        ((_, ids),) = [each.values() for each in Filters]
        found = [{"InstanceId": one, **self._next(one)} for one in ids]
        return {"Reservations": [{"Instances": [one]} for one in found if one["State"]["Name"] != "unknown"]}

    def _next(self, instance):
        states = self.states.get(instance, [is_now("running")])
        return states.pop(0) if len(states) > 1 else states[0]


def is_now(state, **more):
    return {"State": {"Name": state}, **more}


class Established:
    def establish(self) -> Description:
        return Description("RabbitMQ", "measured")


@pytest.fixture
def services(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        s3 = boto3.client("s3")
        s3.create_bucket(Bucket="results")
        table = boto3.resource("dynamodb").create_table(
            TableName="state",
            KeySchema=[
                {"AttributeName": "run_id", "KeyType": "HASH"},
                {"AttributeName": "item", "KeyType": "RANGE"},
            ],
            AttributeDefinitions=[
                {"AttributeName": "run_id", "AttributeType": "S"},
                {"AttributeName": "item", "AttributeType": "S"},
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        yield Services(Store(s3, "results"), table)


def launch(services: Services) -> tuple[bytes, bytes]:
    launch_brokers.launch(services, Ec2(), PLACE, RUN, TARGET)
    return tuple(services.store.get_bytes(key(RUN, TARGET)) for key in (layout.access_key, layout.cookie_key))


def test_a_second_launch_keeps_credentials_and_cookie(services):
    access, cookie = launch(services)
    assert launch(services) == (access, cookie)
    assert cookie not in access, "clients read that one"
    assert len(cookie) == 64


def register(services, certificates):
    for number, certificate in enumerate(certificates):
        place = {"name": f"n{number}", "host": "h", "amqp_port": 1, "management_port": 2}
        node = Node(
            **place,
            certificate=certificate,
            packages={"rabbitmq-server": "3.10.8-1"},
            survey=None if number else SURVEY,
        )
        key = f"{layout.nodes_prefix(RUN, TARGET)}i-{number}{layout.REGISTERED}"
        services.store.put_bytes(key, node.model_dump_json().encode())


def test_a_cluster_of_which_one_node_has_no_certificate_is_not_measured(services, monkeypatch):
    launch(services)
    monkeypatch.setattr(Services, "target", lambda *_: Established())
    register(services, ("first", None))
    with pytest.raises(CaseError, match="n1 registered no certificate"):
        establish_lane.establish(services, RUN, TARGET)


@pytest.mark.parametrize("certificates", [(None, None), ("first", "second")])
def test_nodes_that_registered_a_certificate_are_reached_over_tls(services, monkeypatch, certificates):
    launch(services)
    monkeypatch.setattr(Services, "target", lambda *_: Established())
    register(services, certificates)
    establish_lane.establish(services, RUN, TARGET)
    access = Access.model_validate_json(services.store.get_bytes(layout.access_key(RUN, TARGET)))
    assert access.tls == any(certificates)
    assert tuple(node.certificate for node in access.nodes) == certificates
    lane = services.state(RUN).get(f"lane#{TARGET}")
    assert (lane["image"], lane["packages"]) == ("ami-1", {"rabbitmq-server": "3.10.8-1"})
    (survey,) = json.loads(lane["surveys"])
    assert SurveyedNode(target=TARGET, **survey) == SurveyedNode(
        target=TARGET,
        node="n0",
        sync=SurveyedTimes(count=9, p50_ms=1.5, p99_ms=4.0),
        links=[
            SurveyedLink(
                peer="n1", round_trip=SurveyedTimes(count=9, p50_ms=1.5, p99_ms=4.0), bytes_per_s=5e8
            )
        ],
    )


def test_the_lease_is_the_runs_own_and_the_same_when_asked_again(services):
    services.state(RUN).update("run", started_at="2026-11-20T00:00:00Z", deadline_at=4_000_000_000)
    tags = []
    for _ in range(2):
        ec2 = Ec2()
        launch_brokers.launch(services, ec2, PLACE, RUN, TARGET)
        for asked in ec2.calls.values():
            (instance,) = [one for one in asked["TagSpecifications"] if one["ResourceType"] == "instance"]
            tags.append({tag["Key"]: tag["Value"] for tag in instance["Tags"]})
    assert tags[0]["breakeven:lease-s"] == str(4_000_000_000 + 3600 - 1_795_132_800)
    assert tags == [tags[0]] * 4, "two nodes, asked for twice"


def launched_on(services: Services, ec2: Ec2, **machines) -> dict:
    """The calls that launch the lane on those machines, by their subnets."""
    launch_brokers.launch(services, ec2, PLACE, RUN, TARGET, machines_with(**machines))
    return ec2.calls


def machines_with(**given) -> Machines:
    asked = {"instance_type": "m7i.large", "architecture": "x86_64", "vcpu": 2, "volume_gb": 50, "nodes": 2}
    return Machines(**{**asked, **given})


def test_five_nodes_are_launched_over_three_zones_in_turn_and_know_how_many_they_are(services, monkeypatch):
    """In moto, from a template of its own, where each zone has a subnet."""
    monkeypatch.setattr(launch_brokers, "POLL_S", 0.01)
    ec2 = boto3.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnets = {
        zone: ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{number}.0/24", AvailabilityZone=zone)["Subnet"]
        for number, zone in enumerate(f"us-east-1{letter}" for letter in "abcd")
    }
    group = ec2.create_security_group(GroupName="g", Description="g", VpcId=vpc)["GroupId"]
    image = ec2.describe_images()["Images"][0]["ImageId"]
    template = ec2.create_launch_template(LaunchTemplateName="t", LaunchTemplateData={"KeyName": "none"})
    place = launch_brokers.Place(
        template=template["LaunchTemplate"]["LaunchTemplateId"],
        group=group,
        subnets={zone: subnet["SubnetId"] for zone, subnet in subnets.items()},
        images={"x86_64": image},
    )
    machines = Machines(
        instance_type="m5.large", architecture="x86_64", vcpu=2, volume_gb=20, nodes=5, zones=()
    )
    for _ in range(2):  # as after a lost answer
        launch_brokers.launch(services, ec2, place, RUN, TARGET, machines)
    lane = services.state(RUN).get(f"lane#{TARGET}")
    found = [
        instance
        for reservation in ec2.describe_instances(InstanceIds=lane["instance_ids"])["Reservations"]
        for instance in reservation["Instances"]
    ]
    zones = Counter(instance["Placement"]["AvailabilityZone"] for instance in found)
    assert zones == {"us-east-1a": 2, "us-east-1b": 2, "us-east-1c": 1}
    assert lane["zones"] == ["us-east-1a", "us-east-1b", "us-east-1c"]
    tags = [{tag["Key"]: tag["Value"] for tag in instance["Tags"]} for instance in found]
    assert {each["breakeven:nodes"] for each in tags} == {"5"}


def test_a_lane_of_five_waits_for_all_of_them(services, monkeypatch):
    monkeypatch.setattr(establish_lane, "REGISTER_TIMEOUT_S", 0.05)
    monkeypatch.setattr(establish_lane, "POLL_S", 0.01)
    machines = Machines(instance_type="m5.large", architecture="x86_64", vcpu=2, volume_gb=20, nodes=5)
    for number in range(4):
        node = Node(name=f"n{number}", host="h", amqp_port=1, management_port=2)
        key = f"{layout.nodes_prefix(RUN, TARGET)}i-{number}{layout.REGISTERED}"
        services.store.put_bytes(key, node.model_dump_json().encode())
    with pytest.raises(CaseError, match="4 of 5 broker nodes registered"):
        establish_lane.establish(services, RUN, TARGET, machines)


@pytest.mark.parametrize(
    ("earlier", "refused"), [(None, False), ("RabbitMQ", False), ("RabbitMQ 3.10.8", True)]
)
def test_a_lane_goes_on_with_settled_cases_of_its_own_server_alone(services, monkeypatch, earlier, refused):
    """A report has one server a target, and sets its cases beside one another."""
    target, state = "sqs-standard", services.state(RUN)
    monkeypatch.setattr(Services, "target", lambda *_: Established())
    if earlier:
        state.update(f"lane#{target}", status="released", server=earlier, warm_up="settled")
    if refused:
        with pytest.raises(CaseError, match=r"RabbitMQ, but .* on RabbitMQ 3\.10\.8: resume it with"):
            establish_lane.establish(services, RUN, target, warms_up=True)
        lane = state.get(f"lane#{target}")
        assert (lane["server"], lane["warm_up"]) == (earlier, "settled")
    else:
        establish_lane.establish(services, RUN, target)
        lane = state.get(f"lane#{target}")
        assert (lane["server"], lane["status"]) == ("RabbitMQ", "ready")


@pytest.mark.parametrize(
    ("zones", "counts"),
    [
        ((), {"subnet-a": 1, "subnet-b": 1}),
        (("zone-a", "zone-b"), {"subnet-a": 1, "subnet-b": 1}),
        (("zone-b", "zone-a"), {"subnet-b": 1, "subnet-a": 1}),
        (("zone-b",), {"subnet-b": 2}),
    ],
)
def test_nodes_are_dealt_over_the_zones_and_the_lane_says_over_which(services, zones, counts):
    calls = launched_on(services, Ec2(), zones=zones)
    assert {subnet: asked["MinCount"] for subnet, asked in calls.items()} == counts
    assert all(asked["MinCount"] == asked["MaxCount"] for asked in calls.values())
    assert len({asked["ClientToken"] for asked in calls.values()}) == len(calls), "EC2 answers one token once"
    lane = services.state(RUN).get(f"lane#{TARGET}")
    assert lane["zones"] == [subnet.replace("subnet", "zone") for subnet in counts]
    assert len(lane["instance_ids"]) == len(set(lane["instance_ids"])) == 2


class Forgetful(OnePage):
    """EC2 that does not know an instance for some looks; ``terminated``: what it was to end."""

    def __init__(self, looks: int) -> None:
        self._looks, self.terminated = looks, []

    def describe_instances(self, **_):
        self._looks -= 1
        known = [{"InstanceId": "i-a", "State": {"Name": "running"}}]
        known += [{"InstanceId": "i-b", "State": {"Name": "pending"}}] if self._looks < 0 else []
        return {"Reservations": [{"Instances": [each]} for each in known]}

    def terminate_instances(self, InstanceIds):
        self.terminated += InstanceIds


def test_an_instance_on_record_that_ec2_does_not_know_yet_is_waited_for_and_terminated(services, monkeypatch):
    monkeypatch.setattr(release_lane, "POLL_S", 0.01)
    services.state(RUN).update(f"lane#{TARGET}", instance_ids=["i-a", "i-b"])
    ec2 = Forgetful(looks=3)
    assert release_lane.release_lane(services, ec2, NO_MQ, RUN, TARGET) == ["i-a", "i-b"]
    assert ec2.terminated == ["i-a", "i-b"]


def test_one_that_ec2_has_forgotten_for_good_is_waited_for_no_longer_than_it_may_be_unknown(
    services, monkeypatch
):
    monkeypatch.setattr(release_lane, "KNOWN_WITHIN_S", 0.05)
    monkeypatch.setattr(release_lane, "POLL_S", 0.01)
    services.state(RUN).update(f"lane#{TARGET}", instance_ids=["i-a", "i-b"])
    assert release_lane.release_lane(services, Forgetful(looks=10**6), NO_MQ, RUN, TARGET) == ["i-a"]


def test_more_nodes_than_zones_share_them():
    place = launch_brokers.Place("template", "group", {"a": "subnet-a", "b": "subnet-b"})
    assert place.dealt(3, None) == {"a": 2, "b": 1}
    assert place.dealt(1, None) == {"a": 1}


def test_nodes_share_as_many_zones_as_their_suite_asks_for():
    place = launch_brokers.Place("template", "group", {"a": "subnet-a", "b": "subnet-b"})
    assert place.dealt(3, machines_with(nodes=3, zone_count=1)) == {"a": 3}
    assert place.dealt(3, machines_with(nodes=3, zone_count=2, zones=("b", "a"))) == {"b": 2, "a": 1}
    with pytest.raises(CaseError, match="3 zones are asked for, and this deployment has 2: destroy the"):
        place.dealt(3, machines_with(nodes=3, zone_count=3))


def test_machines_of_its_own_take_the_place_of_the_templates(services):
    asked = launched_on(services, Ec2(), zones=("zone-b",))["subnet-b"]
    assert (asked["InstanceType"], asked["ImageId"]) == ("m7i.large", "ami-x")
    (disk,) = asked["BlockDeviceMappings"]
    assert disk["DeviceName"] == ROOT_DEVICE
    assert disk["Ebs"] == {
        "VolumeSize": 50,
        "VolumeType": "gp3",
        "Encrypted": True,
        "DeleteOnTermination": True,
    }


def test_a_volume_is_launched_as_its_suite_wants_it(services):
    calls = launched_on(services, Ec2(), volume_type="io2", volume_iops=10_000)
    disks = [asked["BlockDeviceMappings"][0]["Ebs"] for asked in calls.values()]
    assert {(disk["VolumeType"], disk["Iops"], disk["VolumeSize"]) for disk in disks} == {("io2", 10_000, 50)}


@pytest.mark.parametrize(("debian", "image"), [("12", "ami-12"), ("13", "ami-13")])
def test_nodes_are_launched_from_the_image_of_their_debian_that_the_run_has_baked_or_found(
    services, debian, image
):
    services.state(RUN).update("run", images={"arm64": "ami-12", "arm64-debian-13": "ami-13"})
    calls = launched_on(services, Ec2(), instance_type="m7g.large", architecture="arm64", debian=debian)
    assert {asked["ImageId"] for asked in calls.values()} == {image}


def test_a_lane_whose_image_could_not_be_baked_says_why_and_launches_nothing(services):
    services.state(RUN).update("run", images_failed={"arm64": "apt: no network"})
    ec2 = Ec2()
    with pytest.raises(CaseError, match="image for arm64 could not be baked: apt: no network"):
        launched_on(services, ec2, instance_type="m7g.large", architecture="arm64")
    assert ec2.calls == {}


def test_a_type_that_the_free_plan_refuses_fails_the_lane_with_what_to_do(services):
    class Free(Ec2):
        def run_instances(self, **asked):
            message = "The specified instance type is not eligible for Free Tier. For a list of ..."
            answer = {"Error": {"Code": "InvalidParameterCombination", "Message": message}}
            raise ClientError(answer, "RunInstances")

    with pytest.raises(CaseError, match="in an account of the free plan: upgrade the account"):
        launched_on(services, Free())


@pytest.mark.parametrize(
    "code", ["InsufficientInstanceCapacity", "VcpuLimitExceeded", "UnauthorizedOperation"]
)
def test_that_ec2_has_no_room_is_said_in_words(services, code):
    class Full(Ec2):
        def run_instances(self, **asked):
            if asked["NetworkInterfaces"][0]["SubnetId"] == "subnet-a":
                return super().run_instances(**asked)
            raise ClientError({"Error": {"Code": code, "Message": "none"}}, "RunInstances")

    expected = ClientError if code == "UnauthorizedOperation" else CaseError
    with pytest.raises(expected) as caught:
        launched_on(services, Full())
    # a quota may have room again once the lane before is gone: the state calls again
    assert isinstance(caught.value, NoRoomYetError) == (code == "VcpuLimitExceeded")
    # what the first zone has launched is on record before the second is asked
    assert services.state(RUN).get(f"lane#{TARGET}")["instance_ids"] == ["i-subnet-a-0"]
    if expected is CaseError:
        assert str(caught.value).startswith(f"EC2 has no room for 1 x m7i.large in zone-b ({code})")


def test_nodes_that_ec2_ends_at_once_fail_their_lane_with_what_it_says(services, monkeypatch):
    monkeypatch.setattr(launch_brokers, "POLL_S", 0.01)
    ec2, why = Ec2(), {"Code": "Client.InternalError", "Message": "Client.InternalError: no use of its key"}
    ec2.states["i-subnet-b-0"] = [is_now("unknown"), is_now("pending"), is_now("terminated", StateReason=why)]
    with pytest.raises(CaseError, match=r"has ended i-subnet-b-0 after its launch: .* no use of its key"):
        launched_on(services, ec2)
    assert len(services.state(RUN).get(f"lane#{TARGET}")["instance_ids"]) == 2, "for the clean-up"


def test_nodes_that_take_their_time_to_run_are_waited_for_by_what_they_register(services, monkeypatch):
    monkeypatch.setattr(launch_brokers, "POLL_S", 0.01)
    monkeypatch.setattr(launch_brokers, "STARTED_WITHIN_S", 0.05)
    ec2 = Ec2()
    ec2.states["i-subnet-a-0"] = [is_now("unknown")]
    launched_on(services, ec2)
    assert services.state(RUN).get(f"lane#{TARGET}")["status"] == "launched"


def test_nodes_that_ec2_does_not_know_yet_are_asked_for_again(services, monkeypatch):
    class Late(Ec2):
        def describe_instances(self, **asked):
            self.looks = getattr(self, "looks", 0) + 1
            if self.looks == 1:
                raise ClientError({"Error": {"Code": "InvalidInstanceID.NotFound"}}, "DescribeInstances")
            return super().describe_instances(**asked)

    monkeypatch.setattr(launch_brokers, "POLL_S", 0.01)
    ec2 = Late()
    launched_on(services, ec2)
    assert ec2.looks == 2
