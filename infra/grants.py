"""What each function may do beyond its log: its code's calls, on this installation's own resources."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

from breakeven.installation import OWNER_TAG
from breakeven.planning.machines import QUOTA
from breakeven.targets.naming import PREFIX
from infra.acknowledged import acknowledge, on
from infra.brokers import Brokers
from infra.context import Context
from infra.network import Network
from infra.results import Results

#: entries that drive a target, and so make, fill or empty its queues
DRIVING = ("EstablishLane", "PrepareCase", "Load", "Watch", "SettleCase", "FailCase")
QUEUE_ACTIONS = [
    "sqs:CreateQueue",
    "sqs:TagQueue",
    "sqs:DeleteQueue",
    "sqs:GetQueueAttributes",
    "sqs:GetQueueUrl",
    "sqs:SendMessage",
    "sqs:ReceiveMessage",
    "sqs:DeleteMessage",
]


class Grants:
    """:param functions: by name, with InVpc or Outside behind it where there are two
    :param apart: those that are no step of a run
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
    ) -> None:
        self._functions, self._apart = functions, apart
        self._context, self._network = context, network
        self._results, self._brokers = results, brokers
        self._stack = cdk.Stack.of(results)

    def all(self) -> None:
        for name in (one for one in self._functions if one not in self._apart):
            self._run(name)
        self._look()
        self._prices()
        self._room()
        self._launch()
        for name in ("ReleaseLane", "ReleaseRun"):
            self._release(name)
        self._on_brokers("StopNodes", "ec2:StopInstances")
        self._on_brokers("StartNodes", "ec2:StartInstances")
        self._advice()
        self._resume()
        for name in [*(f"{name}Outside" for name in DRIVING), "ReleaseRun"]:
            self._queues(name)
        self._answers()

    def _role(self, name: str) -> iam.IRole:
        role = self._functions[name].role
        assert role is not None  # every function here was made with one
        return role

    def _allow(self, name: str, actions: list[str], resources: list[str], **options: object) -> None:
        statement = iam.PolicyStatement(actions=actions, resources=resources, **options)
        self._role(name).add_to_principal_policy(statement)

    def _run(self, name: str) -> None:
        """The run's state, documents and rows; inside the VPC the lane's credentials, too."""
        role, results = self._role(name), self._results
        results.allow_state(role)
        results.allow_reading(role, "runs/*")
        results.allow_writing(role, "runs/*", "rows/*")
        if self._functions[name].is_bound_to_vpc:
            results.allow_reading(role, "secrets/*")
        if name == "EstablishLaneInVpc":
            results.allow_writing(role, "secrets/*")

    def _look(self) -> None:
        """When a run last went well, what is known of nodes' runs, and which nodes are up."""
        self._results.allow_state(self._role("Look"))
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
        self._allow(name, ["ec2:DescribeInstanceTypeOfferings"], ["*"])
        self._functions[name].add_environment("BREAKEVEN_ARCHITECTURES", ",".join(self._brokers.images))
        self._functions[name].add_environment("BREAKEVEN_ZONES", self._zones())
        why = "list prices, instance types' zones and trace segments belong to no resource"
        acknowledge(self._role(name), {"IAM5[Resource::*]": why})

    def _zones(self) -> str:
        """Of the subnets, in their order."""
        return ",".join(self._network.subnets.availability_zones)

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
        self._results.allow_reading(role, "secrets/*")
        self._results.allow_writing(role, "secrets/*")
        self._brokers.role.grant_pass_role(role)
        arn = self._stack.format_arn(
            service="ec2", resource="launch-template", resource_name=template.launch_template_id
        )
        from_template = {"ArnEquals": {"ec2:LaunchTemplate": arn}}
        self._allow(name, ["ec2:RunInstances"], ["*"], conditions=from_template)
        when_launched = {"StringEquals": {"ec2:CreateAction": "RunInstances"}}
        self._allow(name, ["ec2:CreateTags"], ["*"], conditions=when_launched)
        why = (
            "instances, volumes and network interfaces have no name before they are launched: launching is "
            "held to this stack's launch template, tagging to launching; trace segments name no resource"
        )
        acknowledge(role, {"IAM5[Resource::*]": why})

    def _release(self, name: str) -> None:
        self._results.allow_reading(self._role(name), "secrets/*")
        self._results.allow_deleting(self._role(name), "secrets/*")
        self._on_brokers(name, "ec2:TerminateInstances")

    def _on_brokers(self, name: str, action: str) -> None:
        """Look at instances, and do that to those that this installation launched."""
        self._allow(name, ["ec2:DescribeInstances"], ["*"])
        instances = self._stack.format_arn(service="ec2", resource="instance", resource_name="*")
        ours = {"StringEquals": {f"aws:ResourceTag/{OWNER_TAG}": self._context.stack_name}}
        self._allow(name, [action], [instances], conditions=ours)
        reasons = {
            "IAM5[Resource::*]": "ec2:DescribeInstances and xray:PutTraceSegments name no resource",
            on(instances): "instances have no name before they are launched; only those with this "
            f"installation's owner tag are open to {action}",
        }
        acknowledge(self._role(name), reasons)

    def _resume(self) -> None:
        """The plan takes over the rows of the run that it goes on with."""
        self._results.allow_reading(self._role("Plan"), "rows/*")

    def _advice(self) -> None:
        """What the runs of a suite found of their loaders, read by the next plan."""
        for name in ("Plan", "FinishRun"):
            self._results.allow_reading(self._role(name), "advice/*")
        self._results.allow_writing(self._role("FinishRun"), "advice/*")

    def _queues(self, name: str) -> None:
        queues = self._stack.format_arn(service="sqs", resource=f"{self._context.queue_prefix}{PREFIX}*")
        self._allow(name, QUEUE_ACTIONS, [queues])
        why = "a run makes its queues as it goes: all of them, and nobody else's, begin with this"
        acknowledge(self._role(name), {on(queues): why})
        if name == "EstablishLaneOutside":
            # lists no queue of anyone else's: it only shows that the service answers
            every = self._stack.format_arn(service="sqs", resource="*")
            self._allow(name, ["sqs:ListQueues"], [every])
            why = "sqs:ListQueues names no single queue; it is asked for one, to see the service answer"
            acknowledge(self._role(name), {on(every): why})

    def _answers(self) -> None:
        name, database = "BuildReport", self._results.database_name
        self._functions[name].add_environment("BREAKEVEN_DATABASE", database)
        self._results.allow_reading(self._role(name), "athena/*")
        group = self._stack.format_arn(service="athena", resource="workgroup", resource_name=database)
        self._allow(name, ["athena:GetQueryExecution", "athena:GetQueryResults"], [group])
