"""Where broker images are built: a network of our own, or a subnet that the account names."""

from __future__ import annotations

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from infra.context.settings import Context
from infra.network import ZONES, vpc_of
from infra.storage import Storage

#: Debian's mirrors, and AWS's services
WAYS_OUT = (80, 443)


class BuildPlace(Construct):
    """Packages come from Debian's mirrors: whoever builds reaches out, and nobody reaches in.

    A builder is launched in the first of the subnets whose zone has its type.
    """

    def __init__(
        self, scope: Construct, construct_id: str, *, context: Context, storage: Storage, brokers: ec2.IVpc
    ) -> None:
        """:param brokers: the VPC of the brokers; a subnet that the account names is in it"""
        super().__init__(scope, construct_id)
        if context.build_subnet_id:
            # where its mirrors are, and on which port, is its own affair: any way out
            self.subnet_ids = [context.build_subnet_id]
            self.group = self._group(brokers)
            return
        # apart from the brokers' network, which has no way out; one zone alone may lack what builds
        vpc = vpc_of(
            self,
            ec2.SubnetConfiguration(name="build", subnet_type=ec2.SubnetType.PUBLIC, cidr_mask=26),
            zones=context.zones and context.zones[:ZONES],
            storage=storage,
            ip_addresses=ec2.IpAddresses.cidr("10.255.0.0/24"),
        )
        self.subnet_ids = [subnet.subnet_id for subnet in vpc.public_subnets]
        self.group = self._group(vpc, allow_all_outbound=False)
        for port in WAYS_OUT:
            self.group.add_egress_rule(
                ec2.Peer.any_ipv4(), ec2.Port.tcp(port), "packages, and services of AWS"
            )

    def _group(self, vpc: ec2.IVpc, **options: bool) -> ec2.SecurityGroup:
        description = "builds images; no way in"
        return ec2.SecurityGroup(self, "Group", vpc=vpc, description=description, **options)
