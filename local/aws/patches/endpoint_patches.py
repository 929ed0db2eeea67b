"""Where moto's interface endpoints do otherwise than AWS's; see ``moto_patches.py``."""

from __future__ import annotations

from typing import Any

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.vpcs import VPCBackend, VPCEndPoint

from local.aws.boto import Aws
from local.aws.patches.patch import Patch, around
from local.aws.swaps import Swaps


@Patch
def endpoints_take_their_time(swaps: Swaps, _: Aws) -> None:
    """Symptom: an interface endpoint is there as soon as it is asked for.

    Mend: it is pending when it is made and when it is first looked at, so that nobody forgets to wait.
    """

    def create(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        made = original(self, *args, **kwargs)
        if _is_interface(made):
            made.state = "pending"
            made.looked_at = False
        return made

    def describe(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        for endpoint in self.vpc_end_points.values():
            if endpoint.state == "pending":
                endpoint.state = "available" if endpoint.looked_at else "pending"
                endpoint.looked_at = True
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


def _is_interface(endpoint: Any) -> bool:
    return str(endpoint.vpc_endpoint_type).lower() == "interface"
