"""The states in which a run bakes the images of brokers that are not there yet, before its first round.

    ImagesMissing? ▸ BakeImages ▸ MoreToBake? ▸ AwaitImages ▸ BakeImages …

Only the first run of a deployment that needs an image comes to the second of them. What fails here does not
end the run: a lane whose image is missing says why, and the others are run.
"""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from breakeven.planning.execution_limits import LOOKS_EVERY_S
from infra.functions.lambda_functions import Functions
from infra.retries import catch_as
from infra.workflow.invoke import invoke, taken

#: between two looks at builders and images, each of which takes minutes
LOOKS_EVERY = cdk.Duration.seconds(LOOKS_EVERY_S)


def with_images(scope: Construct, functions: Functions, then: Any) -> Any:
    """Asks whether an image is missing; goes on with ``then`` on every way."""
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
