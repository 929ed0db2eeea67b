"""What tasks may do, and what functions may do with tasks, their endpoints and their image."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import aws_lambda as lambda_

from breakeven.installation import OWNER_TAG
from breakeven.planning.loaders.quotas import TASKS
from infra.acknowledged import acknowledge, on
from infra.brokers.network import Network
from infra.context.settings import Context
from infra.functions.grants import Granting, allow_queues
from infra.functions.step import SECRETS
from infra.functions.step_table import IS_BUILT, RELEASING, STEPS
from infra.loaders.loader_tasks import LoaderTasks
from infra.results import Results


def grant_tasks(
    functions: Mapping[str, lambda_.Function],
    tasks: LoaderTasks,
    *,
    context: Context,
    network: Network,
    results: Results,
) -> None:
    """Tell functions what they need to know of tasks, and let them and the tasks do what they do."""
    granting = _TaskGranting(functions, tasks, context, network)
    granting.of_tasks(results)
    granting.plan()
    granting.establish()
    for name in RELEASING:
        granting.release(name)


class _TaskGranting(Granting):
    def __init__(
        self,
        functions: Mapping[str, lambda_.Function],
        tasks: LoaderTasks,
        context: Context,
        network: Network,
    ) -> None:
        super().__init__(functions, context)
        self._tasks, self._network = tasks, network

    def of_tasks(self, results: Results) -> None:
        """What a loader's functions may, inside the VPC and outside of it."""
        role, needs = self._tasks.role, STEPS["Load"].needs
        results.allow_state(role, *needs.state)
        results.allow_reading(role, *needs.reads, SECRETS)
        results.allow_writing(role, *needs.writes)
        allow_queues(role, self._context, needs.queues)

    def plan(self) -> None:
        """How many tasks may run at once, and whether their image is there."""
        quota = self._stack.format_arn(service="servicequotas", resource="fargate", resource_name=TASKS)
        self._allow("Plan", ["servicequotas:GetServiceQuota"], [quota])
        self._find_image("Plan")

    def establish(self) -> None:
        """Endpoints in the one VPC, its subnets and their one group, which carry the owner's tag."""
        name, network = "EstablishTasks", self._network
        self._find_image(name)
        self._tell(
            name,
            VPC=network.vpc.vpc_id,
            SUBNETS=",".join(network.subnets.subnet_ids),
            ENDPOINT_GROUP=network.endpoints.security_group_id,
        )
        group = self._ec2("security-group", network.endpoints.security_group_id)
        used = [self._ec2("vpc", network.vpc.vpc_id), group]
        used += [self._ec2("subnet", subnet) for subnet in network.subnets.subnet_ids]
        made = self._ec2("vpc-endpoint")
        zones = self._stack.format_arn(
            service="route53", region="", account="", resource="hostedzone", resource_name="*"
        )
        tagged = {"StringEquals": {f"aws:RequestTag/{OWNER_TAG}": self._context.stack_name}}
        when_made = {"StringEquals": {"ec2:CreateAction": "CreateVpcEndpoint"}}
        self._allow(name, ["ec2:CreateVpcEndpoint"], used)
        self._allow(name, ["ec2:CreateVpcEndpoint"], [made], tagged)
        self._allow(name, ["ec2:CreateTags"], [made], when_made)
        # EC2 asks for it where the service's own name is to lead to the endpoint
        self._allow(name, ["route53:AssociateVPCWithHostedZone"], [zones])
        why = "no endpoint has a name before it is made: making is held to the owner's tag, tagging to making"
        zone = "the zone is the service's own, made with the endpoint, and has no name before"
        acknowledge(self._role(name), {on(made): why, on(zones): zone})

    def release(self, name: str) -> None:
        """Find tasks in the one cluster, and stop them."""
        self._tell(name, CLUSTER=self._tasks.cluster.ref)
        in_cluster = {"ArnEquals": {"ecs:cluster": self._tasks.cluster.attr_arn}}
        self._allow(name, ["ecs:ListTasks"], ["*"], in_cluster)
        self._allow(name, ["ecs:DescribeTasks", "ecs:StopTask"], [self._tasks.every_task()], in_cluster)
        why = "tasks have no name before ECS starts them: those of this one cluster"
        acknowledge(self._role(name), {self._tasks.finding(): why})

    def _find_image(self, name: str) -> None:
        image = self._tasks.image
        self._tell(name, IMAGE_REPOSITORY=image.repository.repository_name, IMAGE_TAG=image.tag)
        self._allow(name, [IS_BUILT], [image.repository.repository_arn])
