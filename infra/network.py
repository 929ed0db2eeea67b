"""Isolated subnets with S3 and DynamoDB gateway endpoints: nothing inside needs more, nothing idle costs."""

from __future__ import annotations

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

#: AMQP, management API; Erlang's port mapper and distribution only between the nodes
AMQP_PORT, MANAGEMENT_PORT, EPMD_PORT, DISTRIBUTION_PORT = 5672, 15672, 4369, 25672


class Network(Construct):
    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id)
        self.vpc = ec2.Vpc(
            self,
            "Vpc",
            max_azs=2,
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
        self.loaders = ec2.SecurityGroup(
            self, "LoaderGroup", vpc=self.vpc, description="loaders and the functions that prepare brokers"
        )
        self.brokers = ec2.SecurityGroup(self, "BrokerGroup", vpc=self.vpc, description="broker nodes")
        for port in (AMQP_PORT, MANAGEMENT_PORT):
            self.brokers.add_ingress_rule(self.loaders, ec2.Port.tcp(port), "clients and health checks")
        for port in (EPMD_PORT, DISTRIBUTION_PORT):
            self.brokers.add_ingress_rule(
                self.brokers, ec2.Port.tcp(port), "Erlang distribution between nodes"
            )
