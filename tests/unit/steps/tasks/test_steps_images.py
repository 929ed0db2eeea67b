"""Which images of brokers are there, which are kept, and what becomes of those that could not be made."""

from __future__ import annotations

from typing import Any

from breakeven.installation import IMAGE_TAG
from breakeven.results.items import RUN
from breakeven.steps.lane import baked_images
from breakeven.steps.lane.bake_images import bake_images
from breakeven.steps.lane.baked_images import image_for, images_there, missing_images
from breakeven.steps.lane.recipes import Recipe
from tests.support.aws.baking import (
    ARM,
    RUN_ID,
    Changed,
    broken,
    end,
    failed,
    make,
    own_images,
    own_snapshots,
    refused,
    standing,
)

#: its fixtures
pytest_plugins = ["tests.support.aws.baking_fixtures"]


def test_an_image_that_ec2_could_not_make_is_removed_and_told(services, ec2, recipe, bake):
    bake()
    end(services, ec2, recipe)
    bake()
    assert bake(broken(ec2)) is None
    assert "is failed: snapshot failed" in failed(services)
    assert (own_images(ec2), own_snapshots(ec2), standing(ec2)) == ([], [], [])


def test_an_image_that_an_earlier_run_could_not_make_is_made_anew(services, ec2, recipe, bake):
    make(ec2, recipe.name, recipe.family)
    assert "was launched" in bake(broken(ec2))
    assert own_images(ec2) == []


def test_an_image_that_is_there_is_baked_by_no_run(services, ec2, recipe):
    image = make(ec2, recipe.name, recipe.family)
    make(ec2, "another's", recipe.family, owner="team-b-QueueBreakeven")
    recipes = {ARM: recipe, "x86_64": Recipe("QueueBreakeven-debian-12-amd64-01", "debian-12-amd64", "lt-2")}
    assert missing_images(services, ec2, RUN_ID, recipes, ["x86_64", ARM]) == ["x86_64"]
    assert images_there(ec2, recipes) == {ARM: image}
    assert image_for(services, RUN_ID, ARM) == image
    assert missing_images(services, ec2, RUN_ID, {}, [ARM]) == [], "a deployment that bakes none"


def test_two_images_of_a_family_are_kept_and_older_ones_go_with_their_snapshots(services, ec2, recipe, bake):
    old = [make(ec2, f"old-{n}", recipe.family) for n in range(3)]
    others = [make(ec2, "other", "debian-12-amd64"), make(ec2, "theirs", recipe.family, owner="team-b")]
    dated = {image: f"2026-0{n + 1}-01" for n, image in enumerate(old)}

    class Pages:
        def paginate(self, **asked: Any) -> Any:
            for page in ec2.get_paginator("describe_images").paginate(**asked):
                for image in page["Images"]:
                    image["CreationDate"] = dated.get(image["ImageId"], "2026-09-01")
                yield page

    dating = Changed(
        ec2, get_paginator=lambda name: Pages() if name == "describe_images" else ec2.get_paginator(name)
    )
    bake()
    end(services, ec2, recipe)
    while bake(dating):
        pass
    kept = {image["ImageId"] for image in own_images(ec2)}
    assert kept == {image_for(services, RUN_ID, ARM), old[-1], *others}
    assert len(own_snapshots(ec2)) == len(kept)


def test_an_older_image_that_cannot_be_removed_is_said_and_changes_nothing(services, ec2, recipe, subnets):
    for n in range(3):
        make(ec2, f"old-{n}", recipe.family)
    make(ec2, recipe.name, recipe.family)
    held = Changed(ec2, deregister_image=refused("OperationNotPermitted", "protected"))
    baked = bake_images(services, held, RUN_ID, {ARM: recipe}, subnets, [ARM])
    assert len(baked.problems) == 2
    assert all("protected" in problem for problem in baked.problems)
    assert image_for(services, RUN_ID, ARM)


def test_one_image_that_fails_does_not_hold_up_another(services, ec2, recipe, subnets):
    recipes = {ARM: recipe, "x86_64": Recipe("amd", "debian-12-amd64", recipe.template)}

    def choosy(**asked: Any) -> Any:
        tagged = {tag["Key"]: tag["Value"] for tag in asked["TagSpecifications"][0]["Tags"]}
        return refused("Unsupported")() if tagged[IMAGE_TAG] == "amd" else ec2.run_instances(**asked)

    through = Changed(ec2, run_instances=choosy)
    baked = bake_images(services, through, RUN_ID, recipes, subnets, ["x86_64", ARM])
    assert baked.waiting.keys() == {ARM}
    assert services.state(RUN_ID).get(RUN)["images_failed"].keys() == {"x86_64"}


def test_a_snapshot_that_its_image_still_holds_is_asked_for_again(ec2, recipe, monkeypatch):
    monkeypatch.setattr(baked_images, "POLL_S", 0)
    make(ec2, recipe.name, recipe.family)
    (image,) = own_images(ec2)
    left = [2]

    def held(**asked: Any) -> Any:
        left[0] -= 1
        return refused("InvalidSnapshot.InUse")() if left[0] >= 0 else ec2.delete_snapshot(**asked)

    baked_images.remove_image(Changed(ec2, delete_snapshot=held), image)
    assert (own_images(ec2), own_snapshots(ec2)) == ([], [])
