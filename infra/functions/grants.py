"""Grants of each function beyond its log: its code's calls, on this installation's own resources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

from breakeven.installation import OWNER_TAG, QUEUES
from breakeven.planning.loaders.quotas import TASKS
from breakeven.planning.machine_availability import VCPU_QUOTA
from infra.brokers.broker_images import BrokerImages
from infra.brokers.broker_template import Brokers
from infra.brokers.image_builders import BuildPlace
from infra.foundation import Foundation
from infra.functions.step import SECRETS, Needs
from infra.functions.step_table import IS_BUILT, RELEASING, STEPS
from infra.loaders.loader_tasks import LoaderTasks
from infra.statements import Conditions, acknowledge, allow, on

#: what carries the owner's tag, by what is done to it
OWNED = {
    "ec2:DeleteNetworkInterface": "network-interface",
    "ec2:DeleteSnapshot": "snapshot",
    "ec2:DeleteVolume": "volume",
    "ec2:DeleteVpcEndpoints": "vpc-endpoint",
    "ec2:DeregisterImage": "image",
    "ec2:GetConsoleOutput": "instance",
    "ec2:StartInstances": "instance",
    "ec2:StopInstances": "instance",
    "ec2:TerminateInstances": "instance",
    "mq:DeleteBroker": "broker",
    "mq:DescribeBroker": "broker",
    "mq:RebootBroker": "broker",
}
#: of these, no ARN has an account
OF_NO_ACCOUNT = ("image", "snapshot")
BROKER = "broker"
PLAN, BAKE, ESTABLISH = "Plan", "BakeImages", "EstablishTasks"


@dataclass(frozen=True)
class Grants:
    """Statements for the roles of functions, each of which is known by its function's name.

    :param functions: by name, with InVpc or Outside behind it where there are two
    """

    functions: Mapping[str, lambda_.Function]
    base: Foundation

    @property
    def ours(self) -> Conditions:
        """Of what carries the owner's tag."""
        return {"StringEquals": {f"aws:ResourceTag/{OWNER_TAG}": self.base.context.stack_name}}

    @property
    def to_be_ours(self) -> Conditions:
        """Of what is to carry it."""
        return {"StringEquals": {f"aws:RequestTag/{OWNER_TAG}": self.base.context.stack_name}}

    def role(self, name: str) -> iam.IRole:
        return self.functions[name].role

    def allow(
        self, name: str, actions: Iterable[str], resources: Iterable[str], only: Conditions | None = None
    ) -> None:
        allow(self.role(name), actions, resources, only)

    def allow_tags(self, name: str, made: Iterable[str], action: str) -> None:
        """Tag what is made, while that action makes it."""
        self.allow(name, ["ec2:CreateTags"], made, {"StringEquals": {"ec2:CreateAction": action}})

    def acknowledge(self, name: str, arns: Iterable[str], why: str) -> None:
        acknowledge(self.role(name), {on(arn): why for arn in arns})

    def tell(self, name: str, **environment: str) -> None:
        """Set variables of the function's environment."""
        for variable, value in environment.items():
            self.functions[name].add_environment(f"BREAKEVEN_{variable}", value)

    def arn(self, service: str, resource: str, name: str, **parts: Any) -> str:
        stack = cdk.Stack.of(self.base.results)
        return stack.format_arn(service=service, resource=resource, resource_name=name, **parts)

    def owned(self, kind: str) -> str:
        """ARN of all that there are of a kind of ``OWNED``."""
        if kind == BROKER:
            return self.arn("mq", BROKER, "*", arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME)
        return self.ec2(kind)

    def ec2(self, kind: str, name: str = "*") -> str:
        """ARN of one, or of all that there are of a kind."""
        parts = {"account": ""} if kind in OF_NO_ACCOUNT else {}
        return self.arn("ec2", kind, name, **parts)


def grant_steps(grants: Grants, brokers: Brokers, images: Sequence[str]) -> None:
    """:param images: names of those that nodes can have"""
    for step_name, step in STEPS.items():
        for name, inside in step.functions(step_name):
            if name in grants.functions:
                _as_the_table_has_it(grants, name, step.needs_of(inside=inside))
    _plan(grants, images)
    _wake(grants)
    _launch(grants, brokers)
    _answers(grants)


def _as_the_table_has_it(grants: Grants, name: str, needs: Needs) -> None:
    """All but what is bound to single resources."""
    role, results = grants.role(name), grants.base.results
    results.allow_state(role, *needs.state)
    results.allow_reading(role, *needs.reads)
    results.allow_writing(role, *needs.writes)
    results.allow_deleting(role, *needs.deletes)
    if needs.lists:
        results.allow_listing(role, *needs.lists)
    if needs.queues:
        allow_queues(role, grants.base, needs.queues)
    if needs.asks:
        grants.allow(name, needs.asks, ["*"])
        why = f"{', '.join(needs.asks)} and xray:PutTraceSegments name no resource"
        acknowledge(role, {"IAM5[Resource::*]": why})
    for kind in dict.fromkeys(OWNED[action] for action in needs.of_ours):
        actions = [action for action in needs.of_ours if OWNED[action] == kind]
        arn = grants.owned(kind)
        grants.allow(name, actions, [arn], grants.ours)
        why = f"none has a name before a run makes it; only what carries the owner tag is open to {actions}"
        grants.acknowledge(name, [arn], why)


def _plan(grants: Grants, images: Sequence[str]) -> None:
    """What a run may spend at most, whatever its input says, and what the account has room for."""
    for variable, value in grants.base.context.allowance.environment().items():
        grants.functions[PLAN].add_environment(variable, value)
    grants.allow(PLAN, ["servicequotas:GetServiceQuota"], [grants.arn("servicequotas", "ec2", VCPU_QUOTA)])
    grants.tell(PLAN, BROKER_IMAGES=",".join(images), ZONES=_zones(grants))


def _zones(grants: Grants) -> str:
    """Of the subnets, in their order."""
    return ",".join(grants.base.network.subnets.availability_zones)


def _wake(grants: Grants) -> None:
    """Ask after the functions inside the VPC, and call those that are asleep."""
    name, inside = "WakeFunctions", [each for each in grants.functions.values() if each.is_bound_to_vpc]
    grants.tell(name, FUNCTIONS=",".join(each.function_name for each in inside))
    grants.allow(name, STEPS[name].needs.bound, [each.function_arn for each in inside])


def _launch(grants: Grants, brokers: Brokers) -> None:
    """Launch from the one template, and tag what that makes."""
    name, network, template = "LaunchBrokers", grants.base.network, brokers.launch_template.launch_template_id
    grants.tell(
        name,
        LAUNCH_TEMPLATE=str(template),
        SUBNETS=",".join(network.subnets.subnet_ids),
        ZONES=_zones(grants),
        IMAGES=cdk.Stack.of(brokers).to_json_string(dict(brokers.images)),
        BROKER_GROUP=network.brokers.security_group_id,
    )
    brokers.role.grant_pass_role(grants.role(name))
    arn = grants.ec2("launch-template", template)
    # AWS asks about all that a launch makes, and about all that it uses
    made = [grants.ec2(kind) for kind in ("instance", "network-interface", "volume")]
    used = [grants.ec2(kind) for kind in ("subnet", "security-group", "image")]
    from_template = {"ArnEquals": {"ec2:LaunchTemplate": arn}}
    grants.allow(name, ["ec2:RunInstances"], [*made, *used, arn], from_template)
    grants.allow_tags(name, made, "RunInstances")
    why = "what is launched has no name before: launching is held to this stack's template, tagging to it"
    grants.acknowledge(name, [*made, *used], why)


def _answers(grants: Grants) -> None:
    name, database = "BuildReport", grants.base.results.database_name
    grants.tell(name, DATABASE=database)
    grants.allow(name, STEPS[name].needs.bound, [grants.arn("athena", "workgroup", database)])


def allow_queues(role: iam.IRole, base: Foundation, actions: Iterable[str]) -> None:
    """Do that to the queues of runs, all of which begin with the installation's prefix.

    Without one, a queue of somebody else's may begin so, too: what deletes asks for the owner's tag.
    """
    queues = cdk.Stack.of(role).format_arn(service="sqs", resource=f"{base.context.queue_prefix}{QUEUES}*")
    allow(role, actions, [queues])
    why = "a run makes its queues as it goes, and all of them begin with this"
    acknowledge(role, {on(queues): why})


def grant_images(grants: Grants, images: BrokerImages) -> None:
    """Tell functions which images there are to be, and let one bake them."""
    if images.place is None:
        return
    recipes = {name: asdict(image.recipe) for name, image in images.baked.items()}
    for name in (PLAN, BAKE):
        grants.tell(name, RECIPES=cdk.Stack.of(images).to_json_string(recipes))
    # which of them there are
    grants.allow(PLAN, ["ec2:DescribeImages"], ["*"])
    _launch_builders(grants, images, images.place)
    instances, image, snapshot = (grants.ec2(kind) for kind in ("instance", "image", "snapshot"))
    grants.allow(BAKE, ["ec2:CreateImage"], [instances], grants.ours)
    grants.allow(BAKE, ["ec2:CreateImage"], [image, snapshot], grants.to_be_ours)
    grants.allow_tags(BAKE, [image, snapshot], "CreateImage")


def _launch_builders(grants: Grants, images: BrokerImages, place: BuildPlace) -> None:
    """Launch builders from their own templates."""
    grants.tell(BAKE, BUILD_SUBNETS=",".join(place.subnet_ids))
    built = images.baked.values()
    templates = [grants.ec2("launch-template", image.recipe.template) for image in built]
    made = [grants.ec2(kind) for kind in ("instance", "network-interface", "volume")]
    used = [grants.ec2("subnet", subnet) for subnet in place.subnet_ids]
    used += [grants.ec2("security-group", place.group.security_group_id), grants.ec2("image")]
    from_template = {"ArnEquals": {"ec2:LaunchTemplate": templates}}
    grants.allow(BAKE, ["ec2:RunInstances"], [*made, *used, *templates], from_template)
    grants.allow_tags(BAKE, made, "RunInstances")
    for image in built:
        image.role.grant_pass_role(grants.role(BAKE))
    # EC2 looks up a template's parameter as who launches ("Use a Systems Manager parameter …", EC2 guide)
    parameters = [
        grants.arn("ssm", "parameter", image.parameter.lstrip("/"), account="")
        for image in built
        if image.parameter
    ]
    if parameters:
        grants.allow(BAKE, ["ssm:GetParameters"], parameters)
    why = "what is launched has no name before: launching is held to this stack's templates, tagging to it"
    grants.acknowledge(BAKE, made, why)


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
