"""Fargate on this machine: tasks of the simulated ECS are processes, each a group of its own.

A task has one container. Of it the command, the environment and the working folder are simulated: see
``task_images.py``. Statuses, stop codes and exit codes are AWS's; source: Amazon ECS Developer Guide,
"Task lifecycle" and "Stopped tasks error codes".
"""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from moto.ecs.exceptions import InvalidParameterException
from moto.ecs.models import EC2ContainerServiceBackend
from moto.ecs.responses import EC2ContainerServiceResponse

from local.aws.functions.lambda_process import Host
from local.aws.swaps import Swaps
from local.aws.tasks.fargate_task import FargateTask
from local.aws.tasks.task_images import TaskImages

#: characters of JSON; source: API reference, RunTask, overrides
OVERRIDES_LIMIT = 8192
_ENDING_AT_ONCE = 16


class TaskRuntime:
    """:param stop_limit_s: how long a stopped task may take before it is killed, whatever it asks for"""

    def __init__(self, host: Host, images: TaskImages, stop_limit_s: float = 5.0) -> None:
        self._host, self._images, self._stop_limit_s = host, images, stop_limit_s
        self._lock = threading.Lock()
        self._tasks: dict[str, FargateTask] = {}
        self._closed = False

    def install(self, swaps: Swaps) -> None:
        """Have moto's tasks run here."""

        def run_task(original: Any, response: Any) -> Any:
            _check_overrides(response)
            answer = original(response)
            for task in answer.result["tasks"]:
                definition = response.ecs_backend.describe_task_definition(task.task_definition_arn)
                if response._get_param("propagateTags") == "TASK_DEFINITION":
                    given = {tag["key"] for tag in task.tags}
                    task.tags = [tag for tag in definition.tags if tag["key"] not in given] + task.tags
                self._start(task, definition)
            return answer

        def stop_task(backend: Any, cluster_str: str, task_str: str, reason: str | None) -> Any:
            tasks = backend.tasks.get(backend._get_cluster(cluster_str).name, {})
            for arn, task in list(tasks.items()):
                if arn.rsplit("/", 1)[-1] == task_str.rsplit("/", 1)[-1]:
                    self._tasks[task.id].stop(reason or "Task stopped by user")
                    return task
            raise InvalidParameterException("The referenced task was not found.")

        swaps.wrap(EC2ContainerServiceResponse, "run_task", run_task)
        swaps.attribute(EC2ContainerServiceBackend, "stop_task", stop_task)

    def close(self) -> None:
        """Kill every task; those that are started later do not start."""
        with self._lock:
            self._closed = True
            everyone = list(self._tasks.values())
        if everyone:
            with ThreadPoolExecutor(min(_ENDING_AT_ONCE, len(everyone))) as pool:
                list(pool.map(FargateTask.end, everyone))

    def _start(self, task: Any, definition: Any) -> None:
        running = FargateTask(task, definition, self._host, self._images, self._stop_limit_s)
        with self._lock:
            self._tasks[task.id] = running
            closed = self._closed
        if closed:
            running.stop("The control plane is closed")
        running.start()


def _check_overrides(response: Any) -> None:
    """:raises InvalidParameterException: they are too long, or for a container that there is not"""
    overrides = response._get_param("overrides") or {}
    if len(json.dumps(overrides, separators=(",", ":"))) > OVERRIDES_LIMIT:
        raise InvalidParameterException(f"Container Overrides length must be at most {OVERRIDES_LIMIT}")
    definition = response.ecs_backend.describe_task_definition(response._get_param("taskDefinition"))
    names = {container["name"] for container in definition.container_definitions}
    for override in overrides.get("containerOverrides", []):
        if override["name"] not in names:
            raise InvalidParameterException(
                f"Override for container named {override['name']} is not a container in the TaskDefinition."
            )
