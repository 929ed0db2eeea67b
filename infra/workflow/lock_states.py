"""The run's lock in the workflow: a state that takes it, one that releases it, and what taking it may ask."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from breakeven.results.items import LOCKS
from infra.functions.lambda_functions import Functions
from infra.retries import retry_whatever_failed
from infra.statements import acknowledge, executions_arn, executions_of
from infra.workflow.invoke import invoke, taken

RELEASE_LIMIT = cdk.Duration.seconds(30)


class Lock(Construct):
    def __init__(
        self, scope: Construct, construct_id: str, *, functions: Functions, table: dynamodb.ITable
    ) -> None:
        super().__init__(scope, construct_id)
        self._functions, self._table = functions, table

    def take(self) -> tasks.LambdaInvoke:
        """Goes on only as the one run that there is; ``$.lock`` is then there."""
        payload = taken("run_id", "execution")
        return invoke(self, self._functions, "TakeLock", payload=payload, result_path="$.lock")

    def release(self) -> tasks.DynamoUpdateItem:
        """Frees the lock that this execution holds, and nobody else's."""
        text, at = tasks.DynamoAttributeValue.from_string, sfn.JsonPath.string_at
        release = tasks.DynamoUpdateItem(
            self,
            "ReleaseLock",
            table=self._table,
            key={"run_id": text(LOCKS), "item": text(at("$.lock.item"))},
            update_expression="SET released_at = :now",
            condition_expression="#owner = :execution",
            expression_attribute_names={"#owner": "owner"},
            expression_attribute_values={
                ":now": text(at("$$.State.EnteredTime")),
                ":execution": text(at("$.execution")),
            },
            result_path=sfn.JsonPath.DISCARD,
            task_timeout=sfn.Timeout.duration(RELEASE_LIMIT),
        )
        retry_whatever_failed(release)
        return release

    def may_ask(self, state_machine: sfn.StateMachine) -> None:
        """Whether an earlier execution runs, and whether its brokers do; the plan asks the first, too.

        Policies of their own: a function's first one is part of what the state machine depends on.
        """
        executions = executions_arn(state_machine)
        earlier = iam.Policy(
            self,
            "AskEarlier",
            statements=[iam.PolicyStatement(actions=["states:DescribeExecution"], resources=[executions])],
        )
        earlier.attach_to_role(self._functions.get("Plan").role)
        resumed = "whichever earlier execution of this one machine is to be gone on with"
        acknowledge(earlier, {executions_of(state_machine, executions): resumed})
        policy = iam.Policy(
            self,
            "Ask",
            statements=[
                iam.PolicyStatement(actions=["states:DescribeExecution"], resources=[executions]),
                # names no resource: an instance is described or it is not
                iam.PolicyStatement(actions=["ec2:DescribeInstances"], resources=["*"]),
            ],
        )
        policy.attach_to_role(self._functions.get("TakeLock").role)
        looked = "ec2:DescribeInstances, to see whether an earlier run's brokers are up, names no resource"
        held = "whichever earlier execution of this one machine holds the lock"
        reasons = {"IAM5[Resource::*]": looked, executions_of(state_machine, executions): held}
        acknowledge(policy, reasons)
