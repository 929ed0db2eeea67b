"""Isolated subnets with S3 and DynamoDB gateway endpoints: nothing idle costs.

Nothing inside needs more but loaders that are tasks: what those call besides, each run makes endpoints of.

Or the account's own VPC, whose routes to those two services are its owner's, or made in its route tables.
"""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from breakeven.targets.rabbitmq.rabbitmq_cluster import (
    AMQPS_PORT,
    DISTRIBUTION_PORT,
    EPMD_PORT,
    MANAGEMENT_TLS_PORT,
)
from infra.context.settings import Context
from infra.storage import Storage

#: all that is called from inside; tests hold it against the code
GATEWAY_SERVICES = ("s3", "dynamodb")
ZONES = 2
HTTPS = 443
#: addresses that a VPC can have (RFC 1918 and RFC 6598), where its own are not known at synthesis
PRIVATE_BLOCKS = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")


class Network(Construct):
    """``subnets`` hold brokers, tasks and the functions inside; each of those has a security group.

    ``endpoints`` is the group of the interface endpoints that runs make for their tasks, ``managed_brokers``
    that of those that Amazon MQ makes for its brokers.
    """

    def __init__(self, scope: Construct, construct_id: str, context: Context, storage: Storage) -> None:
        super().__init__(scope, construct_id)
        self.vpc: ec2.IVpc = self._existing(context) if context.vpc_id else self._own(context, storage)
        self.subnets = self.vpc.select_subnets(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED)
        self.loaders = self._group("LoaderGroup", "loaders and the functions that prepare brokers")
        self.brokers = self._group("BrokerGroup", "broker nodes")
        for port in (AMQPS_PORT, MANAGEMENT_TLS_PORT):
            self.brokers.add_ingress_rule(self.loaders, ec2.Port.tcp(port), "clients and health checks")
        for port in (EPMD_PORT, DISTRIBUTION_PORT):
            self.brokers.add_ingress_rule(
                self.brokers, ec2.Port.tcp(port), "Erlang distribution between nodes"
            )
        self.managed_brokers = self._group(
            "ManagedBrokerGroup", "endpoints of brokers that Amazon MQ creates", allow_all_outbound=False
        )
        for port in (AMQPS_PORT, HTTPS):
            self.managed_brokers.add_ingress_rule(
                self.loaders, ec2.Port.tcp(port), "clients and health checks"
            )
        made = "interface endpoints that a run makes for its tasks"
        self.endpoints = self._group("EndpointGroup", made, allow_all_outbound=False)
        # everyone in a VPC of the account's: while a run has endpoints, the services' names lead all of it to
        # them
        callers = map(ec2.Peer.ipv4, PRIVATE_BLOCKS) if context.vpc_id else [self.loaders]
        for peer in callers:
            self.endpoints.add_ingress_rule(peer, ec2.Port.tcp(HTTPS), "AWS services that tasks call")

    def _group(self, name: str, description: str, **options: bool) -> ec2.SecurityGroup:
        return ec2.SecurityGroup(self, name, vpc=self.vpc, description=description, **options)

    def _own(self, context: Context, storage: Storage) -> ec2.Vpc:
        isolated = ec2.SubnetConfiguration(
            name="isolated", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED, cidr_mask=24
        )
        vpc = vpc_of(self, isolated, zones=context.zones, storage=storage)
        vpc.add_gateway_endpoint("S3", service=ec2.GatewayVpcEndpointAwsService.S3)
        vpc.add_gateway_endpoint("DynamoDb", service=ec2.GatewayVpcEndpointAwsService.DYNAMODB)
        return vpc

    def _existing(self, context: Context) -> ec2.IVpc:
        for service in GATEWAY_SERVICES if context.route_table_ids else ():
            ec2.CfnVPCEndpoint(
                self,
                f"Gateway-{service}",
                vpc_id=context.vpc_id,
                service_name=f"com.amazonaws.{cdk.Aws.REGION}.{service}",
                vpc_endpoint_type="Gateway",
                route_table_ids=list(context.route_table_ids or ()),
            )
        return ec2.Vpc.from_vpc_attributes(
            self,
            "Vpc",
            vpc_id=context.vpc_id,
            availability_zones=list(context.zones or ()),
            isolated_subnet_ids=list(context.subnet_ids or ()),
        )


def vpc_of(
    scope: Construct,
    subnets: ec2.SubnetConfiguration,
    *,
    zones: tuple[str, ...] | None,
    storage: Storage,
    **options: ec2.IIpAddresses,
) -> ec2.Vpc:
    """A VPC that costs nothing while it is idle: no NAT, no address.

    :param zones: where; otherwise the first two that AWS lists
    """
    vpc = ec2.Vpc(
        scope,
        "Vpc",
        availability_zones=list(zones) if zones else None,
        max_azs=None if zones else ZONES,
        nat_gateways=0,
        restrict_default_security_group=False,
        subnet_configuration=[subnets],
        **options,
    )
    # what is let through is the measured traffic; what is refused is worth knowing, and costs little
    vpc.add_flow_log(
        "Refused",
        traffic_type=ec2.FlowLogTrafficType.REJECT,
        destination=ec2.FlowLogDestination.to_cloud_watch_logs(storage.log_group(scope, "RefusedTraffic")),
    )
    return vpc
