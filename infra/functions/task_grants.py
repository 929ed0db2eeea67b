"""What tasks may do, and what functions may do with tasks, their endpoints and their image."""

from __future__ import annotations

from breakeven.planning.loaders.quotas import TASKS
from infra.acknowledged import acknowledge
from infra.functions.grants import Grants, allow_queues
from infra.functions.step import SECRETS
from infra.functions.step_table import IS_BUILT, RELEASING, STEPS
from infra.loaders.loader_tasks import LoaderTasks

PLAN, ESTABLISH = "Plan", "EstablishTasks"


def grant_tasks(grants: Grants, tasks: LoaderTasks) -> None:
    """Tell functions what they need to know of tasks, and let them and the tasks do what they do."""
    _of_tasks(grants, tasks)
    # how many tasks may run at once, and whether their image is there
    grants.allow(PLAN, ["servicequotas:GetServiceQuota"], [grants.arn("servicequotas", "fargate", TASKS)])
    for name in (PLAN, ESTABLISH):
        image = tasks.image
        grants.tell(name, IMAGE_REPOSITORY=image.repository.repository_name, IMAGE_TAG=image.tag)
        grants.allow(name, [IS_BUILT], [image.repository.repository_arn])
    _establish(grants)
    for name in RELEASING:
        _release(grants, name, tasks)


def _of_tasks(grants: Grants, tasks: LoaderTasks) -> None:
    """What a loader's functions may, inside the VPC and outside of it."""
    role, results, needs = tasks.role, grants.base.results, STEPS["Load"].needs
    results.allow_state(role, *needs.state)
    results.allow_reading(role, *needs.reads, SECRETS)
    results.allow_writing(role, *needs.writes)
    allow_queues(role, grants.base, needs.queues)


def _establish(grants: Grants) -> None:
    """Endpoints in the one VPC, its subnets and their one group, which carry the owner's tag."""
    network = grants.base.network
    vpc, subnets, group = network.vpc.vpc_id, network.subnets.subnet_ids, network.endpoints.security_group_id
    grants.tell(ESTABLISH, VPC=vpc, SUBNETS=",".join(subnets), ENDPOINT_GROUP=group)
    used = [grants.ec2("vpc", vpc), grants.ec2("security-group", group)]
    used += [grants.ec2("subnet", subnet) for subnet in subnets]
    made = grants.ec2("vpc-endpoint")
    zones = grants.arn("route53", "hostedzone", "*", region="", account="")
    grants.allow(ESTABLISH, ["ec2:CreateVpcEndpoint"], used)
    grants.allow(ESTABLISH, ["ec2:CreateVpcEndpoint"], [made], grants.to_be_ours)
    grants.allow_tags(ESTABLISH, [made], "CreateVpcEndpoint")
    # EC2 asks for it where the service's own name is to lead to the endpoint
    grants.allow(ESTABLISH, ["route53:AssociateVPCWithHostedZone"], [zones])
    why = "no endpoint has a name before it is made: making is held to the owner's tag, tagging to making"
    grants.acknowledge(ESTABLISH, [made], why)
    zone = "the zone is the service's own, made with the endpoint, and has no name before"
    grants.acknowledge(ESTABLISH, [zones], zone)


def _release(grants: Grants, name: str, tasks: LoaderTasks) -> None:
    """Find tasks in the one cluster, and stop them."""
    grants.tell(name, CLUSTER=tasks.cluster.ref)
    in_cluster = {"ArnEquals": {"ecs:cluster": tasks.cluster.attr_arn}}
    grants.allow(name, ["ecs:ListTasks"], ["*"], in_cluster)
    grants.allow(name, ["ecs:DescribeTasks", "ecs:StopTask"], [tasks.every_task()], in_cluster)
    why = "tasks have no name before ECS starts them: those of this one cluster"
    acknowledge(grants.role(name), {tasks.finding(): why})
