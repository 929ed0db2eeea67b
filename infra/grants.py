"""What each function may do beyond its log: its code's calls, on this installation's own resources."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

from breakeven.installation import OWNER_TAG
from breakeven.planning.machines import QUOTA
from breakeven.targets.naming import PREFIX
from infra.acknowledged import acknowledge, on
from infra.brokers import Brokers
from infra.context import Context
from infra.needs import GET, NEEDS, SECRETS, UPDATE
from infra.network import Network
from infra.results import Results

#: entries that let go of all that a run has made; the last two are no part of its workflow
RELEASING = ("ReleaseRun", "CleanUp", "Watchdog")


class Grants:
    """:param functions: by name, with InVpc or Outside behind it where there are two
    :param apart: those that are no step of a run
    :param architectures: that nodes can have
    """

    def __init__(
        self,
        functions: Mapping[str, lambda_.Function],
        apart: Collection[str],
        *,
        context: Context,
        network: Network,
        results: Results,
        brokers: Brokers,
        architectures: Sequence[str],
    ) -> None:
        self._functions, self._apart = functions, apart
        self._context, self._network = context, network
        self._results, self._brokers, self._architectures = results, brokers, architectures
        self._stack = cdk.Stack.of(results)

    def all(self) -> None:
        for name in (one for one in self._functions if one not in self._apart):
            self._run(name)
        self._look()
        self._prices()
        self._room()
        self._wake()
        self._launch()
        for name in ("ReleaseLane", *RELEASING):
            self._on_brokers(name, "ec2:TerminateInstances")
        for name in RELEASING:
            self._release_rest(name)
        self._on_brokers("StopNodes", "ec2:StopInstances")
        self._on_brokers("StartNodes", "ec2:StartInstances")
        self._list_queues("EstablishLaneOutside")
        self._answers()

    def _role(self, name: str) -> iam.IRole:
        role = self._functions[name].role
        assert role is not None  # every function here was made with one
        return role

    def _allow(self, name: str, actions: list[str], resources: list[str], **options: object) -> None:
        statement = iam.PolicyStatement(actions=actions, resources=resources, **options)
        self._role(name).add_to_principal_policy(statement)

    def _run(self, name: str) -> None:
        """State, objects and queues; see ``infra/needs.py``."""
        role, results, inside = self._role(name), self._results, self._functions[name].is_bound_to_vpc
        needs = NEEDS[name.removesuffix("InVpc").removesuffix("Outside")]
        results.allow_state(role, *needs.state)
        reads = (*needs.reads, SECRETS) if inside else needs.reads
        establishes = name == "EstablishLaneInVpc"  # gathers the nodes, and tells the others of them
        results.allow_reading(role, *reads)
        results.allow_writing(role, *needs.writes, *((SECRETS,) if establishes else ()))
        results.allow_deleting(role, *needs.deletes)
        if lists := (*needs.lists, *((SECRETS,) if establishes else ())):
            results.allow_listing(role, *lists)
        if needs.queues and not inside:
            self._queues(name, list(needs.queues))

    def _look(self) -> None:
        """When a run last went well, what is known of nodes' runs, and which nodes are up."""
        self._results.allow_state(self._role("Look"), GET, UPDATE)
        self._allow("Look", ["ec2:DescribeInstances"], ["*"])
        why = "ec2:DescribeInstances and xray:PutTraceSegments name no resource"
        acknowledge(self._role("Look"), {"IAM5[Resource::*]": why})

    def _prices(self) -> None:
        self._allow("Plan", ["pricing:GetProducts"], ["*"])

    def _room(self) -> None:
        """What the account has room for: read by the plan."""
        name = "Plan"
        quota = self._stack.format_arn(service="servicequotas", resource="ec2", resource_name=QUOTA)
        self._allow(name, ["servicequotas:GetServiceQuota"], [quota])
        asked = ["ec2:DescribeInstanceTypeOfferings", "ec2:DescribeInstanceTypes"]
        self._allow(name, [*asked, "freetier:GetAccountPlanState", "lambda:GetAccountSettings"], ["*"])
        self._functions[name].add_environment("BREAKEVEN_ARCHITECTURES", ",".join(self._architectures))
        self._functions[name].add_environment("BREAKEVEN_ZONES", self._zones())
        why = "prices, types, their zones, the account's plan and limits, and trace segments have no resource"
        acknowledge(self._role(name), {"IAM5[Resource::*]": why})

    def _zones(self) -> str:
        """Of the subnets, in their order."""
        return ",".join(self._network.subnets.availability_zones)

    def _wake(self) -> None:
        """Ask after the functions inside the VPC, and call those that are asleep."""
        name, inside = "WakeFunctions", [each for each in self._functions.values() if each.is_bound_to_vpc]
        names = ",".join(each.function_name for each in inside)
        self._functions[name].add_environment("BREAKEVEN_FUNCTIONS", names)
        arns = [each.function_arn for each in inside]
        self._allow(name, ["lambda:GetFunctionConfiguration", "lambda:InvokeFunction"], arns)

    def _launch(self) -> None:
        """Launch from the one template, and tag what that makes."""
        name, template = "LaunchBrokers", self._brokers.launch_template
        function = self._functions[name]
        function.add_environment("BREAKEVEN_LAUNCH_TEMPLATE", str(template.launch_template_id))
        function.add_environment("BREAKEVEN_SUBNETS", ",".join(self._network.subnets.subnet_ids))
        function.add_environment("BREAKEVEN_ZONES", self._zones())
        function.add_environment("BREAKEVEN_IMAGES", self._stack.to_json_string(dict(self._brokers.images)))
        function.add_environment("BREAKEVEN_BROKER_GROUP", self._network.brokers.security_group_id)
        role = self._role(name)
        self._brokers.role.grant_pass_role(role)
        launched = template.launch_template_id
        arn = self._stack.format_arn(service="ec2", resource="launch-template", resource_name=launched)
        # AWS asks about all that a launch makes, and about all that it uses
        made = [self._ec2(kind) for kind in ("instance", "network-interface", "volume")]
        used = [self._ec2("subnet"), self._ec2("security-group"), self._ec2("image", account="")]
        from_template = {"ArnEquals": {"ec2:LaunchTemplate": arn}}
        self._allow(name, ["ec2:DescribeInstances"], ["*"])
        self._allow(name, ["ec2:RunInstances"], [*made, *used, arn], conditions=from_template)
        when_launched = {"StringEquals": {"ec2:CreateAction": "RunInstances"}}
        self._allow(name, ["ec2:CreateTags"], made, conditions=when_launched)
        why = "what is launched has no name before: launching is held to this stack's template, tagging to it"
        acknowledge(role, {on(each): why for each in (*made, *used)})
        acknowledge(role, {"IAM5[Resource::*]": "ec2:DescribeInstances and traces name no resource"})

    def _ec2(self, kind: str, account: str | None = None) -> str:
        """Everything of a kind; images belong to no account in their ARN."""
        return self._stack.format_arn(service="ec2", resource=kind, resource_name="*", account=account)

    def _release_rest(self, name: str) -> None:
        """What a launch can leave beside instances, and the queues of cases that were never settled."""
        self._allow(name, ["ec2:DescribeNetworkInterfaces", "ec2:DescribeVolumes"], ["*"])
        self._on_ours(name, "ec2:DeleteNetworkInterface", "network-interface")
        self._on_ours(name, "ec2:DeleteVolume", "volume")
        self._list_queues(name)

    def _on_brokers(self, name: str, action: str) -> None:
        """Look at instances, and do that to those that this installation launched."""
        self._allow(name, ["ec2:DescribeInstances"], ["*"])
        self._on_ours(name, action, "instance")
        why = "what EC2 describes names no resource, nor does xray:PutTraceSegments"
        acknowledge(self._role(name), {"IAM5[Resource::*]": why})

    def _on_ours(self, name: str, action: str, kind: str) -> None:
        """Do that to what launches of this installation have made, of that kind."""
        made = self._ec2(kind)
        ours = {"StringEquals": {f"aws:ResourceTag/{OWNER_TAG}": self._context.stack_name}}
        self._allow(name, [action], [made], conditions=ours)
        why = f"nothing of a launch has a name before it; only what carries the owner tag is open to {action}"
        acknowledge(self._role(name), {on(made): why})

    def _queues(self, name: str, actions: list[str]) -> None:
        queues = self._stack.format_arn(service="sqs", resource=f"{self._context.queue_prefix}{PREFIX}*")
        self._allow(name, actions, [queues])
        why = "a run makes its queues as it goes: all of them, and nobody else's, begin with this"
        acknowledge(self._role(name), {on(queues): why})

    def _list_queues(self, name: str) -> None:
        """Asked for one, to see the service answer, or for those whose names begin as ours do."""
        self._allow(name, ["sqs:ListQueues"], ["*"])
        why = "sqs:ListQueues names no resource, nor does what EC2 describes, nor xray:PutTraceSegments"
        acknowledge(self._role(name), {"IAM5[Resource::*]": why})

    def _answers(self) -> None:
        name, database = "BuildReport", self._results.database_name
        self._functions[name].add_environment("BREAKEVEN_DATABASE", database)
        group = self._stack.format_arn(service="athena", resource="workgroup", resource_name=database)
        self._allow(name, ["athena:GetQueryResults"], [group])
