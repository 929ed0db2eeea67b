"""The states in which a run reads what CloudWatch has of its services, once its lanes have ended."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from breakeven.planning.execution_limits import METRICS_WAIT_S
from infra.functions.lambda_functions import Functions
from infra.retries import catch_as
from infra.workflow.invoke import invoke, taken

#: until the last minute has come to CloudWatch
LATE = cdk.Duration.seconds(METRICS_WAIT_S)


def with_metrics(scope: Construct, functions: Functions, then: Any) -> sfn.Choice:
    """Asks whether CloudWatch has metrics of any case that was run; goes on with ``then`` on every way.

        Metrics? ▸ AwaitMetrics ▸ ReadMetrics

    What is not read does not fail the run.
    """
    read = invoke(scope, functions, "ReadMetrics", payload=taken("run_id"))
    catch_as(read, then, into="unread")
    wait = sfn.Wait(scope, "AwaitMetrics", time=sfn.WaitTime.duration(LATE))
    wait.next(read)
    read.next(then)
    some = sfn.Condition.boolean_equals("$.run.metrics", True)
    return sfn.Choice(scope, "Metrics?").when(some, wait).otherwise(then)
