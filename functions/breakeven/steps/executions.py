"""What Step Functions says of an execution, and whether it is over."""

from __future__ import annotations

from dataclasses import dataclass

from botocore.exceptions import ClientError

from breakeven.steps.aws_clients import StepFunctions

#: statuses of an execution that is not over
UNDER_WAY = {"RUNNING", "PENDING_REDRIVE"}
#: of an execution that Step Functions does not know: it ended more than 90 days ago, or never was
FORGOTTEN = "FORGOTTEN"


@dataclass(frozen=True, slots=True)
class ExecutionStatus:
    """``status`` is Step Functions' own, or ``FORGOTTEN``; error and cause are empty where there are none."""

    status: str
    error: str = ""
    cause: str = ""

    @property
    def over(self) -> bool:
        return self.status not in UNDER_WAY


def execution_status(step_functions: StepFunctions, execution: str) -> ExecutionStatus:
    """:param execution: its ARN"""
    try:
        found = step_functions.describe_execution(executionArn=execution)
    except ClientError as error:
        if error.response["Error"]["Code"] == "ExecutionDoesNotExist":
            return ExecutionStatus(FORGOTTEN)
        raise
    return ExecutionStatus(found["status"], found.get("error") or "", found.get("cause") or "")


def execution_arn(state_machine: str, run_id: str) -> str:
    """The execution of that state machine (its ARN) whose name is the run's id."""
    return f"{state_machine.replace(':stateMachine:', ':execution:')}:{run_id}"
