"""The scheduled run: EventBridge Scheduler, a function that names the execution after the time, and a
queue of what could not be delivered.

Scheduler delivers at least once. An execution's name can be used once, and the time has colons in it, which
a name may not have: so a function makes the one of the other. Scheduler's own execution id would do as a
name, but is another one for each attempt.
"""

from __future__ import annotations

import json

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.context.settings import Context
from infra.foundation import Foundation
from infra.statements import allow

#: the run need not begin on the minute, at which many others' do
WINDOW = cdk.Duration.hours(1)
#: for how long a delivery that fails is tried again, and how often
GIVE_UP_AFTER = cdk.Duration.hours(6)
ATTEMPTS = 10


class Schedule(Construct):
    """``undelivered``: messages are of times at which no run could be started."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        base: Foundation,
        *,
        starter: lambda_.Function,
        machine: sfn.StateMachine,
    ) -> None:
        super().__init__(scope, construct_id)
        self._storage = base.storage
        self.undelivered = base.storage.dead_letters(self, "Undelivered", own_key=True)
        starter.add_environment("BREAKEVEN_STATE_MACHINE", machine.state_machine_arn)
        self._let(starter.role, "states:StartExecution", machine.state_machine_arn)
        # Scheduler hands over and does not wait: what the function cannot do, Lambda tries twice more
        function: lambda_.CfnFunction = starter.node.default_child
        function.dead_letter_config = lambda_.CfnFunction.DeadLetterConfigProperty(
            target_arn=self.undelivered.queue_arn
        )
        self._schedule(base.context, starter)

    def _let(self, role: iam.IRole, action: str, resource: str) -> None:
        """Allow the action, and to hand over what failed."""
        allow(role, [action], [resource])
        allow(role, ["sqs:SendMessage"], [self.undelivered.queue_arn])
        self._storage.allow(role)

    def _schedule(self, context: Context, starter: lambda_.Function) -> None:
        ours = {"StringEquals": {"aws:SourceAccount": cdk.Aws.ACCOUNT_ID}}
        role = iam.Role(
            self, "Role", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com", conditions=ours)
        )
        self._let(role, "lambda:InvokeFunction", starter.function_arn)
        event = {
            "scheduled_time": "<aws.scheduler.scheduled-time>",
            "input": context.scheduled_input,
        }
        schedule = scheduler.CfnSchedule(
            self,
            "Schedule",
            description=f"Queue Breakeven's run of {context.schedule_suite}",
            schedule_expression=context.schedule_expression,
            schedule_expression_timezone=context.schedule_time_zone,
            flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(
                mode="FLEXIBLE", maximum_window_in_minutes=WINDOW.to_minutes()
            ),
            target=scheduler.CfnSchedule.TargetProperty(
                arn=starter.function_arn,
                role_arn=role.role_arn,
                input=json.dumps(event),
                dead_letter_config=scheduler.CfnSchedule.DeadLetterConfigProperty(
                    arn=self.undelivered.queue_arn
                ),
                retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
                    maximum_event_age_in_seconds=GIVE_UP_AFTER.to_seconds(), maximum_retry_attempts=ATTEMPTS
                ),
            ),
        )
        schedule.node.add_dependency(role)
