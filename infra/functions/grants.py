"""What each function may do beyond its log: its code's calls, on this installation's own resources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

from breakeven.installation import OWNER_TAG
from breakeven.planning.machine_availability import QUOTA
from breakeven.targets.naming import PREFIX
from infra.acknowledged import acknowledge, on
from infra.brokers.broker_template import Brokers
from infra.foundation import Foundation
from infra.functions.step import Needs
from infra.functions.step_table import STEPS
from infra.statements import Conditions, allow

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
}
#: of these, no ARN has an account
OF_NO_ACCOUNT = ("image", "snapshot")


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

    def arn(self, service: str, resource: str, name: str, **parts: str) -> str:
        stack = cdk.Stack.of(self.base.results)
        return stack.format_arn(service=service, resource=resource, resource_name=name, **parts)

    def ec2(self, kind: str, name: str = "*") -> str:
        """ARN of one, or of all that there are of a kind."""
        parts = {"account": ""} if kind in OF_NO_ACCOUNT else {}
        return self.arn("ec2", kind, name, **parts)


def grant_steps(grants: Grants, brokers: Brokers, architectures: Sequence[str]) -> None:
    """:param architectures: that nodes can have"""
    for step_name, step in STEPS.items():
        for name, inside in step.functions(step_name):
            if name in grants.functions:
                _as_the_table_has_it(grants, name, step.needs_of(inside=inside))
    _plan(grants, architectures)
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
        grants.allow(name, actions, [grants.ec2(kind)], grants.ours)
        why = f"none has a name before a run makes it; only what carries the owner tag is open to {actions}"
        grants.acknowledge(name, [grants.ec2(kind)], why)


def _plan(grants: Grants, architectures: Sequence[str]) -> None:
    """What the account has room for."""
    grants.allow("Plan", ["servicequotas:GetServiceQuota"], [grants.arn("servicequotas", "ec2", QUOTA)])
    grants.tell("Plan", ARCHITECTURES=",".join(architectures), ZONES=_zones(grants))


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
    """Do that to the queues of runs: all of them, and nobody else's, begin with the installation's prefix."""
    queues = cdk.Stack.of(role).format_arn(service="sqs", resource=f"{base.context.queue_prefix}{PREFIX}*")
    allow(role, actions, [queues])
    why = "a run makes its queues as it goes: all of them, and nobody else's, begin with this"
    acknowledge(role, {on(queues): why})
