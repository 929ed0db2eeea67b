"""Where moto's machine images do otherwise than AWS's; see ``moto_patches.py``."""

from __future__ import annotations

from typing import Any

from moto.ec2.exceptions import EC2ClientError, InvalidAMIIdError
from moto.ec2.models.amis import Ami, AmiBackend
from moto.ec2.models.instances import InstanceBackend

from local.aws.boto import Aws
from local.aws.patches.patch import Patch, around
from local.aws.swaps import Swaps

#: what a launch template says of an image that EC2 is to look up, and where Debian publishes its own
LOOKED_UP, OF_DEBIAN = "resolve:ssm:", "/aws/service/debian/release/"


@around(AmiBackend, "create_image")
def images_are_made_of_stopped_instances(
    original: Any,
    self: Any,
    instance_id: str,
    name: str,
    description: str,
    tag_specifications: list[dict[str, Any]],
) -> Any:
    """Symptom: an image's snapshot takes no tags, its root is another than its instance's, and a name can be
    taken twice.

    Mend: as the Amazon EC2 API Reference has CreateImage: names are unique in an account and region, and
    snapshots are tagged with the call. EC2 shuts a running instance down for it; here that is refused, as
    nothing may ask for it.
    """
    instance = self.get_instance(instance_id)
    for found in self.amis.values():
        if (found.name, found.owner_id) == (name, self.account_id):
            words = f"AMI name {name} is already in use by AMI {found.id}"
            raise ImageError("InvalidAMIName.Duplicate", words)
    if instance._state.name != "stopped":
        raise ImageError("IncorrectInstanceState", f"{instance_id} is {instance._state.name}")
    own = [each for each in tag_specifications if each["ResourceType"] == "image"]
    made = original(self, instance_id, name, description, own)
    made.root_device_name = instance.root_device_name
    for each in tag_specifications:
        if each["ResourceType"] == "snapshot":
            made.ebs_snapshot.add_tags({tag["Key"]: tag["Value"] for tag in each["Tags"]})
    return made


@Patch
def images_take_their_time(swaps: Swaps, _: Aws) -> None:
    """Symptom: an image is available as soon as it is asked for.

    Mend: it is pending when it is made and when it is first looked at ("AMI lifecycle", EC2 guide).
    """

    def create(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        made = original(self, *args, **kwargs)
        made.state, made.looked_at = "pending", False
        return made

    def describe(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        found = original(self, *args, **kwargs)
        for image in found:
            if image.state == "pending":
                image.state = "available" if image.looked_at else "pending"
                image.looked_at = True
        return found

    swaps.wrap(AmiBackend, "create_image", create)
    swaps.wrap(AmiBackend, "describe_images", describe)


@around(InstanceBackend, "run_instances")
def launches_have_an_image(original: Any, self: Any, image_id: str, *args: Any, **kwargs: Any) -> Any:
    """Symptom: instances are launched from no image, from one that is gone, or from one that is not made yet.

    Mend: EC2's answers ("Error codes for the Amazon EC2 API"). What a template has looked up by a parameter
    ("Use a Systems Manager parameter instead of an AMI ID", EC2 guide) is Debian's own image.
    """
    given = kwargs.get("launch_template")
    image = image_id or (self._get_template_from_args(given).image_id if given else "")
    if not image:
        raise ImageError("MissingParameter", "The request must contain the parameter ImageId")
    if image.startswith(LOOKED_UP):
        name = image.removeprefix(LOOKED_UP)
        if not name.startswith(OF_DEBIAN):
            raise ImageError("InvalidParameterValue", f"there is no parameter {name} here")
    elif image not in self.amis:
        raise InvalidAMIIdError(image)
    elif self.amis[image].state != "available":
        raise ImageError("InvalidAMIID.Unavailable", f"{image} is {self.amis[image].state}")
    return original(self, image_id, *args, **kwargs)


class ImageError(EC2ClientError):
    """An answer of EC2's that moto does not know."""


def register_image(backend: Any, name: str, tags: dict[str, str]) -> str:
    """An image that is there already, as if an earlier run had made it; returns its id."""
    image = Ami(backend, f"ami-{len(backend.amis):017x}", name=name, root_device_name="/dev/xvda")
    image.add_tags(tags)
    image.ebs_snapshot.add_tags(tags)
    backend.amis[image.id] = image
    return str(image.id)
