"""Small builders that every phase of the workflow uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

#: a task waits this much longer than its function may run, so that the function's own error is seen first
GRACE_S = 15
SERVICE_ERRORS = [
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
    does not even retry what is the service's own fault.
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
    if attempts > 1:
        task.add_retry(
            errors=[sfn.Errors.ALL],
            interval=cdk.Duration.seconds(1),
            max_attempts=attempts - 1,
            backoff_rate=2,
        )
    return task


def catch_as(state: Any, handler: sfn.IChainable) -> None:
    """Catch everything; the error lands in ``$.failed`` under the failing state's name (letters only)."""
    state.add_catch(handler, errors=[sfn.Errors.ALL], result_path=f"$.failed.{state.node.id}")
