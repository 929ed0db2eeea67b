"""Grants for creating and deleting brokers of Amazon MQ: its own calls, and those it makes as its caller.

The endpoint of a private broker is made in the VPC by the service, as its service-linked role, which the
account's first broker creates. What it asks of the caller beside its own calls, the Service Authorization
Reference lists as dependent actions of CreateBroker and DeleteBroker, and the developer guide ("API
authentication and authorization for Amazon MQ") as permissions of EC2, for brokers of all kinds together.
They are those of the managed policy AmazonMQFullAccess, less a security group that nobody names. Interfaces
that the service ends carry no tag that is documented: they are ended in our VPC alone.
"""

from __future__ import annotations

import aws_cdk as cdk

from infra.functions.grants import BROKER, Grants
from infra.functions.step_table import DELETE_CONFIGURATION, ENDS_INTERFACES, ENDS_PERMISSIONS, RELEASING
from infra.statements import Conditions

CREATE, DELETE = "CreateBroker", ("ReleaseLane", *RELEASING)
SERVICE = "mq.amazonaws.com"
#: on the endpoints that the service makes, by its service-linked role's policy
MANAGED: Conditions = {"StringEquals": {"aws:ResourceTag/AMQManaged": "true"}}


def grant_brokers(grants: Grants) -> None:
    """Let one function create brokers in the VPC's subnets, and those that release runs delete them."""
    network = grants.base.network
    group, subnets = network.managed_brokers.security_group_id, network.subnets.subnet_ids
    grants.tell(CREATE, SUBNETS=",".join(subnets), MANAGED_GROUP=group)
    grants.allow(CREATE, ["mq:CreateBroker"], ["*"], grants.to_be_ours)
    grants.allow(CREATE, ["mq:CreateTags"], [grants.owned(BROKER)], grants.to_be_ours)
    _service_linked_role(grants)
    used = [grants.ec2("subnet", subnet) for subnet in subnets] + [grants.ec2("security-group", group)]
    endpoint, interface = grants.ec2("vpc-endpoint"), grants.ec2("network-interface")
    vpc = grants.ec2("vpc", network.vpc.vpc_id)
    grants.allow(CREATE, ["ec2:CreateVpcEndpoint"], [vpc, *used, endpoint])
    grants.allow(CREATE, ["ec2:CreateNetworkInterface"], [*used, interface])
    for_the_service = {"StringEquals": {"ec2:AuthorizedService": SERVICE}}
    grants.allow(CREATE, ["ec2:CreateNetworkInterfacePermission"], [interface], for_the_service)
    in_the_vpc = {"StringEquals": {"ec2:Vpc": vpc}}
    for name in (CREATE, *DELETE):
        grants.allow(name, ENDS_INTERFACES, [interface], in_the_vpc)
        grants.allow(name, [ENDS_PERMISSIONS], [interface], for_the_service)
    zones = grants.arn("route53", "hostedzone", "*", region="", account="")
    grants.allow(CREATE, ["route53:AssociateVPCWithHostedZone"], [zones])
    why = "the service makes it with a broker, in the VPC's own subnets and group; it has no name before"
    grants.acknowledge(CREATE, [endpoint, interface, zones], why)
    made = grants.arn("mq", "configuration", "*", arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME)
    for name in RELEASING:
        grants.allow(name, [DELETE_CONFIGURATION], [made])
        why = "the service makes one with each broker, by a name of ours, without a tag that is documented"
        grants.acknowledge(name, [made], why)
    for name in DELETE:
        grants.allow(name, ["ec2:DeleteVpcEndpoints"], [endpoint], MANAGED)
        why = "endpoints that runs make, by the owner's tag, and that Amazon MQ makes, by its own"
        grants.acknowledge(name, [endpoint], why)
        why = "interfaces that runs make, by the owner's tag, and that Amazon MQ makes, in the VPC alone"
        grants.acknowledge(name, [interface], why)


def _service_linked_role(grants: Grants) -> None:
    """Amazon MQ's one, which creating the account's first broker creates."""
    name = f"aws-service-role/{SERVICE}/AWSServiceRoleForAmazonMQ"
    only = {"StringEquals": {"iam:AWSServiceName": SERVICE}}
    role = grants.arn("iam", "role", name, region="")
    grants.allow(CREATE, ["iam:CreateServiceLinkedRole"], [role], only)
