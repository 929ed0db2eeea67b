"""Isolated subnets with S3 and DynamoDB gateway endpoints: nothing inside needs more, nothing idle costs.

Or the account's own VPC, whose routes to those two services are its owner's, or made in its route tables.
"""

from __future__ import annotations

from typing import Protocol

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from breakeven.targets.rabbitmq_cluster import AMQPS_PORT, DISTRIBUTION_PORT, EPMD_PORT, MANAGEMENT_TLS_PORT
from infra.context import Context
from infra.storage import Storage

#: all that is called from inside; tests hold it against the code
GATEWAY_SERVICES = ("s3", "dynamodb")
ZONES = 2


class Network(Protocol):
    """``subnets`` hold brokers and the functions inside; each of those has a security group."""

    vpc: ec2.IVpc
    subnets: ec2.SelectedSubnets
    loaders: ec2.SecurityGroup
    brokers: ec2.SecurityGroup


def network_of(scope: Construct, construct_id: str, context: Context, storage: Storage) -> Network:
    """The network that the context asks for."""
    if context.vpc_id:
        return ExistingNetwork(scope, construct_id, context)
    return OwnNetwork(scope, construct_id, context, storage)


class _Groups(Construct):
    """Who may reach the brokers: the loaders, and the brokers one another."""

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

    def _gateway(self, service: str, route_tables: tuple[str, ...]) -> None:
        ec2.CfnVPCEndpoint(
            self,
            f"Gateway-{service}",
            vpc_id=self.vpc.vpc_id,
            service_name=f"com.amazonaws.{cdk.Aws.REGION}.{service}",
            vpc_endpoint_type="Gateway",
            route_table_ids=list(route_tables),
        )
