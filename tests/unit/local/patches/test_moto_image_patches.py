"""What ``ec2_patches.py`` mends of machine images: right with it, and the symptom without it."""

from __future__ import annotations

from uuid import uuid4

import pytest
from botocore.exceptions import ClientError

from local.aws.patches import ec2_patches
from tests.support.aws.moto_server import both

TAGS = [{"Key": "breakeven:owner", "Value": "us"}]
DEBIAN = "resolve:ssm:/aws/service/debian/release/12/latest/arm64"


@pytest.fixture
def ec2(moto):
    return moto.aws.client("ec2")


def instance(ec2, state="stopped", **launched):
    made = ec2.run_instances(**{"ImageId": "ami-12c6146b", **launched}, MinCount=1, MaxCount=1)
    found = made["Instances"][0]["InstanceId"]
    if state == "stopped":
        ec2.stop_instances(InstanceIds=[found])
    return found


def image(ec2, of, name="image", kinds=("image",)):
    specifications = [{"ResourceType": kind, "Tags": TAGS} for kind in kinds]
    return ec2.create_image(InstanceId=of, Name=name, TagSpecifications=specifications)["ImageId"]


def refused(call, *args, **given):
    """The code of EC2's answer; None where it did as it was asked."""
    try:
        call(*args, **given)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None


@both
def test_images_are_made_of_stopped_instances(moto, ec2, patched):
    with moto.patched_with(ec2_patches.images_are_made_of_stopped_instances, patched, base=[]):
        running, stopped = instance(ec2, "running"), instance(ec2)
        assert refused(image, ec2, running, "running") == ("IncorrectInstanceState" if patched else None)
        made = image(ec2, stopped)
        assert refused(image, ec2, stopped) == ("InvalidAMIName.Duplicate" if patched else None)
        if patched:
            tagged = image(ec2, stopped, "tagged", ("image", "snapshot"))
            owned = [{"Name": "tag:breakeven:owner", "Values": ["us"]}]
            (snapshot,) = ec2.describe_snapshots(Filters=owned)["Snapshots"]
            (found,) = ec2.describe_images(ImageIds=[tagged])["Images"]
            assert found["BlockDeviceMappings"][0]["Ebs"]["SnapshotId"] == snapshot["SnapshotId"]
            assert found["Tags"] == TAGS
            ec2.deregister_image(ImageId=made)
            assert refused(image, ec2, stopped) is None, "its name is free again"


@both
def test_images_take_their_time(moto, ec2, patched):
    with moto.patched_with(ec2_patches.images_take_their_time, patched, base=[]):
        made = image(ec2, instance(ec2))
        states = [ec2.describe_images(ImageIds=[made])["Images"][0]["State"] for _ in range(2)]
    assert states == (["pending", "available"] if patched else ["available"] * 2)


@both
def test_launches_have_an_image(moto, ec2, patched):
    def template(**data):
        made = ec2.create_launch_template(LaunchTemplateName=str(uuid4()), LaunchTemplateData=data)
        return {"LaunchTemplateId": made["LaunchTemplate"]["LaunchTemplateId"]}

    with moto.patched_with(ec2_patches.launches_have_an_image, patched, base=[]):
        launch = {"MinCount": 1, "MaxCount": 1}
        none = template(InstanceType="t4g.small")
        found = [
            refused(ec2.run_instances, LaunchTemplate=none, **launch),
            refused(ec2.run_instances, ImageId="ami-0123456789abcdef0", **launch),
            refused(ec2.run_instances, ImageId="resolve:ssm:/nobody/has/this", **launch),
        ]
        lacking = ["MissingParameter", "InvalidAMIID.NotFound", "InvalidParameterValue"]
        assert found == (lacking if patched else [None] * 3)
        debian = template(InstanceType="t4g.small", ImageId=DEBIAN)
        assert refused(ec2.run_instances, LaunchTemplate=debian, **launch) is None


def test_no_image_is_launched_from_before_it_is_available(moto, ec2):
    with moto.patched_with(
        ec2_patches.launches_have_an_image, True, base=[ec2_patches.images_take_their_time]
    ):
        made = image(ec2, instance(ec2))
        launch = {"ImageId": made, "MinCount": 1, "MaxCount": 1}
        assert refused(ec2.run_instances, **launch) == "InvalidAMIID.Unavailable"
        for _ in range(2):
            ec2.describe_images(ImageIds=[made])
        assert refused(ec2.run_instances, **launch) is None
