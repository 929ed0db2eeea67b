"""What the simulated Amazon MQ refuses, as the real one does, and how its brokers come and go."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.aws import amazon_mq_service
from local.aws.amazon_mq_service import AmazonMq, CannotBeCreatedError, Endpoints
from local.aws.strict import front
from local.aws.strict.requests import mq_calls
from local.aws.strict.requests.needed import Signature, UnreadableCallError
from local.aws.swaps import Swaps
from tests.support.aws.moto_server import REGION, moto_server
from tests.support.workflow.managed_brokers import AnsweringBrokers
from tests.support.workflow.processes import eventually

ONCE = Config(retries={"total_max_attempts": 1})


class SomeBrokers(AnsweringBrokers):
    """All that are asked for run, but where they are to fail."""

    fail = False

    def endpoints(self, broker_id: str) -> Endpoints:
        if self.fail:
            raise CannotBeCreatedError
        return super().endpoints(broker_id)


@pytest.fixture(scope="module")
def moto():
    with moto_server() as server, Swaps() as swaps:
        front.install(swaps, [AmazonMq(SomeBrokers())])
        yield server


@pytest.fixture(scope="module")
def mq(moto):
    return moto.aws.task_client("mq", REGION, ONCE)


@pytest.fixture(scope="module")
def network(moto) -> dict[str, Any]:
    """Two subnets of two zones, one more of the first, and a group, of one VPC; and a group of another."""
    ec2 = moto.aws.task_client("ec2", REGION, ONCE)
    vpcs = [ec2.create_vpc(CidrBlock=block)["Vpc"]["VpcId"] for block in ("10.0.0.0/16", "10.1.0.0/16")]
    places = [(0, "a"), (1, "b"), (2, "a")]
    subnets = [
        ec2.create_subnet(VpcId=vpcs[0], CidrBlock=f"10.0.{net}.0/24", AvailabilityZone=f"{REGION}{zone}")[
            "Subnet"
        ]["SubnetId"]
        for net, zone in places
    ]
    groups = [
        ec2.create_security_group(GroupName=vpc, Description="brokers", VpcId=vpc)["GroupId"] for vpc in vpcs
    ]
    return {"subnets": subnets, "groups": groups}


def request(network: dict[str, Any], **other: Any) -> dict[str, Any]:
    return {
        "BrokerName": "breakeven-1",
        "CreatorRequestId": "one",
        "EngineType": "RABBITMQ",
        "EngineVersion": "4.2",
        "DeploymentMode": "CLUSTER_MULTI_AZ",
        "HostInstanceType": "mq.m7g.large",
        "PubliclyAccessible": False,
        "AutoMinorVersionUpgrade": True,
        "SubnetIds": network["subnets"][:2],
        "SecurityGroups": network["groups"][:1],
        "Users": [{"Username": "breakeven-1", "Password": "twelve-or-more"}],
        "Tags": {"breakeven:owner": "QueueBreakeven"},
    } | other


#: what is asked otherwise -> what the refusal says
REFUSED = [
    ({"BrokerName": "a b"}, "broker name must be"),
    ({"BrokerName": "b" * 51}, "broker name must be"),
    ({"EngineType": "ACTIVEMQ"}, "no engine of this simulation"),
    ({"EngineVersion": "4.2.1"}, r"version \[4.2.1\] is invalid"),
    ({"EngineVersion": "3.10"}, "is invalid for mq.m7g.large"),
    ({"HostInstanceType": "mq.m5.large"}, "is invalid for mq.m5.large"),
    ({"HostInstanceType": "mq.m7g.huge"}, "not supported for engine type"),
    ({"DeploymentMode": "ACTIVE_STANDBY_MULTI_AZ"}, "not supported for RabbitMQ"),
    ({"AutoMinorVersionUpgrade": False}, "must be true"),
    ({"StorageType": "EFS"}, "EBS storage only"),
    ({"MaintenanceWindowStartTime": {"DayOfWeek": "Monday", "TimeOfDay": "22:45"}}, "maintenance window"),
    ({"MaintenanceWindowStartTime": {"DayOfWeek": "MONDAY", "TimeOfDay": "24:45"}}, "maintenance window"),
    ({"Users": []}, "one administrative user"),
    ({"Users": [{"Username": "guest", "Password": "twelve-or-more"}]}, "username is not allowed"),
    ({"Users": [{"Username": "a~b", "Password": "twelve-or-more"}]}, "username is not allowed"),
    ({"Users": [{"Username": "ab", "Password": "elevenchars"}]}, "at least 12 characters"),
    ({"Users": [{"Username": "ab", "Password": "abababababab"}]}, "4 of them unique"),
    ({"Users": [{"Username": "ab", "Password": "twelve=or=more"}]}, "no commas, colons or ="),
    ({"SubnetIds": []}, "At least one subnet"),
    ({"SubnetIds": ["subnet-0"]}, "don't exist"),
    ({"SecurityGroups": []}, "From 1 to 5 security groups"),
    ({"PubliclyAccessible": True}, "not applicable to public brokers"),
    ({"DeploymentMode": "SINGLE_INSTANCE"}, r"Exactly \[1\] subnet"),
    ({"Tags": {f"k{n}": "v" for n in range(51)}}, "at most 50 tags"),
]


@pytest.mark.parametrize(("other", "said"), REFUSED)
def test_what_the_service_does_not_take_is_refused_and_nothing_is_created(mq, network, other, said):
    with pytest.raises(ClientError, match=said) as caught:
        mq.create_broker(**request(network, **other))
    assert caught.value.response["Error"]["Code"] == "BadRequestException"
    assert mq.list_brokers()["BrokerSummaries"] == []


def test_subnets_are_in_zones_of_their_own_and_in_the_groups_vpc(mq, network):
    first, _, third = network["subnets"]
    with pytest.raises(ClientError, match="different Availability Zones"):
        mq.create_broker(**request(network, SubnetIds=[first, third]))
    with pytest.raises(ClientError, match="belong to one VPC"):
        mq.create_broker(**request(network, SecurityGroups=network["groups"][1:]))


def test_a_broker_comes_late_is_asked_for_once_and_goes(mq, network, monkeypatch):
    monkeypatch.setattr(amazon_mq_service, "CREATION_S", 3.0)
    made = mq.create_broker(**request(network))["BrokerId"]
    for again in ("one", "two"):
        with pytest.raises(ClientError, match="in use") as taken:
            mq.create_broker(**request(network, CreatorRequestId=again))
        assert taken.value.response["Error"]["Code"] == "ConflictException"
    (own,) = mq.list_configurations()["Configurations"]
    assert own["Name"].startswith("breakeven-1")
    with pytest.raises(ClientError, match="in use"):
        mq.delete_configuration(ConfigurationId=own["Id"])
    early = mq.describe_broker(BrokerId=made)
    assert (early["BrokerState"], early["BrokerInstances"]) == ("CREATION_IN_PROGRESS", [])
    with pytest.raises(ClientError, match=r"can't be deleted while in state \[CREATION_IN_PROGRESS\]"):
        mq.delete_broker(BrokerId=made)
    assert eventually(lambda: mq.describe_broker(BrokerId=made)["BrokerState"] == "RUNNING")
    running = mq.describe_broker(BrokerId=made)
    assert running["Tags"] == {"breakeven:owner": "QueueBreakeven"}
    (instance,) = running["BrokerInstances"]  # one, however many nodes are behind it
    assert instance["Endpoints"] == [f"amqps://{made}.example:5671"]
    monkeypatch.setattr(amazon_mq_service, "DELETION_S", 3.0)
    mq.delete_broker(BrokerId=made)
    with pytest.raises(ClientError, match="DELETION_IN_PROGRESS"):
        mq.delete_broker(BrokerId=made)
    assert eventually(lambda: not mq.list_brokers()["BrokerSummaries"])
    with pytest.raises(ClientError) as gone:
        mq.describe_broker(BrokerId=made)
    assert gone.value.response["Error"]["Code"] == "NotFoundException"
    mq.delete_configuration(ConfigurationId=own["Id"])
    assert mq.list_configurations()["Configurations"] == []
    with pytest.raises(ClientError) as gone:
        mq.delete_configuration(ConfigurationId=own["Id"])
    assert gone.value.response["Error"]["Code"] == "NotFoundException"


def test_a_broker_is_rebooted_late_and_only_while_it_runs(mq, network, monkeypatch):
    monkeypatch.setattr(amazon_mq_service, "CREATION_S", 0.0)
    monkeypatch.setattr(amazon_mq_service, "REBOOT_BEGINS_S", 60.0)
    monkeypatch.setattr(amazon_mq_service, "DELETION_S", 3.0)
    made = mq.create_broker(**request(network, BrokerName="breakeven-3"))["BrokerId"]

    def state() -> str:
        return mq.describe_broker(BrokerId=made)["BrokerState"]

    assert state() == "RUNNING"
    mq.reboot_broker(BrokerId=made)
    assert state() == "RUNNING", "it has been taken, and has not begun"
    mq.delete_broker(BrokerId=made)
    with pytest.raises(
        ClientError, match=r"can't be rebooted while in state \[DELETION_IN_PROGRESS\]"
    ) as caught:
        mq.reboot_broker(BrokerId=made)
    assert caught.value.response["Error"]["Code"] == "BadRequestException"
    assert eventually(lambda: not mq.list_brokers()["BrokerSummaries"])
    with pytest.raises(ClientError) as gone:
        mq.reboot_broker(BrokerId=made)
    assert gone.value.response["Error"]["Code"] == "NotFoundException"


def test_one_that_reboots_is_neither_rebooted_nor_deleted(mq, network, monkeypatch):
    for name in ("CREATION_S", "REBOOT_BEGINS_S"):
        monkeypatch.setattr(amazon_mq_service, name, 0.0)
    monkeypatch.setattr(amazon_mq_service, "REBOOT_S", 3.0)
    made = mq.create_broker(**request(network, BrokerName="breakeven-4"))["BrokerId"]
    mq.list_brokers()  # it runs
    mq.reboot_broker(BrokerId=made)
    with pytest.raises(ClientError, match=r"can't be rebooted while in state \[REBOOT_IN_PROGRESS\]"):
        mq.reboot_broker(BrokerId=made)
    with pytest.raises(ClientError, match=r"can't be deleted while in state \[REBOOT_IN_PROGRESS\]"):
        mq.delete_broker(BrokerId=made)
    assert eventually(lambda: mq.describe_broker(BrokerId=made)["BrokerState"] == "RUNNING")
    mq.delete_broker(BrokerId=made)
    assert eventually(lambda: not mq.list_brokers()["BrokerSummaries"])


def test_one_that_cannot_be_created_says_so_and_can_be_deleted(mq, network, monkeypatch):
    monkeypatch.setattr(amazon_mq_service, "CREATION_S", 0.0)
    monkeypatch.setattr(SomeBrokers, "fail", True)
    made = mq.create_broker(**request(network, BrokerName="breakeven-2"))["BrokerId"]
    assert mq.describe_broker(BrokerId=made)["BrokerState"] == "CREATION_FAILED"
    mq.delete_broker(BrokerId=made)
    assert eventually(lambda: not mq.list_brokers()["BrokerSummaries"])


def test_it_says_what_it_offers(mq):
    options = mq.describe_broker_instance_options()["BrokerInstanceOptions"]
    offered = {each["HostInstanceType"]: each["SupportedEngineVersions"] for each in options}
    assert "4.2" in offered["mq.m7g.large"]
    assert offered["mq.m5.large"] == ["3.13"]
    (engine,) = mq.describe_broker_engine_types()["BrokerEngineTypes"]
    assert {"Name": "4.2"} in engine["EngineVersions"]


BY = Signature("CreateBroker", "mq", REGION)


def environ(method: str, path: str) -> dict[str, Any]:
    return {"REQUEST_METHOD": method, "PATH_INFO": path}


def test_creating_one_takes_what_is_done_in_the_vpc_as_who_creates_it():
    body = b'{"brokerName": "n", "subnetIds": ["subnet-1"], "securityGroups": ["sg-1"], "tags": {"k": "v"}}'
    name, calls = mq_calls.read(environ("POST", "/v1/brokers"), body, BY)
    assert name == "CreateBroker"
    wanted = {(call.action, call.resource.rpartition(":")[2]) for call in calls}
    assert {
        ("mq:CreateBroker", "*"),
        ("ec2:CreateVpcEndpoint", "subnet/subnet-1"),
        ("ec2:CreateVpcEndpoint", "security-group/sg-1"),
        ("ec2:CreateVpcEndpoint", "vpc-endpoint/*"),
    } <= wanted
    contexts = {call.action: dict(call.context) for call in calls}
    assert contexts["mq:CreateBroker"] == contexts["mq:CreateTags"] == {"aws:RequestTag/k": "v"}
    assert contexts["iam:CreateServiceLinkedRole"] == {"iam:AWSServiceName": "mq.amazonaws.com"}


def test_creating_and_deleting_one_takes_the_end_of_interfaces_in_its_vpc(mq, network, monkeypatch):
    """Of all kinds of brokers: which of them the service asks for of RabbitMQ's, it does not say."""
    monkeypatch.setattr(amazon_mq_service, "CREATION_S", 0.0)
    given = request(network, BrokerName="breakeven-3")
    body = json.dumps({"brokerName": "breakeven-3", "subnetIds": given["SubnetIds"]}).encode()
    made = mq.create_broker(**given)["BrokerId"]
    for method, path, sent in (("POST", "/v1/brokers", body), ("DELETE", f"/v1/brokers/{made}", b"")):
        _, calls = mq_calls.read(environ(method, path), sent, BY)
        contexts = {call.action: dict(call.context) for call in calls}
        for action in ("ec2:DeleteNetworkInterface", "ec2:DetachNetworkInterface"):
            assert ":vpc/vpc-" in contexts[action]["ec2:Vpc"]
        permitted = contexts["ec2:DeleteNetworkInterfacePermission"]
        assert permitted == {"ec2:AuthorizedService": "mq.amazonaws.com"}


def test_rebooting_one_takes_a_right_of_its_own_on_that_broker():
    name, (call,) = mq_calls.read(environ("POST", "/v1/brokers/b-1/reboot"), b"", BY)
    assert (name, call.action) == ("RebootBroker", "mq:RebootBroker")
    assert call.resource.endswith(":broker:*:b-1")


def test_a_request_of_another_kind_is_not_known():
    with pytest.raises(UnreadableCallError, match="mq PUT /v1/brokers/b-1"):
        mq_calls.read(environ("PUT", "/v1/brokers/b-1"), b"", BY)
