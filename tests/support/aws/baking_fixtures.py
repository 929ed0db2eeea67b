"""An installation in moto with the template and the subnets of a builder, for the tests of baking."""

from __future__ import annotations

from functools import cache
from typing import Any

import boto3
import pytest

from breakeven.steps.lane.bake_images import bake_images
from breakeven.steps.lane.recipes import Recipe
from local.aws.patches import ec2_patches
from local.aws.swaps import Swaps
from tests.support.aws.baking import ARM, RUN_ID
from tests.support.aws.moto_results import installed


@pytest.fixture
def services(monkeypatch):
    with installed(monkeypatch) as found, Swaps() as swaps:
        for patch in (
            ec2_patches.images_are_made_of_stopped_instances,
            ec2_patches.images_take_their_time,
            ec2_patches.launches_have_an_image,
        ):
            patch(swaps, None)
        yield found


@cache
def client() -> Any:
    """One for all tests: reading EC2's model takes longer than any of them."""
    return boto3.client("ec2")


@pytest.fixture
def ec2(services):
    return client()


@pytest.fixture
def subnets(ec2):
    vpc = ec2.create_vpc(CidrBlock="10.255.0.0/24")["Vpc"]["VpcId"]
    blocks = ("10.255.0.0/26", "10.255.0.64/26")
    return [ec2.create_subnet(VpcId=vpc, CidrBlock=block)["Subnet"]["SubnetId"] for block in blocks]


@pytest.fixture
def recipe(ec2):
    data = {
        "ImageId": "resolve:ssm:/aws/service/debian/release/12/latest/arm64",
        "InstanceType": "t4g.small",
    }
    made = ec2.create_launch_template(LaunchTemplateName="builder", LaunchTemplateData=data)
    template = made["LaunchTemplate"]["LaunchTemplateId"]
    return Recipe("QueueBreakeven-debian-12-arm64-0123", "debian-12-arm64", template)


@pytest.fixture
def bake(services, ec2, recipe, subnets):
    """One call for the one image; what it waits for in words, None where it waits for nothing."""

    def call(through: Any = None) -> str | None:
        baked = bake_images(services, through or ec2, RUN_ID, {ARM: recipe}, subnets, [ARM])
        return baked.waiting.get(ARM)

    return call
