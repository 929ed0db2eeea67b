"""What is asked of IAM where images are made, launched from and removed."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from tests.support.aws.moto_server import moto_server
from tests.unit.local.strict.test_strict_calls import ARN, asked, request

NO_ACCOUNT = "arn:aws:ec2:us-east-1::"
DEBIAN = "/aws/service/debian/release/12/latest/arm64"


@pytest.fixture(scope="module")
def ec2():
    with moto_server() as server:
        yield server.aws.client("ec2")


def test_an_image_takes_its_instance_what_is_made_and_their_tags(ec2):
    tags = {
        f"TagSpecification.{n}.{name}": value
        for n, kind in enumerate(("image", "snapshot"), 1)
        for name, value in {"ResourceType": kind, "Tag.1.Key": "owner", "Tag.1.Value": kind}.items()
    }
    given = {"Action": "CreateImage", "InstanceId": "i-1", "Name": "name", **tags}
    created = {"ec2:CreateAction": "CreateImage"}
    assert asked(request("ec2", urlencode(given))) == {
        ("ec2:CreateImage", f"{ARN}instance/i-1"): {},
        **{
            (action, f"{NO_ACCOUNT}{kind}/*"): {**more, "aws:RequestTag/owner": kind}
            for kind in ("image", "snapshot")
            for action, more in {"ec2:CreateImage": {}, "ec2:CreateTags": created}.items()
        },
    }


@pytest.mark.parametrize(
    ("action", "name", "kind"),
    [("DeregisterImage", "ImageId", "image"), ("DeleteSnapshot", "SnapshotId", "snapshot")],
)
def test_images_and_snapshots_belong_to_no_account(ec2, action, name, kind):
    found = asked(request("ec2", urlencode({"Action": action, name: "x-1"})))
    assert found.keys() == {(f"ec2:{action}", f"{NO_ACCOUNT}{kind}/x-1")}


@pytest.mark.parametrize(
    ("parameter", "arn"),
    [
        (DEBIAN, f"arn:aws:ssm:us-east-1::parameter{DEBIAN}"),
        ("/images/own", "arn:aws:ssm:us-east-1:123456789012:parameter/images/own"),
    ],
)
def test_who_launches_from_a_parameters_image_may_read_the_parameter(ec2, parameter, arn):
    made = ec2.create_launch_template(
        LaunchTemplateName=parameter.replace("/", "-"),
        LaunchTemplateData={"ImageId": f"resolve:ssm:{parameter}"},
    )
    template = made["LaunchTemplate"]["LaunchTemplateId"]
    given = {"Action": "RunInstances", "LaunchTemplate.LaunchTemplateId": template, "MaxCount": 1}
    found = asked(request("ec2", urlencode(given)))
    assert ("ssm:GetParameters", arn) in found
    assert ("ec2:RunInstances", f"{NO_ACCOUNT}image/*") in found
