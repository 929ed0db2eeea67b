"""Corrections of moto's states, their errors and their tasks; see ``moto_patches.py``.

Of the input and the results of states moto keeps Step Functions' limit of 256 KiB by itself, and
``States.DataLimitExceeded`` ends the execution, as a test shows.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.iteration_worker as map_worker
import moto.stepfunctions.parser.asl.component.state.exec.state_parallel.branches_decl as parallel_branches
import moto.stepfunctions.parser.asl.component.state.exec.state_task.state_task_factory as task_factory
from botocore.exceptions import ClientError
from moto.stepfunctions.parser.api import (
    ExecutionFailedEventDetails,
    HistoryEventType,
    LambdaFunctionFailedEventDetails,
    MapRunFailedEventDetails,
)
from moto.stepfunctions.parser.asl.component.common.error_name.error_equals_decl import ErrorEqualsDecl
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import FailureEventException
from moto.stepfunctions.parser.asl.component.state.exec.execute_state import ExecutionState
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.itemprocessor import (
    distributed_item_processor_worker as distributed,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_dynamodb as dynamodb_tasks,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_lambda as lambda_tasks,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.state_task_lambda import StateTaskLambda
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.asl.eval.event.event_manager import EventManager
from moto.stepfunctions.parser.asl.eval.program_state import ProgramEnded, ProgramStopped
from moto.stepfunctions.parser.asl.utils.json_path import NoSuchJsonPathError

from local.aws.boto import Aws
from local.aws.swaps import Patch, Swaps, around
from local.aws.tasks.job_tasks import AthenaTask, BuildTask, EcsTask, failure, name_of, service_model

#: what no Catch of States.ALL takes
TERMINAL = {"States.Runtime", "States.DataLimitExceeded"}


@Patch
def states_errors_leave_branches(swaps: Swaps, _: Aws) -> None:
    """Symptom: ``States.Timeout`` in a Parallel's branch or a Map's item skips the Catch around it.

    Mend: carry it outward under its own kind of name instead of refusing it as a custom one.
    """
    swaps.attribute(parallel_branches, "CustomErrorName", name_of)
    swaps.attribute(map_worker, "CustomErrorName", name_of)


@around(ErrorEqualsDecl, "_eval_body")
def states_all_is_not_all(original: Any, self: Any, env: Any) -> None:
    """Symptom: a Catch of States.ALL also takes what it never takes on AWS, so a hole would show there only.

    Mend: States.Runtime (a path that leads nowhere) and States.DataLimitExceeded pass it by.
    Source: AWS Step Functions Developer Guide, "Handling errors", States.ALL.
    """
    if env.stack[-1] is not None and env.stack[-1].error_name in TERMINAL:
        name = env.stack.pop()
        env.stack.append(name in self.error_names)
    else:
        original(self, env)


@around(StateTaskLambda, "_from_error")
def lost_paths_are_fatal(original: Any, self: Any, env: Any, ex: Exception) -> Any:
    """Symptom: a path that leads nowhere in a function's payload is an error "Exception", caught and retried.

    Mend: States.Runtime, as in every other state and as on AWS.
    """
    lost = isinstance(ex, NoSuchJsonPathError)
    return ExecutionState._from_error(self, env, ex) if lost else original(self, env, ex)


#: service -> what the names of its errors begin with, what those are called that its model has no name for,
#: and what the service calls itself
NAMES = {
    "dynamodb": ("DynamoDB", "AmazonDynamoDBException", "AmazonDynamoDBv2"),
    "lambda": ("Lambda", "AWSLambdaException", "AWSLambda"),
}


@Patch
def service_errors_have_their_names(swaps: Swaps, _: Aws) -> None:
    """Symptom: what Lambda itself refuses is an error "Exception"; what DynamoDB's model has no name for, as
    AccessDeniedException, is one that no state machine on AWS sees.

    Mend: Lambda.TooManyRequestsException and the like, and the services' general errors for the others.
    Sources: AWS Step Functions Developer Guide, "Handling errors" and "Best practices", transient Lambda
    service exceptions; of the others https://github.com/awslabs/aws-deployment-framework/issues/460.
    """

    def from_error(original: Any, self: Any, env: Any, ex: Exception) -> Any:
        if not isinstance(ex, ClientError):
            return original(self, env, ex)
        error, why = named("lambda", ex)
        details = LambdaFunctionFailedEventDetails(error=error, cause=why)
        failed = HistoryEventType.LambdaFunctionFailed
        return failure(env, error, failed, lambdaFunctionFailedEventDetails=details)

    cause = "_error_cause_from_client_error"
    swaps.attribute(lambda_tasks.StateTaskServiceLambda, cause, partial(named, "lambda"))
    swaps.attribute(dynamodb_tasks.StateTaskServiceDynamoDB, cause, partial(named, "dynamodb"))
    swaps.wrap(StateTaskLambda, "_from_error", from_error)


def named(service: str, error: ClientError) -> tuple[str, str]:
    """The name that a state's Retry and Catch know an error by, and its cause."""
    prefix, other, itself = NAMES[service]
    said, code = error.response["ResponseMetadata"], error.response["Error"]["Code"]
    modelled = {shape.name for shape in service_model(service).error_shapes}
    cause = (
        f"{error.response['Error']['Message']} (Service: {itself}; Status Code: {said['HTTPStatusCode']}; "
        f"Error Code: {code}; Request ID: {said.get('RequestId')}; Proxy: null)"
    )
    return f"{prefix}.{code if code in modelled else other}", cause


#: of one execution; each child of a distributed map has a history of its own
HISTORY_EVENTS = 25_000


@Patch
def histories_are_finite(swaps: Swaps, _: Aws) -> None:
    """Symptom: an execution goes on for as many events as it likes.

    Mend: it fails with the 25,000th, whatever it would catch. Source: AWS Step Functions Developer Guide,
    "Service quotas", maximum execution history size; "Starting new executions to avoid reaching the history
    quota": an execution that reaches it fails.
    """

    def begin(original: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        self.event_manager.of_execution, self.event_manager.full = self, False

    def add(original: Any, self: Any, *args: Any, **kwargs: Any) -> int:
        event: int = original(self, *args, **kwargs)
        if event == HISTORY_EVENTS:
            self.full = True
            self.of_execution.set_error(None)
        return event

    def fail(original: Any, self: Any, error: Any) -> None:
        """Whatever fails afterwards, and because of it, is not the reason."""
        # a child of a distributed map has a manager of its own, which no environment has begun
        if getattr(self.event_manager, "full", False):
            cause = f"The execution reached the maximum number of history events ({HISTORY_EVENTS})."
            error = ExecutionFailedEventDetails(error="States.Runtime", cause=cause)
        original(self, error)

    swaps.wrap(Environment, "__init__", begin)
    swaps.wrap(EventManager, "add_event", add)
    swaps.wrap(Environment, "set_error", fail)


EXCEEDED = "States.ExceedToleratedFailureThreshold"
#: AWS's words; what the child has failed of is in its own execution only
TOLERATED = "The specified tolerated failure threshold was exceeded"


@around(distributed.DistributedItemProcessorWorker, "_eval_job")
def failed_children_fail_their_map(original: Any, self: Any, env: Any, job: Any) -> None:
    """Symptom: a distributed Map of which a child fails succeeds, with null in the place of its answer.

    Mend: where no failure is tolerated the first one ends the Map as States.ExceedToleratedFailureThreshold.
    """
    original(self, env, job)
    record = self._map_run_record
    tolerated = record.tolerated_failure_count or record.tolerated_failure_percentage
    if not tolerated and not isinstance(env.program_state(), (ProgramEnded, ProgramStopped)):
        details = MapRunFailedEventDetails(error=EXCEEDED, cause=TOLERATED)
        failed = failure(env, EXCEEDED, HistoryEventType.MapRunFailed, mapRunFailedEventDetails=details)
        job.job_output = FailureEventException(failed)


@around(task_factory, "state_task_service_for")
def athena_tasks_wait(original: Any, service_name: str) -> Any:
    """Symptom: ``athena:startQueryExecution.sync`` ends with "Unsupported sync callback procedure".

    Mend: a task that polls the query until it has ended.
    """
    return AthenaTask() if service_name == "athena" else original(service_name)


@around(task_factory, "state_task_service_for")
def ecs_tasks_wait(original: Any, service_name: str) -> Any:
    """Symptom: ``ecs:runTask.sync`` refuses its parameters, and does not look at exit codes.

    Mend: a task that has them translated, fails as AWS's does, and stops its task when it is stopped.
    """
    return EcsTask() if service_name == "ecs" else original(service_name)


@around(task_factory, "state_task_service_for")
def builds_wait(original: Any, service_name: str) -> Any:
    """Symptom: ``codebuild:startBuild.sync`` refuses its parameters, and cannot wait.

    Mend: a task that has them translated, and polls the build until it has ended.
    """
    return BuildTask() if service_name == "codebuild" else original(service_name)
