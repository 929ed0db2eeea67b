"""Where moto does otherwise than AWS and this workflow would notice: one function a patch.

Each tells the symptom and the mend; ``tests/unit/test_moto_patches.py`` shows the symptom without it. All
are undone when their control plane closes. Written against the moto release that the lock files name:
attributes that are not there any more raise at once.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import moto.stepfunctions.models as sfn_models
import moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.iteration_worker as map_worker
import moto.stepfunctions.parser.asl.component.state.exec.state_parallel.branches_decl as parallel_branches
import moto.stepfunctions.parser.asl.component.state.exec.state_task.state_task_factory as task_factory

# binds its backends when first imported: not to be while they are swapped, or it would keep those
import moto.stepfunctions.responses  # noqa: F401
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.cloudformation import parsing
from moto.core.config import default_user_config
from moto.dynamodb.responses import DynamoHandler
from moto.s3.utils import _VersionedKeyStore as ObjectsByKey
from moto.stepfunctions.parser.api import ExecutionStatus, HistoryEventType, TaskFailedEventDetails
from moto.stepfunctions.parser.asl.component.common.error_name.custom_error_name import CustomErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.error_equals_decl import ErrorEqualsDecl
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEvent,
    FailureEventException,
)
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import StatesErrorName
from moto.stepfunctions.parser.asl.component.state.exec.execute_state import ExecutionState
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_unsupported as unsupported,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.resource import ResourceCondition
from moto.stepfunctions.parser.asl.component.state.exec.state_task.state_task_lambda import StateTaskLambda
from moto.stepfunctions.parser.asl.eval.event.event_detail import EventDetails
from moto.stepfunctions.parser.asl.eval.program_state import ProgramStopped
from moto.stepfunctions.parser.asl.parse import preprocessor as asl_text
from moto.stepfunctions.parser.asl.parse.intrinsic.preprocessor import Preprocessor as IntrinsicText
from moto.stepfunctions.parser.asl.utils import boto_client
from moto.stepfunctions.parser.asl.utils.json_path import NoSuchJsonPathError
from moto.stepfunctions.parser.backend.execution import Execution
from moto.stepfunctions.parser.models import stepfunctions_parser_backends

from local import cloudformation
from local.aws import Aws
from local.map_patches import failed_children_fail_their_map
from local.swaps import Swaps

Patch = Callable[[Swaps, Aws], None]
#: an execution enters its first state a few milliseconds after it was started
_ENTRY_LIMIT_S = 2.0


@contextlib.contextmanager
def applied(aws: Aws, patches: Sequence[Patch] | None = None) -> Iterator[Swaps]:
    """Have ``patches`` (all of them unless said) in force; tests leave one out to see its symptom."""
    with Swaps() as swaps:
        for patch in ALL if patches is None else patches:
            patch(swaps, aws)
        yield swaps


def executions_run(swaps: Swaps, _: Aws) -> None:
    """Symptom: an execution stays RUNNING for ever and no state is entered.

    Mend: switch moto's interpreter on.
    """
    swaps.item(default_user_config, "stepfunctions", {"execute_state_machine": True})


def stacks_make_running_machines(swaps: Swaps, _: Aws) -> None:
    """Symptom: a state machine that a stack has created does not exist for the interpreter.

    Mend: stacks create machines where it looks for them.
    """
    swaps.attribute(sfn_models, "stepfunctions_backends", stepfunctions_parser_backends)


def tasks_call_this_server(swaps: Swaps, aws: Aws) -> None:
    """Symptom: tasks call localhost:5000, whoever listens there, with a new client (10 ms) each time.

    Mend: our own clients, kept.
    """

    def client(*, service_name: str, region_name: str, config: Config, **_: Any) -> Any:
        return aws.task_client(service_name, region_name, config)

    swaps.attribute(boto_client, "boto3", SimpleNamespace(client=client))


def start_time_is_text(swaps: Swaps, _: Aws) -> None:
    """Symptom: ``$$.Execution.StartTime`` is no JSON: describing an execution that passes it on fails.

    Mend: the text that AWS gives, UTC with milliseconds.
    """

    def details(self: Any) -> Any:
        found = original(self)
        stamp = found.start_time.astimezone(UTC)
        found.start_time = stamp.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return found

    original = swaps.attribute(Execution, "get_start_execution_details", details)


def intrinsics_are_unescaped(swaps: Swaps, _: Aws) -> None:
    r"""Symptom: ``States.Format('\'{}\'', $.x)``, which makes a SQL literal, gives backslashes.

    Mend: read the JSON string before what is in it, and take the backslash off a quote.
    """

    def visit(self: Any, context: Any) -> Any:
        text = json.loads(context.STRINGINTRINSICFUNC().getText())
        function, _ = asl_text.IntrinsicParser.parse(text)
        return asl_text.StringIntrinsicFunction(intrinsic_function_derivation=text, function=function)

    def unescape(match: Any) -> str:
        return match.group(1) if match.group(1) in "'\\" else original.__func__(match)

    swaps.attribute(asl_text.Preprocessor, "visitString_intrinsic_function", visit)
    original = swaps.attribute(IntrinsicText, "_replace_escaped_characters", staticmethod(unescape))


def states_errors_leave_branches(swaps: Swaps, _: Aws) -> None:
    """Symptom: ``States.Timeout`` in a Parallel's branch or a Map's item skips the Catch around it.

    Mend: carry it outward under its own kind of name instead of refusing it as a custom one.
    """

    def named(error_name: str | None) -> Any:
        reserved = error_name is not None and error_name.startswith("States.")
        return StatesErrorName.from_name(error_name) if reserved else CustomErrorName(error_name)

    swaps.attribute(parallel_branches, "CustomErrorName", named)
    swaps.attribute(map_worker, "CustomErrorName", named)


def states_all_is_not_all(swaps: Swaps, _: Aws) -> None:
    """Symptom: a Catch of States.ALL also takes what it never takes on AWS, so a hole would show there only.

    Mend: States.Runtime (a path that leads nowhere) and States.DataLimitExceeded pass it by.
    Source: AWS Step Functions Developer Guide, "Handling errors", States.ALL.
    """
    terminal = {"States.Runtime", "States.DataLimitExceeded"}

    def evaluate(self: Any, env: Any) -> None:
        if env.stack[-1] is not None and env.stack[-1].error_name in terminal:
            name = env.stack.pop()
            env.stack.append(name in self.error_names)
        else:
            original(self, env)

    original = swaps.attribute(ErrorEqualsDecl, "_eval_body", evaluate)


def lost_paths_are_fatal(swaps: Swaps, _: Aws) -> None:
    """Symptom: a path that leads nowhere in a function's payload is an error "Exception", caught and retried.

    Mend: States.Runtime, as in every other state and as on AWS.
    """

    def from_error(self: Any, env: Any, ex: Exception) -> Any:
        lost = isinstance(ex, NoSuchJsonPathError)
        return ExecutionState._from_error(self, env, ex) if lost else original(self, env, ex)

    original = swaps.attribute(StateTaskLambda, "_from_error", from_error)


def stop_is_immediate(swaps: Swaps, _: Aws) -> None:
    """Symptom: a stopped execution is RUNNING until its task ends; one just started is not stopped at all.

    Mend: wait for its first state, and say ABORTED at once. As on AWS, what a task has begun goes on.
    """

    def stop(self: Any, stop_date: datetime, error: str | None, cause: str | None) -> None:
        deadline = time.monotonic() + _ENTRY_LIMIT_S
        while not _entered(self) and time.monotonic() < deadline:
            time.sleep(0.005)
        original(self, stop_date=stop_date, error=error, cause=cause)
        if isinstance(self.exec_worker.env.program_state(), ProgramStopped):
            self.exec_status, self.stop_date = ExecutionStatus.ABORTED, stop_date

    original = swaps.attribute(Execution, "stop", stop)


def _entered(execution: Any) -> bool:
    env = execution.exec_worker.env
    return env is not None and env.program_state() is not None


def stopped_stays_stopped(swaps: Swaps, _: Aws) -> None:
    """Symptom: stopped within a Map, an execution ends FAILED with an AttributeError.

    Mend: what goes wrong in a state after its execution has ended is no error of the execution.
    """

    def evaluate(self: Any, env: Any) -> None:
        try:
            original(self, env)
        except Exception:
            if env.is_running():
                raise

    original = swaps.attribute(ExecutionState, "_evaluate_with_timeout", evaluate)


class AthenaTask(unsupported.StateTaskServiceUnsupported):
    """``athena:startQueryExecution.sync``: starts the query, waits for its end, answers its description."""

    def __init__(self) -> None:
        super().__init__()
        # moto takes a task token's callback for granted wherever it waits
        self._supported_integration_patterns = {ResourceCondition.WaitForTaskToken, ResourceCondition.Sync}

    def _log_unsupported_warning(self) -> None:
        """Nothing to warn of: it is supported here."""

    def _build_sync_resolver(
        self, env: Any, resource_runtime_part: Any, normalised_parameters: Any, state_credentials: Any
    ) -> Callable[[], Any]:
        client = boto_client.boto_client_for(region=resource_runtime_part.region, service="athena")
        query_id = env.stack.pop()["QueryExecutionId"]

        def poll() -> Any:
            found = client.get_query_execution(QueryExecutionId=query_id)["QueryExecution"]
            described = json.loads(json.dumps(found, default=_epoch_ms))
            if found["Status"]["State"] in {"FAILED", "CANCELLED"}:
                raise FailureEventException(self._failure(env, "States.TaskFailed", json.dumps(described)))
            return {"QueryExecution": described} if found["Status"]["State"] == "SUCCEEDED" else None

        return poll

    def _eval_sync(self, **given: Any) -> Any:
        """Without a thread that waits for a task token: a query has none."""
        return super()._eval_sync(**{**given, "callback_endpoint": None})

    def _from_error(self, env: Any, ex: Exception) -> Any:
        if isinstance(ex, ClientError):
            return self._failure(
                env, f"Athena.{ex.response['Error']['Code']}", ex.response["Error"]["Message"]
            )
        return super()._from_error(env=env, ex=ex)

    def _failure(self, env: Any, error: str, cause: str) -> FailureEvent:
        reserved = error.startswith("States.")
        details = TaskFailedEventDetails(
            resource=self._get_sfn_resource(), resourceType="athena", error=error, cause=cause
        )
        return FailureEvent(
            env=env,
            error_name=StatesErrorName.from_name(error) if reserved else CustomErrorName(error),
            event_type=HistoryEventType.TaskFailed,
            event_details=EventDetails(taskFailedEventDetails=details),
        )


def _epoch_ms(value: Any) -> int:
    return int(value.timestamp() * 1000)


def athena_tasks_wait(swaps: Swaps, _: Aws) -> None:
    """Symptom: ``athena:startQueryExecution.sync`` ends with "Unsupported sync callback procedure".

    Mend: a task that polls the query until it has ended.
    """

    def service_for(service_name: str) -> Any:
        return AthenaTask() if service_name == "athena" else original(service_name)

    original = swaps.attribute(task_factory, "state_task_service_for", service_for)


def dynamodb_writes_are_atomic(swaps: Swaps, _: Aws) -> None:
    """Symptom: of concurrent updates some are lost, and two conditional puts of one key both succeed.

    Mend: one request at a time; each takes a millisecond or two.
    """
    lock = threading.RLock()

    def call_action(self: Any) -> Any:
        with lock:
            return original(self)

    original = swaps.attribute(DynamoHandler, "call_action", call_action)


def listings_outlive_deletions(swaps: Swaps, _: Aws) -> None:
    """Symptom: an object that is deleted while its bucket is listed is a KeyError of the listing.

    Mend: list what was there when it began.
    """

    def lists(self: Any) -> Iterator[tuple[str, list[Any]]]:
        return iter([(key, versions) for key, versions in dict(self).items() if versions])

    def items(self: Any) -> Iterator[tuple[str, Any]]:
        return iter([(key, latest) for key, versions in dict(self).items() for latest in versions[-1:]])

    def values(self: Any) -> Iterator[Any]:
        return iter([latest for _, latest in items(self)])

    for mended, names in (
        (lists, ("lists", "iterlists")),
        (items, ("items", "iteritems")),
        (values, ("values", "itervalues")),
    ):
        for name in names:
            swaps.attribute(ObjectsByKey, name, mended)


def definitions_are_substituted(swaps: Swaps, _: Aws) -> None:
    """Symptom: a state machine's DefinitionSubstitutions are ignored.

    Mend: put them in the place of their ``${name}``.
    """

    def create(cls: Any, resource_name: str, cloudformation_json: Any, *args: Any, **kwargs: Any) -> Any:
        properties = cloudformation_json["Properties"]
        for name, value in properties.get("DefinitionSubstitutions", {}).items():
            properties["DefinitionString"] = properties["DefinitionString"].replace(
                f"${{{name}}}", str(value)
            )
        return original.__func__(cls, resource_name, cloudformation_json, *args, **kwargs)

    original = swaps.attribute(
        sfn_models.StateMachine, "create_from_cloudformation_json", classmethod(create)
    )


def resource_types_are_known(swaps: Swaps, _: Aws) -> None:
    """Symptom: a resource of a type that moto lacks is skipped, and the stack is CREATE_COMPLETE.

    Mend: refuse it, unless ``local.cloudformation`` has it, or names it and why it has no effect here.
    """

    def class_for(resource_type: str) -> Any:
        if resource_type in cloudformation.WITHOUT_EFFECT:
            return cloudformation.WithoutEffect
        found = None if resource_type.startswith("Custom::") else original(resource_type)
        if found is None:
            raise cloudformation.UnknownResourceTypeError(resource_type)
        return found

    original = swaps.attribute(parsing, "resource_class_from_type", class_for)


#: in force while a control plane is open
ALL: tuple[Patch, ...] = (
    executions_run,
    stacks_make_running_machines,
    tasks_call_this_server,
    start_time_is_text,
    intrinsics_are_unescaped,
    states_errors_leave_branches,
    states_all_is_not_all,
    lost_paths_are_fatal,
    stop_is_immediate,
    stopped_stays_stopped,
    failed_children_fail_their_map,
    athena_tasks_wait,
    dynamodb_writes_are_atomic,
    listings_outlive_deletions,
    definitions_are_substituted,
    resource_types_are_known,
)
