"""Small builders that every phase of the workflow uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

#: a task waits this much longer than its function may run, so that the function's own error is seen first
GRACE_S = 15
#: Lambda had no room for a call, and did not run the function: calling again is safe whatever it does
#: ("Handle Lambda service exceptions", AWS Step Functions Developer Guide)
THROTTLED = "Lambda.TooManyRequestsException"
SERVICE_ERRORS = [
    THROTTLED,
    "Lambda.ClientExecutionTimeoutException",
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
]


def invoke(
    scope: Construct,
    name: str,
    function: lambda_.Function,
    *,
    payload: Mapping[str, Any] | None = None,
    result_path: str | None = None,
    attempts: int = 1,
    retry: bool = True,
    discard_all: bool = False,
) -> tasks.LambdaInvoke:
    """A task that calls a function.

    ``result_path`` None discards the answer and passes the input on; ``discard_all`` passes nothing on,
    which keeps what maps and parallels gather small. ``attempts`` are calls in all; ``retry`` False
    does not even retry what is the service's own fault, as the function may have run: only what surely
    never did, for half a minute, which is within the deadline of a case's start.
    """
    timeout = function.timeout.to_seconds() if function.timeout else 3
    task = tasks.LambdaInvoke(
        scope,
        name,
        lambda_function=function,
        payload=sfn.TaskInput.from_object(dict(payload)) if payload else None,
        payload_response_only=True,
        output_path=sfn.JsonPath.DISCARD if discard_all else None,
        result_path=result_path or sfn.JsonPath.DISCARD,
        retry_on_service_exceptions=False,
        task_timeout=sfn.Timeout.duration(cdk.Duration.seconds(timeout + GRACE_S)),
    )
    if retry:
        task.add_retry(
            errors=SERVICE_ERRORS, interval=cdk.Duration.seconds(2), max_attempts=5, backoff_rate=2
        )
    else:
        task.add_retry(
            errors=[THROTTLED],
            interval=cdk.Duration.seconds(3),
            max_attempts=3,
            backoff_rate=2,
            jitter_strategy=sfn.JitterType.FULL,
        )
    if attempts > 1:
        task.add_retry(
            errors=[sfn.Errors.ALL],
            interval=cdk.Duration.seconds(1),
            max_attempts=attempts - 1,
            backoff_rate=2,
        )
    return task


def retry_on(errors: Sequence[str], attempts: int, interval_s: int = 2) -> dict[str, Any]:
    """A retrier of a state that the CDK has no construct for: each wait is up to twice the one before."""
    return {
        "ErrorEquals": list(errors),
        "IntervalSeconds": interval_s,
        "MaxAttempts": attempts,
        "BackoffRate": 2,
        "JitterStrategy": "FULL",
    }


def retry_whatever_failed(state: sfn.TaskStateBase) -> None:
    """For a call that does no harm when it is made twice: no list of a service's errors is ever whole."""
    state.add_retry(errors=[sfn.Errors.ALL], interval=cdk.Duration.seconds(1), max_attempts=3, backoff_rate=2)


def catch_as(state: Any, handler: sfn.IChainable) -> None:
    """Catch everything; the error lands in ``$.failed`` under the failing state's name (letters only)."""
    state.add_catch(handler, errors=[sfn.Errors.ALL], result_path=f"$.failed.{state.node.id}")
