"""States that call functions, as the steps' table has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from infra.functions.lambda_functions import Functions
from infra.functions.step_table import STEPS
from infra.retries import GRACE_S, SERVICE_ERRORS, THROTTLED, retry_on, retry_whatever_failed


def taken(*names: str, **paths: str) -> dict[str, Any]:
    """What a state hands on of its input, each under its own name, and what it finds at other paths."""
    found = {name: f"$.{name}" for name in names} | paths
    return {name: sfn.JsonPath.object_at(path) for name, path in found.items()}


def invoke(
    scope: Construct,
    functions: Functions,
    step_name: str,
    *,
    name: str | None = None,
    inside: bool = False,
    payload: Mapping[str, Any] | None = None,
    result_path: str | None = None,
    discard_all: bool = False,
) -> tasks.LambdaInvoke:
    """A state that calls a step's function, as often as the steps' table has it.

    ``result_path`` None discards the answer and passes the input on; ``discard_all`` passes nothing on,
    which keeps what maps and parallels gather small.

    :param name: of the state, where it is not the step's
    """
    step = STEPS[step_name]
    task = tasks.LambdaInvoke(
        scope,
        name or step_name,
        lambda_function=functions.get(step_name, inside=inside),
        payload=sfn.TaskInput.from_object(dict(payload)) if payload else None,
        payload_response_only=True,
        output_path=sfn.JsonPath.DISCARD if discard_all else None,
        result_path=result_path or sfn.JsonPath.DISCARD,
        retry_on_service_exceptions=False,
        task_timeout=sfn.Timeout.duration(cdk.Duration.seconds(step.limit_s + GRACE_S)),
    )
    _retry(task, step.attempts)
    return task


def _retry(task: tasks.LambdaInvoke, attempts: int) -> None:
    """Call again what is the service's own fault, and whatever failed for as many ``attempts`` in all.

    For 0, only what surely did not run, for half a minute, which is within the deadline of a case's start:
    what is the service's own fault may have run.
    """
    if attempts:
        retry_on(task, SERVICE_ERRORS, 5, jitter=False)
    else:
        retry_on(task, [THROTTLED], 3, interval_s=3)
    if attempts > 1:
        retry_whatever_failed(task, attempts - 1)
