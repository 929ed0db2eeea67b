"""Where broker images are built: a network of our own, or a subnet that the account names."""

from __future__ import annotations

from typing import Protocol

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from infra.context import Context
from infra.storage import Storage

#: Debian's mirrors, and AWS's services
WAYS_OUT = (80, 443)


class BuildPlace(Protocol):
    """Packages come from Debian's mirrors: whoever builds reaches out, and nobody reaches in."""

    subnet_id: str
    group: ec2.ISecurityGroup


def build_place(
    scope: Construct, construct_id: str, *, context: Context, storage: Storage, brokers: ec2.IVpc
) -> BuildPlace:
    """What the context asks for: a subnet of the account's, or a network of our own.

    :param brokers: the VPC of the brokers; a subnet that the account names is in it
    """
    if context.build_subnet_id:
        return BuildSubnet(scope, construct_id, vpc=brokers, subnet_id=context.build_subnet_id)
    zone = context.zones[0] if context.zones else None
    return BuildNetwork(scope, construct_id, storage=storage, zone=zone)


class BuildNetwork(Construct):
    """Apart from the brokers' network, which has no way out. Idle it costs nothing: no NAT, no address.

    :param zone: where; otherwise the first that AWS lists
    """

    def __init__(
        self, scope: Construct, construct_id: str, *, storage: Storage, zone: str | None = None
    ) -> None:
        super().__init__(scope, construct_id)
        public = ec2.SubnetConfiguration(name="build", subnet_type=ec2.SubnetType.PUBLIC, cidr_mask=26)
        vpc = ec2.Vpc(
            self,
            "Vpc",
            ip_addresses=ec2.IpAddresses.cidr("10.255.0.0/24"),
            availability_zones=[zone] if zone else None,
            max_azs=None if zone else 1,
            nat_gateways=0,
            restrict_default_security_group=False,
            subnet_configuration=[public],
        )
        vpc.add_flow_log(
            "Refused",
            traffic_type=ec2.FlowLogTrafficType.REJECT,
            destination=ec2.FlowLogDestination.to_cloud_watch_logs(storage.log_group(self, "RefusedTraffic")),
        )
        group = ec2.SecurityGroup(
            self, "Group", vpc=vpc, description="builds images; no way in", allow_all_outbound=False
        )
        for port in WAYS_OUT:
            group.add_egress_rule(ec2.Peer.any_ipv4(), ec2.Port.tcp(port), "packages, and AWS's services")
        self.subnet_id, self.group = vpc.public_subnets[0].subnet_id, group


class BuildSubnet(Construct):
    """A subnet of the account's. Where its mirrors are, and on which port, is its own affair: any way out."""

    def __init__(self, scope: Construct, construct_id: str, *, vpc: ec2.IVpc, subnet_id: str) -> None:
        super().__init__(scope, construct_id)
        self.subnet_id = subnet_id
        self.group = ec2.SecurityGroup(self, "Group", vpc=vpc, description="builds images; no way in")
