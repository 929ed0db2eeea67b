"""Isolated subnets with S3 and DynamoDB gateway endpoints: nothing idle costs.

Nothing inside needs more but loaders that are tasks: what those call besides, each run makes endpoints of.

Or the account's own VPC, whose routes to those two services are its owner's, or made in its route tables.
"""

from __future__ import annotations

from typing import Protocol

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from breakeven.targets.rabbitmq_cluster import AMQPS_PORT, DISTRIBUTION_PORT, EPMD_PORT, MANAGEMENT_TLS_PORT
from infra.context.settings import Context
from infra.storage import Storage

#: all that is called from inside; tests hold it against the code
GATEWAY_SERVICES = ("s3", "dynamodb")
ZONES = 2
HTTPS = 443
#: addresses that a VPC can have (RFC 1918 and RFC 6598), where its own are not known at synthesis
PRIVATE_BLOCKS = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")


class Network(Protocol):
    """``subnets`` hold brokers, tasks and the functions inside; each of those has a security group.

    ``endpoints`` is the group of the interface endpoints that runs make for their tasks.
    """

    vpc: ec2.IVpc
    subnets: ec2.SelectedSubnets
    loaders: ec2.SecurityGroup
    brokers: ec2.SecurityGroup
    endpoints: ec2.SecurityGroup


def network_of(scope: Construct, construct_id: str, context: Context, storage: Storage) -> Network:
    """The network that the context asks for."""
    if context.vpc_id:
        return ExistingNetwork(scope, construct_id, context)
    return OwnNetwork(scope, construct_id, context, storage)


class _Groups(Construct):
    """Who may reach the brokers: the loaders, and the brokers one another. And who may reach endpoints."""

    vpc: ec2.IVpc
    subnets: ec2.SelectedSubnets

    def _make_groups(self) -> None:
        self.loaders = ec2.SecurityGroup(
            self, "LoaderGroup", vpc=self.vpc, description="loaders and the functions that prepare brokers"
        )
        self.brokers = ec2.SecurityGroup(self, "BrokerGroup", vpc=self.vpc, description="broker nodes")
        for port in (AMQPS_PORT, MANAGEMENT_TLS_PORT):
            self.brokers.add_ingress_rule(self.loaders, ec2.Port.tcp(port), "clients and health checks")
        for port in (EPMD_PORT, DISTRIBUTION_PORT):
            self.brokers.add_ingress_rule(
                self.brokers, ec2.Port.tcp(port), "Erlang distribution between nodes"
            )
        self.endpoints = ec2.SecurityGroup(
            self,
            "EndpointGroup",
            vpc=self.vpc,
            description="interface endpoints that a run makes for its tasks",
            allow_all_outbound=False,
        )
        for peer in self._callers():
            self.endpoints.add_ingress_rule(peer, ec2.Port.tcp(HTTPS), "AWS services that tasks call")

    def _callers(self) -> list[ec2.IPeer]:
        """Who may call AWS through a run's endpoints."""
        return [self.loaders]


class OwnNetwork(_Groups):
    def __init__(self, scope: Construct, construct_id: str, context: Context, storage: Storage) -> None:
        super().__init__(scope, construct_id)
        self.vpc = ec2.Vpc(
            self,
            "Vpc",
            availability_zones=list(context.zones) if context.zones else None,
            max_azs=None if context.zones else ZONES,
            nat_gateways=0,
            restrict_default_security_group=False,
            subnet_configuration=[
                ec2.SubnetConfiguration(
                    name="isolated", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED, cidr_mask=24
                )
            ],
        )
        self.vpc.add_gateway_endpoint("S3", service=ec2.GatewayVpcEndpointAwsService.S3)
        self.vpc.add_gateway_endpoint("DynamoDb", service=ec2.GatewayVpcEndpointAwsService.DYNAMODB)
        self.subnets = self.vpc.select_subnets(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED)
        # what is let through is the measured traffic; what is refused is worth knowing, and costs little
        self.vpc.add_flow_log(
            "Refused",
            traffic_type=ec2.FlowLogTrafficType.REJECT,
            destination=ec2.FlowLogDestination.to_cloud_watch_logs(storage.log_group(self, "RefusedTraffic")),
        )
        self._make_groups()


class ExistingNetwork(_Groups):
    def __init__(self, scope: Construct, construct_id: str, context: Context) -> None:
        super().__init__(scope, construct_id)
        self.vpc = ec2.Vpc.from_vpc_attributes(
            self,
            "Vpc",
            vpc_id=str(context.vpc_id),
            availability_zones=list(context.zones or ()),
            isolated_subnet_ids=list(context.subnet_ids or ()),
        )
        self.subnets = self.vpc.select_subnets(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED)
        if context.route_table_ids:
            for service in GATEWAY_SERVICES:
                self._gateway(service, context.route_table_ids)
        self._make_groups()

    def _callers(self) -> list[ec2.IPeer]:
        """Everyone in the VPC: while a run has endpoints, the services' names lead all of it to them."""
        return [ec2.Peer.ipv4(block) for block in PRIVATE_BLOCKS]

    def _gateway(self, service: str, route_tables: tuple[str, ...]) -> None:
        ec2.CfnVPCEndpoint(
            self,
            f"Gateway-{service}",
            vpc_id=self.vpc.vpc_id,
            service_name=f"com.amazonaws.{cdk.Aws.REGION}.{service}",
            vpc_endpoint_type="Gateway",
            route_table_ids=list(route_tables),
        )
