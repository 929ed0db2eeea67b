"""Loaders as tasks of Fargate: their cluster, what a task is, and the states that start one."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_ecs as ecs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from breakeven.installation import OWNER_TAG, RUN_GROUP, TASK_INPUT
from breakeven.planning.budget.task_lines import MEMORY_GB, VCPU
from breakeven.planning.footprint import ROOM
from breakeven.results import layout
from infra.foundation import Foundation
from infra.loaders.loader_image import FOLDER, LoaderImage
from infra.retries import retry_on
from infra.statements import acknowledge, allow, on, service_role

#: what the container of a task is called
CONTAINER = "loader"
#: between SIGTERM and SIGKILL; of Fargate at most 120
STOP_TIMEOUT_S = 30
DESCRIPTORS = ROOM["fargate"].descriptors
#: what ECS answers where it has started nothing: asked too often, by itself or by EC2 for it (which comes as
#: InvalidParameter), without a host just now ("AmazonECS.Unknown": the answer has failures), or broken. None
#: of these is said of a task that was started, and a loader that was started twice would say so itself
NOT_STARTED = [
    "ECS.ThrottlingException",
    "ECS.AmazonECSException",
    "ECS.InvalidParameterException",
    "ECS.ServerException",
    "AmazonECS.Unknown",
]


class LoaderTasks(Construct):
    """``role`` does what a loader's function does; its tasks have such a function's environment, too."""

    def __init__(self, scope: Construct, construct_id: str, base: Foundation, image: LoaderImage) -> None:
        super().__init__(scope, construct_id)
        self._network, self.image = base.network, image
        self.cluster = ecs.CfnCluster(
            self,
            "Cluster",
            cluster_settings=[
                ecs.CfnCluster.ClusterSettingsProperty(name="containerInsights", value="disabled")
            ],
        )
        why = "each loader measures its own cores and memory: insights would be paid for to say it again"
        acknowledge(self.cluster, {"ECS4": why})
        does = "a loader that is a task: does what a loader's function does"
        self.role = service_role(self, "Role", "ecs-tasks", does)
        logs = base.storage.log_group(self, "Logs")
        starts = "starts loaders' tasks: pulls their image, writes their log"
        self._starting = service_role(self, "StartRole", "ecs-tasks", starts)
        image.may_pull(self._starting)
        logs.grant_write(self._starting)
        self._definition = self._make_definition(base, logs.log_group_name)
        acknowledge(
            self._definition, {"ECS2": "names of resources and a key, as functions have them: no secrets"}
        )

    def _make_definition(self, base: Foundation, log_group: str) -> ecs.CfnTaskDefinition:
        owner, environment = base.context.stack_name, base.environment("task")
        definition = ecs.CfnTaskDefinition(
            self,
            "Definition",
            family=f"{owner}-loader",
            network_mode="awsvpc",
            requires_compatibilities=["FARGATE"],
            cpu=str(VCPU * 1024),
            memory=str(MEMORY_GB * 1024),
            runtime_platform=ecs.CfnTaskDefinition.RuntimePlatformProperty(
                cpu_architecture="ARM64", operating_system_family="LINUX"
            ),
            task_role_arn=self.role.role_arn,
            execution_role_arn=self._starting.role_arn,
            container_definitions=[
                ecs.CfnTaskDefinition.ContainerDefinitionProperty(
                    name=CONTAINER,
                    image=self.image.uri,
                    essential=True,
                    # as the image says it, too
                    entry_point=["python"],
                    command=["-m", "handlers.task"],
                    working_directory=FOLDER,
                    stop_timeout=STOP_TIMEOUT_S,
                    # the most that Fargate gives; its older releases gave 1,024 where nothing was asked for
                    ulimits=[
                        ecs.CfnTaskDefinition.UlimitProperty(
                            name="nofile", soft_limit=DESCRIPTORS, hard_limit=DESCRIPTORS
                        )
                    ],
                    environment=[
                        ecs.CfnTaskDefinition.KeyValuePairProperty(name=name, value=value)
                        for name, value in {"AWS_DEFAULT_REGION": cdk.Aws.REGION, **environment}.items()
                    ],
                    log_configuration=ecs.CfnTaskDefinition.LogConfigurationProperty(
                        log_driver="awslogs",
                        options={
                            "awslogs-group": log_group,
                            "awslogs-region": cdk.Aws.REGION,
                            "awslogs-stream-prefix": "task",
                        },
                    ),
                )
            ],
        )
        cdk.Tags.of(definition).add(OWNER_TAG, owner)
        return definition

    def state(self, scope: Construct, name: str) -> sfn.CustomState:
        """One loader as a task, to its end: started again where none was, and once where it may not have run.

        The construct of the CDK for it knows of no group, by which the task is found again.
        """
        state = sfn.CustomState(scope, name, state_json=self._state())
        # a hundred may be started at once and 20 a second after ("Request throttling", Amazon ECS API
        # Reference): all of these together are well within the deadline of a case's start
        retry_on(state, NOT_STARTED, 5, interval_s=3)
        # a task that ended before its container ran, for want of its image or of a network interface
        # ("Stopped tasks error messages", Amazon ECS Developer Guide), fails by the same name as one whose
        # loader failed. Such a loader has put its beginning on record, and the task that is started once more
        # ends by that at once
        retry_on(state, [sfn.Errors.TASKS_FAILED], 1, interval_s=20)
        return state

    def _state(self) -> dict[str, Any]:
        key = layout.task_input_key("{}", "{}", "{}", "{}")
        key_of_input = f"States.Format('{key}', $.run_id, $.case_id, $.attempt, $.loader)"
        return {
            "Type": "Task",
            "Resource": f"arn:{cdk.Aws.PARTITION}:states:::ecs:runTask.sync",
            "Parameters": {
                "Cluster": self.cluster.attr_arn,
                "TaskDefinition": self._definition.ref,
                "LaunchType": "FARGATE",
                "PlatformVersion": "1.4.0",
                "Group.$": f"States.Format('{RUN_GROUP}{{}}', $.run_id)",
                "PropagateTags": "TASK_DEFINITION",
                "NetworkConfiguration": {
                    "AwsvpcConfiguration": {
                        "Subnets": self._network.subnets.subnet_ids,
                        "SecurityGroups": [self._network.loaders.security_group_id],
                        "AssignPublicIp": "DISABLED",
                    }
                },
                "Overrides": {
                    "ContainerOverrides": [
                        {"Name": CONTAINER, "Environment": [{"Name": TASK_INPUT, "Value.$": key_of_input}]}
                    ]
                },
            },
            "TimeoutSecondsPath": "$.limit_s",
            "OutputPath": sfn.JsonPath.DISCARD,
        }

    def every_task(self) -> str:
        """ARN of all tasks of the cluster."""
        stack = cdk.Stack.of(self)
        return stack.format_arn(service="ecs", resource="task", resource_name=f"{self.cluster.ref}/*")

    def finding(self) -> str:
        """What the checks find of a statement about all of them."""
        logical_id = cdk.Stack.of(self).get_logical_id(self.cluster)
        return on(self.every_task().replace(self.cluster.ref, f"<{logical_id}>"))

    def may_start(self, machine: sfn.StateMachine) -> None:
        """Start tasks of this one definition in this one cluster, follow and stop them."""
        role, tasks = machine.role, self.every_task()
        in_cluster = {"ArnEquals": {"ecs:cluster": self.cluster.attr_arn}}
        roles = [self.role.role_arn, self._starting.role_arn]
        to_tasks = {"StringEquals": {"iam:PassedToService": "ecs-tasks.amazonaws.com"}}
        when_started = {"StringEquals": {"ecs:CreateAction": "RunTask"}}
        allow(role, ["ecs:RunTask"], [self._definition.ref], in_cluster)
        allow(role, ["ecs:DescribeTasks", "ecs:StopTask"], [tasks], in_cluster)
        allow(role, ["ecs:TagResource"], [tasks], when_started)
        allow(role, ["iam:PassRole"], roles, to_tasks)
        allow_events(machine, "StepFunctionsGetEventsForECSTaskRule")
        why = "tasks have no name before ECS starts them: those of this one cluster"
        acknowledge(machine, {self.finding(): why})


def allow_events(machine: sfn.StateMachine, rule: str) -> None:
    """Let Step Functions keep the rule by which it hears of a job's end ("Integrating services")."""
    arn = cdk.Stack.of(machine).format_arn(service="events", resource="rule", resource_name=rule)
    actions = ["events:DescribeRule", "events:PutRule", "events:PutTargets"]
    allow(machine.role, actions, [arn])
