"""Images of brokers as a run bakes them: a step a call, nothing twice, and what fails says why."""

from __future__ import annotations

import time
from typing import Any

import pytest
from botocore.exceptions import ClientError

from breakeven.installation import FAMILY_TAG, IMAGE_TAG, OWNER_TAG, RUN_TAG
from breakeven.planning.execution_limits import BAKE_LIMIT_S
from breakeven.results.items import RUN
from breakeven.steps.lane import bake_images
from breakeven.steps.lane.baked_images import image_for
from tests.support.aws.baking import (
    ARM,
    OURS,
    RUN_ID,
    Changed,
    Empty,
    end,
    failed,
    instances,
    own_images,
    own_snapshots,
    refused,
    standing,
    tags,
)

#: its fixtures
pytest_plugins = ["tests.support.aws.baking_fixtures"]


def test_an_image_is_made_of_an_instance_that_has_reported_and_powered_itself_off(
    services, ec2, recipe, bake, subnets
):
    assert "was launched" in bake()
    assert "is running" in bake()
    builder = end(services, ec2, recipe)
    assert "is being made" in bake()
    assert "is pending" in bake()
    assert standing(ec2) == [builder], "until the image is there"
    assert bake() is None
    (image,) = own_images(ec2)
    assert image_for(services, RUN_ID, ARM) == image["ImageId"]
    assert (image["Name"], image["State"]) == (recipe.name, "available")
    assert standing(ec2) == []
    assert instances(ec2)[0]["SubnetId"] == subnets[0]


def test_what_is_made_carries_its_owners_tag_and_a_builder_its_runs(services, ec2, recipe, bake):
    bake()
    (instance,) = instances(ec2)
    of_all = {OWNER_TAG: OURS, IMAGE_TAG: recipe.name, FAMILY_TAG: recipe.family}
    assert {**of_all, RUN_TAG: RUN_ID}.items() <= tags(instance).items()
    end(services, ec2, recipe)
    bake()
    (image,), (snapshot,) = own_images(ec2), own_snapshots(ec2)
    for made in (image, snapshot):
        assert of_all.items() <= tags(made).items()
        assert RUN_TAG not in tags(made), "it outlives the run"


def test_called_again_at_any_step_nothing_is_launched_or_made_twice(services, ec2, recipe, bake):
    """Of a call whose answer got lost, or that was ended before it could put a builder on record."""
    bake()
    services.state(RUN_ID).update(RUN, builders={})
    bake()
    assert len(instances(ec2)) == 1
    end(services, ec2, recipe)
    bake()
    unseen = Changed(
        ec2,
        get_paginator=lambda name: Empty(name, ec2) if name == "describe_images" else ec2.get_paginator(name),
    )
    assert bake(unseen) == "its name is taken, and no image of that name is seen yet"
    assert len(own_images(ec2)) == 1


def test_a_builder_that_is_not_seen_for_a_second_is_not_launched_again(ec2, bake):
    bake()
    blind = Changed(ec2, get_paginator=lambda name: Empty(name, ec2))
    assert "not seen yet" in bake(blind)
    assert "run_instances" not in blind.calls
    assert "is running" in bake()


def test_a_launch_is_repeated_with_the_same_token(services, ec2, recipe, subnets, bake):
    tokens = []

    def lost(**asked: Any) -> Any:
        tokens.append(asked["ClientToken"])
        raise ClientError({"Error": {"Code": "RequestLimitExceeded"}}, "RunInstances")

    for _ in range(2):
        with pytest.raises(ClientError):
            bake(Changed(ec2, run_instances=lost))
    assert len(set(tokens)) == 1
    assert "images_failed" not in services.state(RUN_ID).get(RUN), "the state tries again"


def test_what_a_builder_says_of_its_failure_is_the_reason_and_it_is_terminated(services, ec2, recipe, bake):
    bake()
    builder = end(services, ec2, recipe, "failed", "apt: no way to deb.debian.org\nlog\n")
    assert bake() is None
    assert "could not be baked: apt: no way to deb.debian.org" in failed(services)
    assert f"s3://results/images/{recipe.name}/{builder}.failed" in failed(services)
    assert (standing(ec2), own_images(ec2)) == ([], [])
    assert bake() is None
    assert len(instances(ec2)) == 1, "it is not tried again by the same run"


def test_a_builder_that_stops_without_a_word_leaves_the_end_of_its_console(services, ec2, recipe, bake):
    bake()
    end(services, ec2, recipe, None)
    bake()
    assert "left no report; the end of its console: " in failed(services)
    assert "Freeing unused kernel memory" in failed(services) or "root=/dev/sda1" in failed(services)
    assert standing(ec2) == []


def test_a_builder_that_somebody_has_terminated_is_reported(services, ec2, bake):
    bake()
    ec2.terminate_instances(InstanceIds=standing(ec2))
    bake()
    assert "was terminated: Client.UserInitiatedShutdown" in failed(services)


def test_a_launch_whose_instance_has_ended_already_is_reported(services, ec2, bake):
    bake(Changed(ec2, run_instances=refused("IdempotentInstanceTerminated")))
    assert "its builder was terminated" in failed(services)


@pytest.mark.parametrize("code", ["Unsupported", "InsufficientInstanceCapacity"])
def test_a_zone_without_the_type_or_room_is_passed_over(services, ec2, subnets, bake, code):
    def choosy(**asked: Any) -> Any:
        return refused(code)() if asked["SubnetId"] == subnets[0] else ec2.run_instances(**asked)

    assert "was launched" in bake(Changed(ec2, run_instances=choosy))
    assert instances(ec2)[0]["SubnetId"] == subnets[1]


@pytest.mark.parametrize("code", ["InvalidBlockDeviceMapping", "PendingVerification"])
def test_what_ec2_refuses_for_good_is_the_images_reason_and_no_other_images(services, ec2, bake, code):
    said = "Volume of size 8GB is smaller than snapshot 'snap-1', expect size >= 20GB"
    changed = Changed(ec2, run_instances=refused(code, said))
    assert bake(changed) is None
    assert f"({code}): {said}" in failed(services)
    assert changed.calls.count("run_instances") == 1, "another zone would not help"


def test_where_no_zone_has_the_type_the_reason_names_them(services, ec2, subnets, bake):
    bake(Changed(ec2, run_instances=refused("Unsupported", "t4g.small is not supported in use1-az3")))
    for subnet in subnets:
        assert f"{subnet}: t4g.small is not supported in use1-az3" in failed(services)
    assert "breakeven:zones" in failed(services)


def test_an_image_that_takes_too_long_is_given_up_with_what_it_waited_for(services, ec2, bake, monkeypatch):
    bake()
    later = time.time() + BAKE_LIMIT_S + 1
    monkeypatch.setattr(bake_images.time, "time", lambda: later)
    assert bake() is None
    assert "is not there after 40 min: its builder i-" in failed(services)
    assert standing(ec2) == []


def test_after_its_run_was_stopped_no_builder_is_launched(services, ec2, bake):
    services.state(RUN_ID).update(RUN, status="aborted")
    bake()
    assert "the run is over (aborted)" in failed(services)
    assert instances(ec2) == []
