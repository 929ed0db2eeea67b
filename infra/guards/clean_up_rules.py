"""The clean-up of what a run has made, whatever became of its execution: a rule, and a watchdog.

Step Functions tells EventBridge of executions that ended, at best effort; the watchdog looks for itself.
"""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_destinations as destinations
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.foundation import Foundation
from infra.functions.lambda_functions import Functions
from infra.statements import acknowledge, allow, executions_arn, executions_of

#: how executions end that may have left something: one that succeeded has come through its own clean-up
ENDED_BADLY = ("FAILED", "ABORTED", "TIMED_OUT")
EVERY = cdk.Duration.minutes(15)
#: how long an event is tried; after that the watchdog has long been there
TRIED_FOR = cdk.Duration.hours(2)


class CleanUp(Construct):
    """``dead_letters`` holds events that the rule's function could not be called with, or has failed on."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        base: Foundation,
        *,
        functions: Functions,
        state_machine: sfn.StateMachine,
    ) -> None:
        super().__init__(scope, construct_id)
        self._machine = state_machine
        self.dead_letters = base.storage.dead_letters(self, "DeadLetters", own_key=False)
        clean_up, watchdog = functions.get("CleanUp"), functions.get("Watchdog")
        for function in (clean_up, watchdog):
            self._may_ask(function)
        self._on_bad_ends(clean_up)
        self._every_quarter_of_an_hour(watchdog)

    def _on_bad_ends(self, function: lambda_.Function) -> None:
        function.configure_async_invoke(
            retry_attempts=2,
            max_event_age=TRIED_FOR,
            on_failure=destinations.SqsDestination(self.dead_letters),
        )
        events.Rule(
            self,
            "EndedBadly",
            description="an execution has failed, was aborted or timed out: clean up what its run made",
            event_pattern=events.EventPattern(
                source=["aws.states"],
                detail_type=["Step Functions Execution Status Change"],
                detail={"stateMachineArn": [self._machine.state_machine_arn], "status": list(ENDED_BADLY)},
            ),
            targets=[
                targets.LambdaFunction(
                    function, dead_letter_queue=self.dead_letters, max_event_age=TRIED_FOR, retry_attempts=24
                )
            ],
        )

    def _every_quarter_of_an_hour(self, function: lambda_.Function) -> None:
        """What fails is not tried again: the next time is soon enough."""
        function.add_environment("BREAKEVEN_STATE_MACHINE", self._machine.state_machine_arn)
        function.configure_async_invoke(retry_attempts=0, max_event_age=EVERY)
        events.Rule(
            self,
            "Watch",
            description="clean up what belongs to no run under way",
            schedule=events.Schedule.rate(EVERY),
            targets=[targets.LambdaFunction(function, max_event_age=EVERY, retry_attempts=2)],
        )

    def _may_ask(self, function: lambda_.Function) -> None:
        executions = executions_arn(self._machine)
        allow(function.role, ["states:DescribeExecution"], [executions])
        why = "whichever execution of this one machine has left something"
        acknowledge(function.role, {executions_of(self._machine, executions): why})
