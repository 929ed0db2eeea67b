"""A function's role: one each, with what every function needs, and no policy made for all accounts."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.acknowledged import acknowledge, on

#: Lambda attaches functions to a VPC with these, on whatever it makes there, and looks with the others
ATTACH = [
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:UnassignPrivateIpAddresses",
]
LOOK = ["ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets"]
TRACE = ["xray:PutTelemetryRecords", "xray:PutTraceSegments"]


def function_role(scope: Construct, construct_id: str, log_group: logs.LogGroup, *, inside: bool) -> iam.Role:
    """May write its own log and its traces and, ``inside`` the VPC, be attached to it."""
    # as Lambda's guide has it: it takes no narrower resource, for it makes the interfaces itself
    made = cdk.Stack.of(scope).format_arn(service="ec2", resource="*", resource_name="*")
    attach = iam.PolicyDocument(
        statements=[
            iam.PolicyStatement(actions=ATTACH, resources=[made]),
            iam.PolicyStatement(actions=LOOK, resources=["*"]),
        ]
    )
    role = iam.Role(
        scope,
        construct_id,
        assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
        # in the role itself: Lambda takes the network interfaces away with it, after the function is gone
        inline_policies={"Attach": attach} if inside else None,
    )
    log_group.grant_write(role)
    role.add_to_policy(iam.PolicyStatement(actions=TRACE, resources=["*"]))
    why = "xray:PutTraceSegments and xray:PutTelemetryRecords name no resource"
    if inside:
        why += ", nor does what EC2 describes"
        acknowledge(role, {on(made): "network interfaces have no name before Lambda makes them"})
    acknowledge(role, {"IAM5[Resource::*]": why})
    return role
