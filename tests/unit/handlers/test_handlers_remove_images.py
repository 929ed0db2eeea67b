"""Images go with their stack: what CloudFormation is answered, and that nothing of this owner's is left."""

from __future__ import annotations

from functools import cache
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from breakeven.errors import BreakevenError
from breakeven.installation import FAMILY_TAG, IMAGE_TAG, OWNER_TAG, RUN_TAG
from breakeven.steps.lane import baked_images
from handlers.cleanup import remove_images
from local.aws.patches import ec2_patches
from local.aws.swaps import Swaps
from tests.support.aws.moto_results import installed
from tests.support.aws.stack_deletion import REQUEST, answers_to_cloudformation, deletion

OURS, THEIRS = "QueueBreakeven", "team-b-QueueBreakeven"


@cache
def client() -> Any:
    return boto3.client("ec2")


@pytest.fixture
def ec2(monkeypatch):
    with installed(monkeypatch), Swaps() as swaps:
        ec2_patches.images_are_made_of_stopped_instances(swaps, None)
        found = client()
        monkeypatch.setattr(remove_images.boto3, "client", lambda service: found)
        yield found


def tagged(owner: str, **more: str) -> list[dict[str, str]]:
    tags = {OWNER_TAG: owner, IMAGE_TAG: "image", FAMILY_TAG: "debian-12-arm64", **more}
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def make(ec2: Any, owner: str) -> None:
    """An image with its snapshot, and a builder that still stands."""
    specification = [{"ResourceType": "instance", "Tags": tagged(owner, **{RUN_TAG: "run"})}]
    launched = ec2.run_instances(
        ImageId="ami-12c6146b", MinCount=1, MaxCount=1, TagSpecifications=specification
    )["Instances"][0]["InstanceId"]
    ec2.stop_instances(InstanceIds=[launched])
    ec2.create_image(
        InstanceId=launched,
        Name=owner,
        TagSpecifications=[{"ResourceType": kind, "Tags": tagged(owner)} for kind in ("image", "snapshot")],
    )


def left(ec2: Any, owner: str) -> dict[str, int]:
    ours = [{"Name": f"tag:{OWNER_TAG}", "Values": [owner]}]
    up = [*ours, {"Name": "instance-state-name", "Values": ["running", "stopped"]}]
    return {
        "images": len(ec2.describe_images(Owners=["self"], Filters=ours)["Images"]),
        "snapshots": len(ec2.describe_snapshots(Filters=ours)["Snapshots"]),
        "builders": len(ec2.describe_instances(Filters=up)["Reservations"]),
    }


ALL, NOTHING = {"images": 1, "snapshots": 1, "builders": 1}, {"images": 0, "snapshots": 0, "builders": 0}


def call(event: dict[str, Any]) -> dict[str, Any]:
    """What CloudFormation is answered."""
    with answers_to_cloudformation() as (url, answers):
        remove_images.handler({**event, "ResponseURL": url}, None)
    (answer,) = answers
    return answer


def test_with_the_stack_go_its_images_snapshots_and_builders_and_nobody_elses(ec2):
    for owner in (OURS, THEIRS):
        make(ec2, owner)
    answer = call(deletion(""))
    assert answer["Status"] == "SUCCESS"
    assert (left(ec2, OURS), left(ec2, THEIRS)) == (NOTHING, ALL)
    assert call(deletion(""))["Status"] == "SUCCESS", "deleting again does no harm"


@pytest.mark.parametrize("kind", ["Create", "Update"])
def test_when_the_stack_is_made_or_changed_nothing_is_done_and_that_is_said(ec2, kind):
    make(ec2, OURS)
    event = {**REQUEST, "RequestType": kind}
    event.pop("PhysicalResourceId", None) if kind == "Create" else None
    answer = call(event)
    assert answer["Status"] == "SUCCESS"
    assert left(ec2, OURS) == ALL


def test_an_answer_names_what_it_is_to(ec2):
    answer = call(deletion(""))
    for name in ("StackId", "RequestId", "LogicalResourceId", "PhysicalResourceId"):
        assert answer[name] == REQUEST[name]


def test_what_cannot_be_removed_fails_the_deletion_with_its_reason_and_the_rest_is_gone(ec2, monkeypatch):
    make(ec2, OURS)

    class Protected:
        def __getattr__(self, name: str) -> Any:
            if name == "deregister_image":
                raise ClientError(
                    {"Error": {"Code": "OperationNotPermitted", "Message": "protected"}}, "DeregisterImage"
                )
            return getattr(ec2, name)

    monkeypatch.setattr(baked_images, "IN_USE_LIMIT_S", 0.0)
    monkeypatch.setattr(remove_images.boto3, "client", lambda service: Protected())
    answer = call(deletion(""))
    assert answer["Status"] == "FAILED"
    assert "ami-" in answer["Reason"]
    assert "protected" in answer["Reason"]
    assert left(ec2, OURS)["builders"] == 0


def test_cloudformation_is_answered_whatever_happens(ec2, monkeypatch):
    """It would wait for an hour, and then fail."""

    def broken(service: str) -> Any:
        raise ZeroDivisionError("x" * 5000)

    monkeypatch.setattr(remove_images.boto3, "client", broken)
    answer = call(deletion(""))
    assert answer["Status"] == "FAILED"
    assert 0 < len(answer["Reason"]) <= 1000, "an answer holds 4,096 bytes"


def test_an_answer_that_is_refused_is_an_error_so_that_lambda_tries_again(ec2, monkeypatch):
    """Such as one that is sent with a content type: the address is signed for none."""
    original, with_type = remove_images.ANSWER.request, {"headers": {"Content-Type": "application/json"}}
    monkeypatch.setattr(
        remove_images.ANSWER,
        "request",
        lambda *asked, **given: original(*asked, **given | with_type),
    )
    with answers_to_cloudformation() as (url, answers), pytest.raises(BreakevenError, match="with 403"):
        remove_images.handler(deletion(url), None)
    assert answers == []
