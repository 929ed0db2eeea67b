"""An image of brokers on its way, in moto: what bakes it, what stands, and EC2 where it answers otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from botocore.exceptions import ClientError

from breakeven.errors import CaseError
from breakeven.installation import FAMILY_TAG, IMAGE_TAG, OWNER_TAG
from breakeven.results import layout
from breakeven.steps.lane.baked_images import image_for
from breakeven.steps.lane.recipes import Recipe

RUN_ID, ARM = "run-1", "arm64"
OURS = "QueueBreakeven"


class Changed:
    """EC2, of which some calls answer otherwise; ``calls`` counts them."""

    def __init__(self, ec2: Any, **instead: Callable[..., Any]) -> None:
        self._ec2, self._instead = ec2, instead
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.calls.append(name)
        return self._instead.get(name, getattr(self._ec2, name))


def refused(code: str, message: str = "no") -> Callable[..., Any]:
    def call(**_: Any) -> Any:
        raise ClientError({"Error": {"Code": code, "Message": message}}, "Any")

    return call


def tags(thing: Mapping[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in thing.get("Tags", [])}


def instances(ec2: Any) -> list[dict[str, Any]]:
    return [one for each in ec2.describe_instances()["Reservations"] for one in each["Instances"]]


def standing(ec2: Any) -> list[str]:
    return [one["InstanceId"] for one in instances(ec2) if one["State"]["Name"] in ("running", "stopped")]


def own_images(ec2: Any) -> list[dict[str, Any]]:
    return ec2.describe_images(Owners=["self"], Filters=[{"Name": "tag-key", "Values": [FAMILY_TAG]}])[
        "Images"
    ]


def own_snapshots(ec2: Any) -> list[dict[str, Any]]:
    return ec2.describe_snapshots(Filters=[{"Name": "tag-key", "Values": [FAMILY_TAG]}])["Snapshots"]


def end(services: Any, ec2: Any, recipe: Recipe, report: str | None = "done", said: str = "words\n") -> str:
    """The builder stops, with a report of that kind; its id."""
    (builder,) = standing(ec2)
    if report:
        services.store.put_bytes(layout.bake_key(recipe.name, builder, report), said.encode())
    ec2.stop_instances(InstanceIds=[builder])
    return builder


def failed(services: Any) -> str:
    with pytest.raises(CaseError) as raised:
        image_for(services, RUN_ID, ARM)
    return str(raised.value)


class Empty:
    def __init__(self, name: str, ec2: Any) -> None:
        self._page = {"describe_images": {"Images": []}, "describe_instances": {"Reservations": []}}[name]

    def paginate(self, **_: Any) -> list[dict[str, Any]]:
        return [self._page]


def broken(ec2: Any, reason: str = "snapshot failed") -> Changed:
    """EC2 whose images have all failed."""

    class Pages:
        def paginate(self, **asked: Any) -> Any:
            for page in ec2.get_paginator("describe_images").paginate(**asked):
                for image in page["Images"]:
                    image |= {"State": "failed", "StateReason": {"Message": reason}}
                yield page

    return Changed(
        ec2, get_paginator=lambda name: Pages() if name == "describe_images" else ec2.get_paginator(name)
    )


def make(ec2: Any, name: str, family: str, owner: str = OURS) -> str:
    """An image with these tags."""
    launched = ec2.run_instances(ImageId="ami-12c6146b", MinCount=1, MaxCount=1)["Instances"][0]["InstanceId"]
    ec2.stop_instances(InstanceIds=[launched])
    listed = [
        {"Key": key, "Value": value}
        for key, value in {OWNER_TAG: owner, IMAGE_TAG: name, FAMILY_TAG: family}.items()
    ]
    made = ec2.create_image(
        InstanceId=launched,
        Name=name,
        TagSpecifications=[{"ResourceType": kind, "Tags": listed} for kind in ("image", "snapshot")],
    )["ImageId"]
    ec2.terminate_instances(InstanceIds=[launched])
    for _ in range(2):
        ec2.describe_images(ImageIds=[made])
    return str(made)
