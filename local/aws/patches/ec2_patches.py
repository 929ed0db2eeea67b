"""Corrections of moto's machine images and interface endpoints; see ``moto_patches.py``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from moto.ec2.exceptions import EC2ClientError, InvalidAMIIdError
from moto.ec2.models.amis import Ami, AmiBackend
from moto.ec2.models.instances import InstanceBackend
from moto.ec2.models.vpcs import VPCBackend, VPCEndPoint

from local.aws.boto import Aws
from local.aws.swaps import Patch, Swaps, around


@Patch
def endpoints_take_their_time(swaps: Swaps, _: Aws) -> None:
    """Symptom: an interface endpoint is there as soon as it is asked for.

    Mend: it is pending when it is made and when it is first looked at, so that nobody forgets to wait.
    """

    def create(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        made = original(self, *args, **kwargs)
        return _pending(made) if _is_interface(made) else made

    def describe(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        _look_at(self.vpc_end_points.values())
        return original(self, *args, **kwargs)

    swaps.wrap(VPCBackend, "create_vpc_endpoint", create)
    swaps.wrap(VPCBackend, "describe_vpc_endpoints", describe)


@around(VPCBackend, "delete_vpc_endpoints")
def endpoints_go(original: Any, self: Any, vpce_ids: list[str] | None = None) -> None:
    """Symptom: an endpoint that was deleted is listed for ever, in the state ``deleted``.

    Mend: it is gone.
    """
    original(self, vpce_ids)
    for endpoint_id in vpce_ids or []:
        self.vpc_end_points.pop(endpoint_id, None)


@around(VPCBackend, "create_vpc_endpoint")
def endpoints_are_made_once(
    original: Any, self: Any, vpc_id: str, service_name: str, *args: Any, **kwargs: Any
) -> Any:
    """Symptom: a call that is made again with its token makes a second endpoint.

    Mend: the token's endpoint is answered; without it, AWS refuses a second one with a private name.
    """
    token, private = kwargs.get("client_token"), kwargs.get("private_dns_enabled")
    for found in self.vpc_end_points.values():
        if token and found.client_token == token:
            return found
        same = (found.vpc_id, found.service_name) == (vpc_id, service_name)
        if same and _is_interface(found) and found.private_dns_enabled and private:
            raise PrivateDnsConflictError(service_name, vpc_id)
    return original(self, vpc_id, service_name, *args, **kwargs)


@around(VPCEndPoint, "get_filter_value")
def endpoints_are_found_by_id(
    original: Any, self: Any, filter_name: str, method_name: str | None = None
) -> Any:
    """Symptom: the filter ``vpc-endpoint-id`` is not implemented.

    Mend: it is the endpoint's id. Source: Amazon EC2 API Reference, DescribeVpcEndpoints.
    """
    return self.id if filter_name == "vpc-endpoint-id" else original(self, filter_name, method_name)


@around(VPCBackend, "create_vpc_endpoint")
def private_names_need_dns(original: Any, self: Any, vpc_id: str, *args: Any, **kwargs: Any) -> Any:
    """Symptom: an endpoint with a private name is made in a network that resolves none.

    Mend: it is refused, in AWS's words.
    """
    vpc, interface = self.get_vpc(vpc_id), str(kwargs.get("endpoint_type")).lower() == "interface"
    resolves = {str(each).lower() for each in (vpc.enable_dns_support, vpc.enable_dns_hostnames)}
    if interface and kwargs.get("private_dns_enabled") and resolves != {"true"}:
        raise NoDnsError
    return original(self, vpc_id, *args, **kwargs)


class NoDnsError(EC2ClientError):
    def __init__(self) -> None:
        words = (
            "Enabling private DNS requires both enableDnsSupport and enableDnsHostnames VPC attributes set"
        )
        super().__init__("InvalidParameter", f"{words} to true")


class PrivateDnsConflictError(EC2ClientError):
    def __init__(self, service_name: str, vpc_id: str) -> None:
        words = "private-dns-enabled cannot be set because there is already a conflicting DNS domain for"
        super().__init__("InvalidParameter", f"{words} {service_name} in the VPC {vpc_id}")


def _pending(made: Any) -> Any:
    made.state, made.looked_at = "pending", False
    return made


def _look_at(found: Iterable[Any]) -> None:
    """What was looked at before is available by now."""
    for each in found:
        if each.state == "pending":
            each.state = "available" if each.looked_at else "pending"
            each.looked_at = True


def _is_interface(endpoint: Any) -> bool:
    return str(endpoint.vpc_endpoint_type).lower() == "interface"


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
        return _pending(original(self, *args, **kwargs))

    def describe(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        found = original(self, *args, **kwargs)
        _look_at(found)
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
