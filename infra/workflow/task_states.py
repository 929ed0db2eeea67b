"""The states in which a run makes what loaders that are tasks need, before its first round.

    Tasks? ▸ EstablishTasks ▸ ImageMissing? ▸ BuildImage ▸ AwaitTasks ▸ rounds

The image is built while the endpoints come up, and only by the first run of a deployment that needs it. What
fails here does not end the run: the cases that need it say so, and the others are run.
"""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.functions.lambda_functions import Functions
from infra.loaders.loader_image import BUILD_LIMIT, QUEUE_LIMIT, LoaderImage
from infra.loaders.loader_tasks import allow_events
from infra.retries import GRACE_S, catch_as, retry_on
from infra.workflow.invoke import invoke

#: CodeBuild has started no build: too many at once, asked too often, or broken, for which it has no names of
#: its own ("StartBuild", AWS CodeBuild API Reference)
BUILD_NOT_STARTED = [
    "CodeBuild.AccountLimitExceededException",
    "CodeBuild.AWSCodeBuildException",
    "CodeBuild.CodeBuildException",
    "CodeBuild.SdkClientException",
]


class TaskStates(Construct):
    def __init__(
        self, scope: Construct, construct_id: str, *, functions: Functions, image: LoaderImage
    ) -> None:
        super().__init__(scope, construct_id)
        self._functions, self._image = functions, image

    def before(self, rounds: Any) -> sfn.Choice:
        """Asks whether any case has tasks; goes on with ``rounds`` on every way."""
        establish, wait = (
            self._establish("EstablishTasks", built=False),
            self._establish("AwaitTasks", built=True),
        )
        build = self._build()
        for state in (establish, build, wait):
            catch_as(state, rounds)
        missing = sfn.Choice(self, "ImageMissing?")
        missing.when(sfn.Condition.boolean_equals("$.tasks.build", True), build).otherwise(rounds)
        establish.next(missing)
        build.next(wait)
        wait.next(rounds)
        some = sfn.Condition.is_present("$.run.endpoints[0]")
        return sfn.Choice(self, "Tasks?").when(some, establish).otherwise(rounds)

    def _establish(self, name: str, *, built: bool) -> Any:
        payload = {
            "run_id": sfn.JsonPath.string_at("$.run_id"),
            "endpoints": sfn.JsonPath.object_at("$.run.endpoints"),
            "built": built,
        }
        return invoke(
            self, self._functions, "EstablishTasks", name=name, payload=payload, result_path="$.tasks"
        )

    def _build(self) -> sfn.CustomState:
        limit = BUILD_LIMIT.to_seconds() + QUEUE_LIMIT.to_seconds() + GRACE_S
        return sfn.CustomState(
            self,
            "BuildImage",
            state_json={
                "Type": "Task",
                "Resource": f"arn:{cdk.Aws.PARTITION}:states:::codebuild:startBuild.sync",
                "Parameters": {"ProjectName": self._image.project.ref},
                "TimeoutSeconds": limit,
                "ResultPath": sfn.JsonPath.DISCARD,
                "Retry": [retry_on(BUILD_NOT_STARTED, 4, interval_s=5)],
            },
        )

    def may_build(self, machine: sfn.StateMachine) -> None:
        actions = ["codebuild:BatchGetBuilds", "codebuild:StartBuild", "codebuild:StopBuild"]
        machine.role.add_to_principal_policy(
            iam.PolicyStatement(actions=actions, resources=[self._image.project.attr_arn])
        )
        allow_events(machine, "StepFunctionsGetEventForCodeBuildStartBuildRule")
