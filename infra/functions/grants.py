"""What each function may do beyond its log: its code's calls, on this installation's own resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

from breakeven.installation import OWNER_TAG
from breakeven.planning.machine_availability import QUOTA
from breakeven.targets.naming import PREFIX
from infra.acknowledged import acknowledge, on
from infra.brokers.broker_template import Brokers
from infra.brokers.network import Network
from infra.context.settings import Context
from infra.functions.step import Needs
from infra.functions.step_table import STEPS
from infra.results import Results

Conditions = Mapping[str, Mapping[str, object]]
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


class Granting:
    """Statements for the roles of functions, each of which is known by its function's name."""

    def __init__(self, functions: Mapping[str, lambda_.Function], context: Context) -> None:
        self._functions, self._context = functions, context
        self._stack = cdk.Stack.of(next(iter(functions.values())))
        #: of what carries the owner's tag
        self._ours: Conditions = {"StringEquals": {f"aws:ResourceTag/{OWNER_TAG}": context.stack_name}}

    def _role(self, name: str) -> iam.IRole:
        role = self._functions[name].role
        assert role is not None  # every function here was made with one
        return role

    def _allow(
        self,
        name: str,
        actions: Sequence[str],
        resources: Sequence[str],
        conditions: Conditions | None = None,
    ) -> None:
        statement = iam.PolicyStatement(
            actions=list(actions), resources=list(resources), conditions=conditions
        )
        self._role(name).add_to_principal_policy(statement)

    def _tell(self, name: str, **environment: str) -> None:
        """Set variables of the function's environment."""
        for variable, value in environment.items():
            self._functions[name].add_environment(f"BREAKEVEN_{variable}", value)

    def _ec2(self, kind: str, name: str = "*") -> str:
        """ARN of one, or of all that there are of a kind."""
        account = "" if kind in OF_NO_ACCOUNT else None
        return self._stack.format_arn(service="ec2", resource=kind, resource_name=name, account=account)


class Grants(Granting):
    """:param functions: by name, with InVpc or Outside behind it where there are two
    :param architectures: that nodes can have
    """

    def __init__(
        self,
        functions: Mapping[str, lambda_.Function],
        *,
        context: Context,
        network: Network,
        results: Results,
        brokers: Brokers,
        architectures: Sequence[str],
    ) -> None:
        super().__init__(functions, context)
        self._network, self._results = network, results
        self._brokers, self._architectures = brokers, architectures

    def all(self) -> None:
        for step_name, step in STEPS.items():
            for name, inside in step.functions(step_name):
                if name in self._functions:
                    self._as_the_table_has_it(name, step.needs_of(inside=inside))
        self._plan()
        self._wake()
        self._launch()
        self._answers()

    def _as_the_table_has_it(self, name: str, needs: Needs) -> None:
        """All but what is bound to single resources."""
        role, results = self._role(name), self._results
        results.allow_state(role, *needs.state)
        results.allow_reading(role, *needs.reads)
        results.allow_writing(role, *needs.writes)
        results.allow_deleting(role, *needs.deletes)
        if needs.lists:
            results.allow_listing(role, *needs.lists)
        if needs.queues:
            allow_queues(role, self._context, needs.queues)
        if needs.asks:
            self._allow(name, needs.asks, ["*"])
            why = f"{', '.join(needs.asks)} and xray:PutTraceSegments name no resource"
            acknowledge(role, {"IAM5[Resource::*]": why})
        for kind in dict.fromkeys(OWNED[action] for action in needs.of_ours):
            actions = [action for action in needs.of_ours if OWNED[action] == kind]
            self._allow(name, actions, [self._ec2(kind)], self._ours)
            why = (
                f"none has a name before a run makes it; only what carries the owner tag is open to {actions}"
            )
            acknowledge(role, {on(self._ec2(kind)): why})

    def _plan(self) -> None:
        """What the account has room for."""
        quota = self._stack.format_arn(service="servicequotas", resource="ec2", resource_name=QUOTA)
        self._allow("Plan", ["servicequotas:GetServiceQuota"], [quota])
        self._tell("Plan", ARCHITECTURES=",".join(self._architectures), ZONES=self._zones())

    def _zones(self) -> str:
        """Of the subnets, in their order."""
        return ",".join(self._network.subnets.availability_zones)

    def _wake(self) -> None:
        """Ask after the functions inside the VPC, and call those that are asleep."""
        name, inside = "WakeFunctions", [each for each in self._functions.values() if each.is_bound_to_vpc]
        self._tell(name, FUNCTIONS=",".join(each.function_name for each in inside))
        arns = [each.function_arn for each in inside]
        self._allow(name, STEPS[name].needs.bound, arns)

    def _launch(self) -> None:
        """Launch from the one template, and tag what that makes."""
        name, template = "LaunchBrokers", self._brokers.launch_template
        self._tell(
            name,
            LAUNCH_TEMPLATE=str(template.launch_template_id),
            SUBNETS=",".join(self._network.subnets.subnet_ids),
            ZONES=self._zones(),
            IMAGES=self._stack.to_json_string(dict(self._brokers.images)),
            BROKER_GROUP=self._network.brokers.security_group_id,
        )
        role = self._role(name)
        self._brokers.role.grant_pass_role(role)
        launched = template.launch_template_id
        arn = self._stack.format_arn(service="ec2", resource="launch-template", resource_name=launched)
        # AWS asks about all that a launch makes, and about all that it uses
        made = [self._ec2(kind) for kind in ("instance", "network-interface", "volume")]
        used = [self._ec2(kind) for kind in ("subnet", "security-group", "image")]
        from_template = {"ArnEquals": {"ec2:LaunchTemplate": arn}}
        self._allow(name, ["ec2:RunInstances"], [*made, *used, arn], from_template)
        when_launched = {"StringEquals": {"ec2:CreateAction": "RunInstances"}}
        self._allow(name, ["ec2:CreateTags"], made, when_launched)
        why = "what is launched has no name before: launching is held to this stack's template, tagging to it"
        acknowledge(role, {on(each): why for each in (*made, *used)})

    def _answers(self) -> None:
        name, database = "BuildReport", self._results.database_name
        self._tell(name, DATABASE=database)
        group = self._stack.format_arn(service="athena", resource="workgroup", resource_name=database)
        self._allow(name, STEPS[name].needs.bound, [group])


def allow_queues(role: iam.IRole, context: Context, actions: Sequence[str]) -> None:
    """Do that to the queues of runs: all of them, and nobody else's, begin with the installation's prefix."""
    queues = cdk.Stack.of(role).format_arn(service="sqs", resource=f"{context.queue_prefix}{PREFIX}*")
    role.add_to_principal_policy(iam.PolicyStatement(actions=list(actions), resources=[queues]))
    why = "a run makes its queues as it goes: all of them, and nobody else's, begin with this"
    acknowledge(role, {on(queues): why})
