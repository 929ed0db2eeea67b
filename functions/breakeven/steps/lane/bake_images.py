"""Baking: an instance that installs, reports and powers off, and the image that is made of it.

    launch a builder ▸ it installs, reports and powers off ▸ make an image of it ▸ terminate it

``bake_images`` takes whichever of these steps is due for each image and returns at once: the workflow calls
it until nothing is waited for. A builder carries its run's tags, so that whatever ends the run ends it, too.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from breakeven.errors import CaseError
from breakeven.installation import IMAGE_TAG, RUN_TAG, installation
from breakeven.planning.execution_limits import BAKE_LIMIT_S
from breakeven.planning.machine_availability import OTHER_ZONES
from breakeven.results import layout
from breakeven.results.items import RUN
from breakeven.results.state import SuppressCodes
from breakeven.steps.aws_clients import Ec2
from breakeven.steps.instances import Instance, our_instances, tagging
from breakeven.steps.lane import baked_images
from breakeven.steps.lane.baked_images import AVAILABLE, BEING_MADE, family_of, tags_of_image
from breakeven.steps.lane.launch_brokers import NO_ROOM, TAGGED
from breakeven.steps.lane.recipes import Recipe
from breakeven.steps.run_lease import check_deadline
from breakeven.steps.services import Services

#: what EC2 answers where the type is not offered in the subnet's zone ("Error codes for the Amazon EC2 API")
NOT_OFFERED = {"Unsupported"}
#: and what stays so in every subnet: an image of the account's own is larger than the builder's disk,
#: or is gone; the account is not to launch anything yet
NEVER = {
    "InvalidBlockDeviceMapping",
    "InvalidAMIID.NotFound",
    "InvalidAMIID.Unavailable",
    "OptInRequired",
    "PendingVerification",
}
#: the same of a launch that is repeated after its instance has ended ("Ensure idempotency", EC2 guide)
TERMINATED = "IdempotentInstanceTerminated"
#: the same of an image's name that is taken: by a call before, whose image is not seen yet
NAME_TAKEN = "InvalidAMIName.Duplicate"
#: how much of a builder's own words goes into a reason
WORDS = 1500


@dataclass(slots=True)
class Baked:
    """``waiting``: name -> what is waited for. ``problems``: what was passed over, in words."""

    waiting: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def bake_images(
    services: Services,
    ec2: Ec2,
    run_id: str,
    recipes: Mapping[str, Recipe],
    subnets: Sequence[str],
    wanted: Sequence[str],
) -> Baked:
    """Take the step that is due for each image; the run's record says which are there and which have failed.

    Called again, it launches and makes nothing twice.

    :param subnets: where a builder may be launched, in the order in which they are tried
    :param wanted: names of images
    """
    state, baked = services.state(run_id), Baked()
    record = state.get(RUN)
    if "images_since" not in record:
        record = state.update(RUN, images_since=round(time.time()))
    for name in wanted:
        if name in record.get("images", {}) or name in record.get("images_failed", {}):
            continue
        build = _ImageBuild(services, ec2, run_id, name, recipes[name], subnets)
        try:
            if build.step():
                baked.problems += baked_images.remove_older(ec2, recipes[name])
                continue
            if time.time() > record["images_since"] + BAKE_LIMIT_S:
                raise CaseError(f"it is not there after {BAKE_LIMIT_S / 60:.0f} min: {build.waiting}")
            baked.waiting[name] = build.waiting
        except CaseError as error:
            build.fail(str(error))
    return baked


@dataclass(slots=True)
class _ImageBuild:
    """One image on its way. ``waiting``: what for, once ``step`` has found none."""

    services: Services
    ec2: Ec2
    run_id: str
    name: str
    recipe: Recipe
    subnets: Sequence[str]
    waiting: str = ""

    def step(self) -> bool:
        """Whether nodes can be launched from the image; the run's record then has its id.

        :raises CaseError: it cannot be made
        """
        named = (one for one in family_of(self.ec2, self.recipe.family) if one["Name"] == self.recipe.name)
        image, builder = next(named, None), self._recorded("builders")
        if image and image["State"] == AVAILABLE:
            self._end_builder()
            self._record("images", str(image["ImageId"]))
            return True
        if image and image["State"] in BEING_MADE:
            self.waiting = f"{image['ImageId']} is {image['State']}"
            return False
        if image:
            baked_images.remove_image(self.ec2, image)  # its name is free again
            why = image.get("StateReason", {}).get("Message", "EC2 does not say why")
            if builder:  # otherwise an earlier run's
                raise CaseError(f"{image['ImageId']} is {image['State']}: {why}")
        self._of_builder(builder)
        return False

    def fail(self, reason: str) -> None:
        """Put the reason on record, and terminate the builder if there is one."""
        self._record("images_failed", reason)
        self._end_builder()

    def _end_builder(self) -> None:
        standing = [one.id for one in self._builders() if one.stands]
        if standing:
            self.ec2.terminate_instances(InstanceIds=standing)

    def _recorded(self, field: str) -> str | None:
        found = self.services.state(self.run_id).get(RUN).get(field, {}).get(self.name)
        return None if found is None else str(found)

    def _record(self, field: str, value: str) -> None:
        state = self.services.state(self.run_id)
        fields: dict[str, Any] = {field: {**state.get(RUN).get(field, {}), self.name: value}}
        state.update(RUN, **fields)

    def _of_builder(self, known: str | None) -> None:
        """:param known: the builder's id, where it is on record: EC2 need not see it for a second or two"""
        found = self._builders()
        if not found:
            self.waiting = f"its builder {known} is not seen yet"
            if known is None:
                self._launch()
            return
        builder = found[0]
        if not builder.stands:
            # by somebody, or by EC2, which ends what it cannot start ("Instance terminates immediately")
            why = builder.state_reason or "EC2 does not say why"
            raise CaseError(f"its builder {builder.id} was terminated: {why}")
        if builder.state != "stopped":
            self.waiting = f"its builder {builder.id} is {builder.state}"
            return
        self._raise_if_failed(builder.id)
        self._make(builder.id)

    def _launch(self) -> None:
        """In the first of the subnets that has room for it; its id goes on record at once."""
        check_deadline(self.services, self.run_id)
        refused = []
        for subnet in self.subnets:
            try:
                answer = self.ec2.run_instances(**self._asked(subnet))
            except ClientError as error:
                code = error.response["Error"]["Code"]
                if code == TERMINATED:
                    raise CaseError("its builder was terminated") from error
                if code in NEVER:
                    why = error.response["Error"].get("Message", "")
                    raise CaseError(f"EC2 does not launch its builder ({code}): {why}") from error
                if code not in NO_ROOM | NOT_OFFERED:
                    raise
                refused.append(f"{subnet}: {error.response['Error'].get('Message', code)}")
                continue
            instance = answer["Instances"][0]["InstanceId"]
            self._record("builders", instance)
            self.waiting = f"its builder {instance} was launched"
            return
        remedy = f"run it again later, or {OTHER_ZONES}"
        raise CaseError(f"EC2 has no room for its builder ({'; '.join(refused)}): {remedy}")

    def _asked(self, subnet: str) -> dict[str, Any]:
        token = f"{installation().owner}/{self.run_id}/{self.recipe.name}/{subnet}"
        tags = tags_of_image(
            self.recipe, {RUN_TAG: self.run_id, "Name": f"breakeven image {self.recipe.family}"}
        )
        return {
            "LaunchTemplate": {"LaunchTemplateId": self.recipe.template, "Version": "$Latest"},
            "SubnetId": subnet,
            "MinCount": 1,
            "MaxCount": 1,
            # a call whose answer got lost launches no second one
            "ClientToken": hashlib.sha256(token.encode()).hexdigest(),
            "TagSpecifications": tagging(TAGGED, tags),
        }

    def _raise_if_failed(self, instance: str) -> None:
        """:raises CaseError: the builder says that it failed, or has stopped without a word"""
        store = self.services.store
        done, failed = (layout.bake_key(self.recipe.name, instance, end) for end in ("done", "failed"))
        there = store.keys(layout.bake_prefix(self.recipe.name))
        if failed in there:
            said = store.get_bytes(failed).decode(errors="replace").strip()
            raise CaseError(f"{said[:WORDS]} (all of it: {store.uri(failed)})")
        if done not in there:
            output = self.ec2.get_console_output(InstanceId=instance).get("Output", "").strip()
            end = f"the end of its console: {output[-WORDS:]}" if output else "its console shows nothing"
            raise CaseError(f"its builder {instance} has stopped and left no report; {end}")

    def _make(self, instance: str) -> None:
        tags = tags_of_image(self.recipe, {"Name": self.recipe.name})
        self.waiting = "its name is taken, and no image of that name is seen yet"
        with SuppressCodes(NAME_TAKEN):
            answer = self.ec2.create_image(
                InstanceId=instance,
                Name=self.recipe.name,
                Description="Queue Breakeven: a broker node that waits for its lane",
                TagSpecifications=tagging(("image", "snapshot"), tags),
            )
            self.waiting = f"{answer['ImageId']} is being made of {instance}"

    def _builders(self) -> list[Instance]:
        """Of this run and image, whatever state they are in; those that stand first."""
        found = our_instances(self.ec2, self.run_id, {IMAGE_TAG: self.recipe.name})
        return sorted(found, key=lambda one: (not one.stands, one.id))
