"""Retries of a state whose call fails, and where it goes when they are used up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn

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


def retry_on(
    state: Any, errors: Sequence[str], attempts: int, *, interval_s: int = 2, jitter: bool = True
) -> None:
    """Make the state's call again: each wait is twice the one before or, with ``jitter``, up to that."""
    state.add_retry(
        errors=list(errors),
        interval=cdk.Duration.seconds(interval_s),
        max_attempts=attempts,
        backoff_rate=2,
        jitter_strategy=sfn.JitterType.FULL if jitter else None,
    )


def retry_whatever_failed(state: sfn.TaskStateBase, attempts: int = 5) -> None:
    """For a call that does no harm when it is made twice: no list of a service's errors is ever whole.

    By default for half a minute: a service may refuse several calls in a row, and a run would fail for it.
    """
    retry_on(state, [sfn.Errors.ALL], attempts, interval_s=1, jitter=False)


def catch_as(state: Any, handler: sfn.IChainable, *, into: str = "failed") -> None:
    """Catch everything; the error lands in ``$.failed`` under the failing state's name (letters only).

    :param into: ``unread``, where the run does not fail for it
    """
    state.add_catch(handler, errors=[sfn.Errors.ALL], result_path=f"$.{into}.{state.node.id}")
