"""What ``ec2_patches.py`` mends of interface endpoints: right with it, and the symptom without it."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError
from botocore.parsers import ResponseParserError

from local.aws.patches import ec2_patches
from tests.support.aws.moto_server import both

SERVICE = "com.amazonaws.us-east-1.ecr.api"
TAGS = [{"Key": "breakeven:owner", "Value": "us"}]


@pytest.fixture
def network(moto):
    """A VPC and a subnet in it."""
    ec2 = moto.aws.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/24")["Vpc"]["VpcId"]
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
    return vpc, ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.0.0/26")["Subnet"]["SubnetId"]


def make(moto, network, **given):
    vpc, subnet = network
    return moto.aws.client("ec2").create_vpc_endpoint(
        VpcEndpointType="Interface",
        VpcId=vpc,
        SubnetIds=[subnet],
        ServiceName=SERVICE,
        PrivateDnsEnabled=True,
        TagSpecifications=[{"ResourceType": "vpc-endpoint", "Tags": TAGS}],
        **given,
    )["VpcEndpoint"]


def found(moto, **filters):
    asked = [{"Name": name.replace("_", "-"), "Values": [value]} for name, value in filters.items()]
    return moto.aws.client("ec2").describe_vpc_endpoints(Filters=asked)["VpcEndpoints"]


@both
def test_endpoints_take_their_time(moto, network, patched):
    with moto.patched_with(ec2_patches.endpoints_take_their_time, patched, base=[]):
        states = [make(moto, network)["State"]]
        states += [found(moto, vpc_id=network[0])[0]["State"] for _ in range(2)]
    assert states == (["pending", "pending", "available"] if patched else ["available"] * 3)


@both
def test_endpoints_go(moto, network, patched):
    with moto.patched_with(ec2_patches.endpoints_go, patched, base=[]):
        made = make(moto, network)
        assert found(moto, vpc_id=network[0])[0]["Tags"] == TAGS
        moto.aws.client("ec2").delete_vpc_endpoints(VpcEndpointIds=[made["VpcEndpointId"]])
        assert bool(found(moto, vpc_id=network[0])) is not patched


@both
def test_endpoints_are_made_once(moto, network, patched):
    with moto.patched_with(ec2_patches.endpoints_are_made_once, patched, base=[]):
        first, again = (make(moto, network, ClientToken=f"run-{network[0]}") for _ in range(2))
        assert (first["VpcEndpointId"] == again["VpcEndpointId"]) is patched
        if patched:
            with pytest.raises(ClientError, match="conflicting DNS domain"):
                make(moto, network)
        else:
            make(moto, network)


@both
def test_endpoints_are_found_by_id(moto, network, patched):
    with moto.patched_with(ec2_patches.endpoints_are_found_by_id, patched, base=[]):
        made = make(moto, network)["VpcEndpointId"]
        if patched:
            assert [one["VpcEndpointId"] for one in found(moto, vpc_endpoint_id=made)] == [made]
        else:
            with pytest.raises(ResponseParserError, match="500"):
                found(moto, vpc_endpoint_id=made)


@both
def test_private_names_need_dns(moto, network, patched):
    moto.aws.client("ec2").modify_vpc_attribute(VpcId=network[0], EnableDnsHostnames={"Value": False})
    with moto.patched_with(ec2_patches.private_names_need_dns, patched, base=[]):
        if patched:
            with pytest.raises(ClientError, match="enableDnsHostnames"):
                make(moto, network)
        else:
            make(moto, network)


def test_they_are_found_by_tag_and_by_state(moto, network):
    made = make(moto, network)["VpcEndpointId"]
    ours = found(moto, **{"tag:breakeven:owner": "us", "vpc_endpoint_state": "available"})
    assert made in [one["VpcEndpointId"] for one in ours]
    assert not found(moto, **{"tag:breakeven:owner": "others"})
