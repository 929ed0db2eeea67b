"""What a state does when its call fails: makes it again, and then goes another way."""

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
