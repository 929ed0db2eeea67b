"""The Lambda functions: one code asset, one dependency layer, one function and role an entry point."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.brokers.broker_images import BrokerImages
from infra.brokers.broker_template import Brokers
from infra.code import ARCHITECTURE, RUNTIME, code, dependencies
from infra.foundation import Foundation
from infra.functions.amazon_mq_grants import grant_brokers
from infra.functions.grants import Grants, grant_images, grant_steps, grant_tasks
from infra.functions.step import Step
from infra.functions.step_table import STEPS
from infra.loaders.loader_tasks import LoaderTasks
from infra.statements import acknowledge, allow, on

#: Lambda attaches functions to a VPC with these, on whatever it makes there, and looks with the others
ATTACH = [
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:UnassignPrivateIpAddresses",
]
LOOK = ["ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets"]
TRACE = ["xray:PutTelemetryRecords", "xray:PutTraceSegments"]


class Functions(Construct):
    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        base: Foundation,
        *,
        brokers: Brokers,
        images: BrokerImages,
        tasks: LoaderTasks,
    ) -> None:
        super().__init__(scope, construct_id)
        self._base = base
        self._code, self._layer = code(self), dependencies(self)
        self._by_name: dict[str, lambda_.Function] = {}
        there = {None: True, "scheduled": base.context.is_scheduled, "baking": bool(images.baked)}
        for step_name, step in STEPS.items():
            if there[step.only]:
                for name, inside in step.functions(step_name):
                    self._make(name, step, inside=inside)
        grants = Grants(self._by_name, base)
        grant_steps(grants, brokers, images.names)
        grant_images(grants, images)
        grant_tasks(grants, tasks)
        grant_brokers(grants)
        acknowledge(
            self,
            {
                "L1": "Python 3.13 is what the dependencies' wheels are locked and fetched for, and AWS "
                "maintains it until 2029; the release moves when the lock does."
            },
        )

    def get(self, name: str, *, inside: bool = False) -> lambda_.Function:
        """The function of that name; of those that exist twice, the one inside the VPC or outside."""
        named = {is_inside: each for each, is_inside in STEPS[name].functions(name)}
        return self._by_name[named.get(inside, name)]

    def find(self, name: str) -> lambda_.Function | None:
        """The function of that name, where the context asks for it."""
        return self._by_name.get(name)

    def everyone(self) -> list[lambda_.Function]:
        return list(self._by_name.values())

    def _make(self, name: str, step: Step, *, inside: bool) -> None:
        log_group = self._base.storage.log_group(self, f"{name}Logs")
        self._by_name[name] = lambda_.Function(
            self,
            name,
            runtime=RUNTIME,
            architecture=ARCHITECTURE,
            code=self._code,
            layers=[self._layer],
            handler=f"handlers.{step.handler}.handler",
            timeout=cdk.Duration.seconds(step.limit_s),
            memory_size=step.memory_mb,
            role=_role(self, f"{name}Role", log_group, inside=inside),
            log_group=log_group,
            tracing=lambda_.Tracing.ACTIVE,
            environment=self._base.environment(step.called),
            **self._placement(inside=inside),
        )

    def _placement(self, *, inside: bool) -> dict[str, object]:
        if not inside:
            return {}
        return {
            "vpc": self._base.network.vpc,
            "vpc_subnets": ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            "security_groups": [self._base.network.loaders],
        }


def _role(scope: Construct, construct_id: str, log_group: logs.LogGroup, *, inside: bool) -> iam.Role:
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
    allow(role, TRACE, ["*"])
    why = "xray:PutTraceSegments and xray:PutTelemetryRecords name no resource"
    if inside:
        why += ", nor does what EC2 describes"
        acknowledge(role, {on(made): "network interfaces have no name before Lambda makes them"})
    acknowledge(role, {"IAM5[Resource::*]": why})
    return role
