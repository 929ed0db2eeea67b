"""Where broker images are built: a network of our own, or a subnet that the account names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from infra.context.settings import Context
from infra.storage import Storage

#: Debian's mirrors, and AWS's services
WAYS_OUT = (80, 443)
ZONES = 2


class BuildPlace(Protocol):
    """Packages come from Debian's mirrors: whoever builds reaches out, and nobody reaches in.

    A builder is launched in the first of the subnets whose zone has its type.
    """

    subnet_ids: Sequence[str]
    group: ec2.ISecurityGroup


def build_place(
    scope: Construct, construct_id: str, *, context: Context, storage: Storage, brokers: ec2.IVpc
) -> BuildPlace:
    """What the context asks for: a subnet of the account's, or a network of our own.

    :param brokers: the VPC of the brokers; a subnet that the account names is in it
    """
    if context.build_subnet_id:
        return BuildSubnet(scope, construct_id, vpc=brokers, subnet_id=context.build_subnet_id)
    return BuildNetwork(scope, construct_id, storage=storage, zones=context.zones)


class BuildNetwork(Construct):
    """Apart from the brokers' network, which has no way out. Idle it costs nothing: no NAT, no address.

    :param zones: where; otherwise the first two that AWS lists. One alone may lack what builds
    """

    def __init__(
        self, scope: Construct, construct_id: str, *, storage: Storage, zones: Sequence[str] | None = None
    ) -> None:
        super().__init__(scope, construct_id)
        public = ec2.SubnetConfiguration(name="build", subnet_type=ec2.SubnetType.PUBLIC, cidr_mask=26)
        vpc = ec2.Vpc(
            self,
            "Vpc",
            ip_addresses=ec2.IpAddresses.cidr("10.255.0.0/24"),
            availability_zones=list(zones[:ZONES]) if zones else None,
            max_azs=None if zones else ZONES,
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
            group.add_egress_rule(ec2.Peer.any_ipv4(), ec2.Port.tcp(port), "packages, and services of AWS")
        self.subnet_ids, self.group = [subnet.subnet_id for subnet in vpc.public_subnets], group


class BuildSubnet(Construct):
    """A subnet of the account's. Where its mirrors are, and on which port, is its own affair: any way out."""

    def __init__(self, scope: Construct, construct_id: str, *, vpc: ec2.IVpc, subnet_id: str) -> None:
        super().__init__(scope, construct_id)
        self.subnet_ids = [subnet_id]
        self.group = ec2.SecurityGroup(self, "Group", vpc=vpc, description="builds images; no way in")
