"""What tasks may do, and what functions may do with tasks, their endpoints and their image."""

from __future__ import annotations

from collections.abc import Mapping

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

from breakeven.installation import OWNER_TAG
from breakeven.planning.tasks import QUOTA
from breakeven.targets.naming import PREFIX
from infra.acknowledged import acknowledge, on
from infra.context import Context
from infra.grants import RELEASING
from infra.loader_tasks import LoaderTasks
from infra.needs import NEEDS, SECRETS
from infra.network import Network
from infra.results import Results

#: EC2 asks for the others, too, of whoever makes an endpoint
LOOKED_AT = [f"ec2:Describe{what}" for what in ("SecurityGroups", "Subnets", "VpcEndpoints", "Vpcs")]


def grant_tasks(
    functions: Mapping[str, lambda_.Function],
    tasks: LoaderTasks,
    *,
    context: Context,
    network: Network,
    results: Results,
) -> None:
    """Tell functions what they need to know of tasks, and let them and the tasks do what they do."""
    granting = _Granting(functions, tasks, context, network)
    granting.of_tasks(results)
    granting.plan()
    granting.establish()
    for name in RELEASING:
        granting.release(name)


class _Granting:
    def __init__(
        self,
        functions: Mapping[str, lambda_.Function],
        tasks: LoaderTasks,
        context: Context,
        network: Network,
    ) -> None:
        self._functions, self._tasks = functions, tasks
        self._context, self._network = context, network
        self._stack = cdk.Stack.of(tasks)

    def of_tasks(self, results: Results) -> None:
        """What a loader's functions may, inside the VPC and outside of it."""
        role, needs = self._tasks.role, NEEDS["Load"]
        results.allow_state(role, *needs.state)
        results.allow_reading(role, *needs.reads, SECRETS)
        results.allow_writing(role, *needs.writes)
        queues = self._stack.format_arn(service="sqs", resource=f"{self._context.queue_prefix}{PREFIX}*")
        _allow(role, list(needs.queues), [queues])
        why = "a run makes its queues as it goes: all of them, and nobody else's, begin with this"
        acknowledge(role, {on(queues): why})

    def plan(self) -> None:
        """How many tasks may run at once, and whether their image is there."""
        quota = self._stack.format_arn(service="servicequotas", resource="fargate", resource_name=QUOTA)
        _allow(self._role("Plan"), ["servicequotas:GetServiceQuota"], [quota])
        self._look_for_image("Plan")

    def establish(self) -> None:
        """Endpoints in the one VPC, its subnets and their one group, which carry the owner's tag."""
        name, network = "EstablishTasks", self._network
        self._look_for_image(name)
        function, role = self._functions[name], self._role(name)
        function.add_environment("BREAKEVEN_VPC", network.vpc.vpc_id)
        function.add_environment("BREAKEVEN_SUBNETS", ",".join(network.subnets.subnet_ids))
        function.add_environment("BREAKEVEN_ENDPOINT_GROUP", network.endpoints.security_group_id)
        group = self._ec2("security-group", network.endpoints.security_group_id)
        used = [self._ec2("vpc", network.vpc.vpc_id), group]
        used += [self._ec2("subnet", subnet) for subnet in network.subnets.subnet_ids]
        made = self._ec2("vpc-endpoint", "*")
        zones = self._stack.format_arn(
            service="route53", region="", account="", resource="hostedzone", resource_name="*"
        )
        tagged = {"StringEquals": {f"aws:RequestTag/{OWNER_TAG}": self._context.stack_name}}
        when_made = {"StringEquals": {"ec2:CreateAction": "CreateVpcEndpoint"}}
        _allow(role, ["ec2:CreateVpcEndpoint"], used)
        _allow(role, ["ec2:CreateVpcEndpoint"], [made], tagged)
        _allow(role, ["ec2:CreateTags"], [made], when_made)
        # EC2 asks for it where the service's own name is to lead to the endpoint
        _allow(role, ["route53:AssociateVPCWithHostedZone"], [zones])
        _allow(role, LOOKED_AT, ["*"])
        why = "no endpoint has a name before it is made: making is held to the owner's tag, tagging to making"
        zone = "the zone is the service's own, made with the endpoint, and has no name before"
        nothing = "what EC2 describes names no resource, nor does xray:PutTraceSegments"
        acknowledge(role, {on(made): why, on(zones): zone, "IAM5[Resource::*]": nothing})

    def release(self, name: str) -> None:
        """Find tasks in the one cluster and stop them; find endpoints, and delete those of this owner."""
        self._functions[name].add_environment("BREAKEVEN_CLUSTER", self._tasks.cluster.ref)
        role, tasks = self._role(name), self._tasks.every_task()
        in_cluster = {"ArnEquals": {"ecs:cluster": self._tasks.cluster.attr_arn}}
        _allow(role, ["ecs:ListTasks"], ["*"], in_cluster)
        _allow(role, ["ecs:DescribeTasks", "ecs:StopTask"], [tasks], in_cluster)
        endpoints = self._ec2("vpc-endpoint", "*")
        ours = {"StringEquals": {f"aws:ResourceTag/{OWNER_TAG}": self._context.stack_name}}
        _allow(role, ["ec2:DescribeVpcEndpoints"], ["*"])
        _allow(role, ["ec2:DeleteVpcEndpoints"], [endpoints], ours)
        why = "endpoints have no name before a run makes them; only what carries the owner tag may be deleted"
        tasks_ = "tasks have no name before ECS starts them: those of this one cluster"
        acknowledge(role, {self._tasks.finding(): tasks_, on(endpoints): why})

    def _look_for_image(self, name: str) -> None:
        image, function = self._tasks.image, self._functions[name]
        function.add_environment("BREAKEVEN_IMAGE_REPOSITORY", image.repository.repository_name)
        function.add_environment("BREAKEVEN_IMAGE_TAG", image.tag)
        _allow(self._role(name), ["ecr:DescribeImages"], [image.repository.repository_arn])

    def _role(self, name: str) -> iam.IRole:
        role = self._functions[name].role
        assert role is not None  # every function was made with one
        return role

    def _ec2(self, kind: str, name: str) -> str:
        return self._stack.format_arn(service="ec2", resource=kind, resource_name=name)


def _allow(
    role: iam.IRole,
    actions: list[str],
    resources: list[str],
    conditions: Mapping[str, Mapping[str, str]] | None = None,
) -> None:
    statement = iam.PolicyStatement(actions=actions, resources=resources, conditions=conditions)
    role.add_to_principal_policy(statement)
