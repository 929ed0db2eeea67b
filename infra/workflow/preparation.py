"""The states in which a run makes what its rounds need and is not there yet: images, and what tasks need.

What fails here does not end the run: a lane or a case that lacks something says why, and the others are run.
"""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from breakeven.planning.execution_limits import LOOKS_EVERY_S
from infra.functions.lambda_functions import Functions
from infra.loaders.loader_image import BUILD_LIMIT, QUEUE_LIMIT, LoaderImage
from infra.loaders.loader_tasks import allow_events
from infra.retries import GRACE_S, catch_as, retry_on
from infra.statements import allow
from infra.workflow.invoke import invoke, taken

#: between two looks at builders and images, each of which takes minutes
LOOKS_EVERY = cdk.Duration.seconds(LOOKS_EVERY_S)
#: CodeBuild has started no build: too many at once, asked too often, or broken, for which it has no names of
#: its own ("StartBuild", AWS CodeBuild API Reference)
BUILD_NOT_STARTED = [
    "CodeBuild.AccountLimitExceededException",
    "CodeBuild.AWSCodeBuildException",
    "CodeBuild.CodeBuildException",
    "CodeBuild.SdkClientException",
]


def with_images(scope: Construct, functions: Functions, then: Any) -> Any:
    """Asks whether a broker's image is missing; goes on with ``then`` on every way.

        ImagesMissing? ▸ BakeImages ▸ MoreToBake? ▸ AwaitImages ▸ BakeImages …

    Only the first run of a deployment that needs an image comes to the second of them.
    """
    if functions.find("BakeImages") is None:  # this deployment bakes none
        return then
    payload = taken("run_id", images="$.run.images")
    bake = invoke(scope, functions, "BakeImages", payload=payload, result_path="$.baked")
    catch_as(bake, then)
    wait = sfn.Wait(scope, "AwaitImages", time=sfn.WaitTime.duration(LOOKS_EVERY))
    more = sfn.Choice(scope, "MoreToBake?")
    more.when(sfn.Condition.boolean_equals("$.baked.wait", True), wait).otherwise(then)
    bake.next(more)
    wait.next(bake)
    some = sfn.Condition.is_present("$.run.images[0]")
    return sfn.Choice(scope, "ImagesMissing?").when(some, bake).otherwise(then)


def with_tasks(scope: Construct, functions: Functions, image: LoaderImage, then: Any) -> sfn.Choice:
    """Asks whether any case has loaders that are tasks; goes on with ``then`` on every way.

        Tasks? ▸ EstablishTasks ▸ ImageMissing? ▸ BuildImage ▸ AwaitTasks

    The image is built while the endpoints come up, and only by the first run of a deployment that needs it.
    """
    establish, wait = (
        invoke(
            scope,
            functions,
            "EstablishTasks",
            name=name,
            payload={**taken("run_id", endpoints="$.run.endpoints"), "built": built},
            result_path="$.tasks",
        )
        for name, built in (("EstablishTasks", False), ("AwaitTasks", True))
    )
    build = _build(scope, image)
    for state in (establish, build, wait):
        catch_as(state, then)
    missing = sfn.Choice(scope, "ImageMissing?")
    missing.when(sfn.Condition.boolean_equals("$.tasks.build", True), build).otherwise(then)
    establish.next(missing)
    build.next(wait)
    wait.next(then)
    some = sfn.Condition.is_present("$.run.endpoints[0]")
    return sfn.Choice(scope, "Tasks?").when(some, establish).otherwise(then)


def _build(scope: Construct, image: LoaderImage) -> sfn.CustomState:
    limit = BUILD_LIMIT.to_seconds() + QUEUE_LIMIT.to_seconds() + GRACE_S
    state = sfn.CustomState(
        scope,
        "BuildImage",
        state_json={
            "Type": "Task",
            "Resource": f"arn:{cdk.Aws.PARTITION}:states:::codebuild:startBuild.sync",
            "Parameters": {"ProjectName": image.project.ref},
            "TimeoutSeconds": limit,
            "ResultPath": sfn.JsonPath.DISCARD,
        },
    )
    retry_on(state, BUILD_NOT_STARTED, 4, interval_s=5)
    return state


def allow_builds(machine: sfn.StateMachine, image: LoaderImage) -> None:
    actions = ["codebuild:BatchGetBuilds", "codebuild:StartBuild", "codebuild:StopBuild"]
    allow(machine.role, actions, [image.project.attr_arn])
    allow_events(machine, "StepFunctionsGetEventForCodeBuildStartBuildRule")
