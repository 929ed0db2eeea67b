"""Task states of the simulated Step Functions that start a job elsewhere and wait for its end (``.sync``)."""

from __future__ import annotations

import abc
import contextlib
import functools
import json
from collections.abc import Callable
from typing import Any, ClassVar

from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import get_session
from moto.stepfunctions.parser.api import HistoryEventType, TaskFailedEventDetails
from moto.stepfunctions.parser.asl.component.common.error_name.custom_error_name import CustomErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEvent,
    FailureEventException,
)
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import StatesErrorName
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_unsupported as unsupported,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.resource import ResourceCondition
from moto.stepfunctions.parser.asl.eval.event.event_detail import EventDetails
from moto.stepfunctions.parser.asl.utils import boto_client

Json = dict[str, Any]
#: who has started a task that a state waits for, as execution histories of AWS show it
STARTED_BY = "AWS Step Functions"


class JobTask(unsupported.StateTaskServiceUnsupported):
    """Calls a service as the state says, then polls until what it has started has ended.

    A job whose state is stopped or out of time is cancelled, as far as its service can. Source: AWS Step
    Functions Developer Guide, "Run a Job (.sync)".
    """

    #: what the names of the service's errors begin with
    prefix: ClassVar[str]
    #: and what those are called that its model has no name for
    other_error: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        # moto takes a task token's callback for granted wherever it waits
        self._supported_integration_patterns = {ResourceCondition.WaitForTaskToken, ResourceCondition.Sync}

    @abc.abstractmethod
    def submitted(self, answer: Json) -> Json:
        """What tells the job from others, in ``answer`` of the call that started it.

        :raises JobFailedError: nothing was started
        """

    @abc.abstractmethod
    def look(self, client: Any, job: Json) -> Json | None:
        """The state's output once the job has ended well, None as long as it runs.

        :raises JobFailedError: it has ended otherwise
        """

    def cancel(self, client: Any, job: Json) -> None:
        """End the job; nothing is done where it ends by itself."""

    def _log_unsupported_warning(self) -> None:
        """Nothing to warn of: it is supported here."""

    def _build_sync_resolver(
        self, env: Any, resource_runtime_part: Any, normalised_parameters: Any, state_credentials: Any
    ) -> Callable[[], Any]:
        client = boto_client.boto_client_for(
            region=resource_runtime_part.region, service=self._get_boto_service_name()
        )
        with self._failing(env):
            job = self.submitted(env.stack.pop())

        def poll() -> Any:
            with self._failing(env):
                return self.look(client, job)

        # of this state's evaluation, for ``_eval_sync``: one object serves all iterations of a Map
        poll.cancel = lambda: self.cancel(client, job)  # type: ignore[attr-defined]
        return poll

    def _eval_sync(self, **given: Any) -> Any:
        """Without a thread that waits for a task token: a job has none."""
        outcome = super()._eval_sync(**{**given, "callback_endpoint": None})
        if outcome is None:
            # best effort, as on AWS: the job may have ended, or the server with all jobs
            with contextlib.suppress(ClientError, BotoCoreError):
                given["sync_resolver"].cancel()
        return outcome

    def _from_error(self, env: Any, ex: Exception) -> Any:
        if isinstance(ex, ClientError):
            return self._failure(env, self.error_name(ex), ex.response["Error"]["Message"])
        return super()._from_error(env=env, ex=ex)

    def error_name(self, error: ClientError) -> str:
        """The name that a state's Retry and Catch know the service's error by."""
        modelled = {shape.name for shape in self._operation(self.resource.api_action).error_shapes}
        code = error.response["Error"]["Code"]
        # what the service's model has no name for comes as this one, a throttled call for example
        return f"{self.prefix}.{code if code in modelled else self.other_error}"

    def _operation(self, action: str) -> Any:
        return service_model(self._get_boto_service_name()).operation_model(action[0].upper() + action[1:])

    @contextlib.contextmanager
    def _failing(self, env: Any) -> Any:
        try:
            yield
        except JobFailedError as failed:
            raise FailureEventException(self._failure(env, failed.error, str(failed))) from failed

    def _failure(self, env: Any, error: str, cause: str) -> FailureEvent:
        details = TaskFailedEventDetails(
            resource=self._get_sfn_resource(),
            resourceType=self._get_sfn_resource_type(),
            error=error,
            cause=cause,
        )
        return failure(env, error, HistoryEventType.TaskFailed, taskFailedEventDetails=details)


class JobFailedError(Exception):
    """The job has not ended well; the message is the cause that the state gets."""

    def __init__(self, cause: str, error: str = "States.TaskFailed") -> None:
        self.error = error
        super().__init__(cause)


class AthenaTask(JobTask):
    """``athena:startQueryExecution.sync``: its output describes the query."""

    prefix, other_error = "Athena", "AmazonAthenaException"

    def submitted(self, answer: Json) -> Json:
        return {"QueryExecutionId": answer["QueryExecutionId"]}

    def look(self, client: Any, job: Json) -> Json | None:
        found = client.get_query_execution(**job)["QueryExecution"]
        described = as_json(found)
        if found["Status"]["State"] in {"FAILED", "CANCELLED"}:
            raise JobFailedError(json.dumps(described))
        return {"QueryExecution": described} if found["Status"]["State"] == "SUCCEEDED" else None


class CasedTask(JobTask):
    """Of a service whose API is in camelCase: a state machine has its names in PascalCase, both ways."""

    def _normalise_parameters(self, parameters: Json, *_: Any, **__: Any) -> None:
        self._to_boto_request(parameters, self._operation(self.resource.api_action).input_shape)

    def _normalise_response(self, response: Any, *_: Any, **__: Any) -> None:
        self.cased(response, self.resource.api_action)

    def cased(self, response: Json, action: str) -> Json:
        """The answer to ``action``, changed in place: JSON under the names that state machines know."""
        response.pop("ResponseMetadata", None)
        self._from_boto_response(response, self._operation(action).output_shape)
        plain = as_json(response)
        response.clear()
        response.update(plain)
        return response


class EcsTask(CasedTask):
    """``ecs:runTask`` and ``ecs:runTask.sync``; the latter's output describes the task.

    It fails of a container that exits with another code than 0, and of one that never ran. Sources: AWS
    Step Functions Developer Guide, "Run Amazon ECS or Fargate tasks"; of exit codes
    https://github.com/aws/copilot-cli/issues/3160; of the errors' names https://github.com/cdklabs/construct-hub/pull/415.
    """

    prefix, other_error = "ECS", "AmazonECSException"

    def _eval_parameters(self, env: Any) -> Json:
        given: Json = super()._eval_parameters(env)
        sync = self.resource.condition == ResourceCondition.Sync
        return {**given, "StartedBy": STARTED_BY} if sync else given

    def submitted(self, answer: Json) -> Json:
        if answer["Failures"]:
            raise JobFailedError(json.dumps(answer["Failures"]), "AmazonECS.Unknown")
        task = answer["Tasks"][0]
        return {"cluster": task["ClusterArn"], "task": task["TaskArn"]}

    def look(self, client: Any, job: Json) -> Json | None:
        found = client.describe_tasks(cluster=job["cluster"], tasks=[job["task"]], include=["TAGS"])
        task: Json = self.cased(found, "describeTasks")["Tasks"][0]
        if task["LastStatus"] != "STOPPED":
            return None
        if any(container.get("ExitCode") != 0 for container in task["Containers"]):
            raise JobFailedError(json.dumps(task))
        return task

    def cancel(self, client: Any, job: Json) -> None:
        client.stop_task(**job, reason="The execution that waited for it has ended or gone on")


class BuildTask(CasedTask):
    """``codebuild:startBuild.sync``: its output describes the build."""

    prefix, other_error = "CodeBuild", "AWSCodeBuildException"

    def submitted(self, answer: Json) -> Json:
        return {"id": answer["Build"]["Id"]}

    def look(self, client: Any, job: Json) -> Json | None:
        found = client.batch_get_builds(ids=[job["id"]])
        build: Json = self.cased(found, "batchGetBuilds")["Builds"][0]
        if build["BuildStatus"] == "IN_PROGRESS":
            return None
        if build["BuildStatus"] != "SUCCEEDED":
            raise JobFailedError(json.dumps({"Build": build}))
        return {"Build": build}

    def cancel(self, client: Any, job: Json) -> None:
        client.stop_build(**job)


def failure(env: Any, error: str, kind: HistoryEventType, **details: Any) -> FailureEvent:
    """:param details: of the event, by the name that histories have for those of its kind"""
    return FailureEvent(
        env=env, error_name=name_of(error), event_type=kind, event_details=EventDetails(**details)
    )


def name_of(error_name: str | None) -> Any:
    """An error's name as moto's interpreter has it, of whom Step Functions' own are of another kind."""
    reserved = error_name is not None and error_name.startswith("States.")
    return StatesErrorName.from_name(error_name) if reserved else CustomErrorName(error_name)


@functools.cache
def service_model(name: str) -> Any:
    """botocore's, which tells the errors that a service's SDKs have a name for."""
    return get_session().get_service_model(name)


def as_json(value: Json) -> Json:
    """``value`` with its times in milliseconds since 1970, as such states give them."""
    plain: Json = json.loads(json.dumps(value, default=lambda time: int(time.timestamp() * 1000)))
    return plain
