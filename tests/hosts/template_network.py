"""The network that a synthesized template describes: its subnets' routes, its security groups' rules.

What this does not understand it refuses: a rule that was passed over would make the tests kinder than AWS.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Template = Mapping[str, Any]
#: kinds of resource that would change what passes, and that nothing here reads
NOT_READ = ("NetworkAcl", "NetworkAclEntry", "TransitGatewayAttachment", "VPCPeeringConnection", "NatGateway")
#: a port range that CloudFormation leaves out, or gives as -1, is every port
EVERY_PORT = (0, 65535)
INTERNET = "0.0.0.0/0"


class NotUnderstood(Exception):
    """The template has something that decides what passes, and that is not simulated."""


@dataclass(frozen=True)
class Rule:
    """``peer``: a CIDR, or the logical id of a group, whose members are meant."""

    protocol: str
    ports: tuple[int, int]
    peer: str

    @property
    def is_of_group(self) -> bool:
        return "/" not in self.peer


@dataclass(frozen=True)
class Group:
    name: str
    ingress: tuple[Rule, ...]
    egress: tuple[Rule, ...]


@dataclass(frozen=True)
class Subnet:
    """``services``: of the gateway endpoints in its route table; ``to_internet``: it has a way out."""

    name: str
    vpc: str
    cidr: str
    vpc_cidr: str
    services: frozenset[str]
    to_internet: bool


def subnets(template: Template) -> list[Subnet]:
    """All, in the template's order.

    A route table always has the VPC's own route, and no packet leaves by a way that is not in it: Amazon VPC
    User Guide, "Route table concepts"; a gateway endpoint is a route to its service's addresses: AWS
    PrivateLink Guide, "Gateway endpoints".
    """
    for kind in NOT_READ:
        if _of(template, kind):
            raise NotUnderstood(f"AWS::EC2::{kind} in the template: its effect on packets is not simulated")
    return [_subnet(template, name, each) for name, each in _of(template, "Subnet").items()]


def group(template: Template, name: str) -> Group:
    """:param name: the logical id of a security group"""
    own = _of(template, "SecurityGroup")[name]
    ingress = [*own.get("SecurityGroupIngress", ()), *_apart(template, "SecurityGroupIngress", name)]
    egress = [*own.get("SecurityGroupEgress", ()), *_apart(template, "SecurityGroupEgress", name)]
    # "When you first create a security group, it has an outbound rule that allows all outbound traffic"
    # (Amazon VPC User Guide, "Security group rules"); any rule of the template's takes its place
    everything = [{"IpProtocol": "-1", "CidrIp": INTERNET}]
    return Group(
        name,
        tuple(_rule(each, "SourceSecurityGroupId") for each in ingress),
        tuple(_rule(each, "DestinationSecurityGroupId") for each in egress or everything),
    )


def group_of_template(template: Template, launch_template: str) -> str:
    """The security group that a launch template gives its instances."""
    data = _of(template, "LaunchTemplate")[launch_template]["LaunchTemplateData"]
    given = [*data.get("SecurityGroupIds", ())]
    given += [name for each in data.get("NetworkInterfaces", ()) for name in each.get("Groups", ())]
    (found,) = {referred(each) for each in given}
    return found


def referred(value: Any) -> str:
    """The logical id that ``Ref`` or ``Fn::GetAtt`` names."""
    if isinstance(value, dict):
        if "Ref" in value:
            return str(value["Ref"])
        if "Fn::GetAtt" in value:
            return str(value["Fn::GetAtt"][0])
    raise NotUnderstood(f"not a reference to a resource: {json.dumps(value)}")


def _of(template: Template, kind: str) -> dict[str, dict[str, Any]]:
    found = template["Resources"].items()
    return {name: each.get("Properties", {}) for name, each in found if each["Type"] == f"AWS::EC2::{kind}"}


def _apart(template: Template, kind: str, name: str) -> Iterator[dict[str, Any]]:
    """Rules that stand as resources of their own."""
    return (each for each in _of(template, kind).values() if referred(each["GroupId"]) == name)


def _rule(properties: dict[str, Any], group_field: str) -> Rule:
    known = {"IpProtocol", "FromPort", "ToPort", "CidrIp", "Description", "GroupId", group_field}
    if others := properties.keys() - known:
        raise NotUnderstood(f"{', '.join(sorted(others))} in a rule of a security group")
    protocol = str(properties["IpProtocol"])
    ports = int(properties.get("FromPort", -1)), int(properties.get("ToPort", -1))
    if protocol not in ("tcp", "udp"):
        ports = EVERY_PORT
    peer = properties.get(group_field)
    return Rule(
        protocol, EVERY_PORT if -1 in ports else ports, referred(peer) if peer else str(properties["CidrIp"])
    )


def _subnet(template: Template, name: str, properties: dict[str, Any]) -> Subnet:
    vpc = referred(properties["VpcId"])
    associations = _of(template, "SubnetRouteTableAssociation").values()
    (table,) = [referred(each["RouteTableId"]) for each in associations if referred(each["SubnetId"]) == name]
    return Subnet(
        name=name,
        vpc=vpc,
        cidr=str(properties["CidrBlock"]),
        vpc_cidr=str(_of(template, "VPC")[vpc]["CidrBlock"]),
        services=frozenset(_services(template, table)),
        to_internet=_has_way_out(template, table),
    )


def _services(template: Template, table: str) -> Iterator[str]:
    for endpoint in _of(template, "VPCEndpoint").values():
        if endpoint["VpcEndpointType"] != "Gateway":
            raise NotUnderstood("an interface endpoint that stands in the template")
        if table in {referred(each) for each in endpoint["RouteTableIds"]}:
            yield json.dumps(endpoint["ServiceName"]).rsplit(".", 1)[1].strip('"]}')


def _has_way_out(template: Template, table: str) -> bool:
    routes = [each for each in _of(template, "Route").values() if referred(each["RouteTableId"]) == table]
    for route in routes:
        gateway = _of(template, "InternetGateway").keys() & {referred(route.get("GatewayId", {"Ref": ""}))}
        if route.get("DestinationCidrBlock") != INTERNET or not gateway:
            raise NotUnderstood(f"a route other than one to all of the internet: {json.dumps(route)}")
    return bool(routes)
