"""Fargate on this machine: tasks of the simulated ECS are processes, each a group of its own.

A task has one container. Of it the command, the environment and the working folder are simulated: see
``task_images.py``. Statuses, stop codes and exit codes are AWS's; source: Amazon ECS Developer Guide,
"Task lifecycle" and "Stopped tasks error codes".
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from moto.ec2.models import ec2_backends
from moto.ecs.exceptions import InvalidParameterException
from moto.ecs.models import EC2ContainerServiceBackend
from moto.ecs.responses import EC2ContainerServiceResponse

from breakeven.errors import BreakevenError
from local.aws.functions.lambda_process import END_GRACE_S, INSTALLED, Host
from local.aws.swaps import Swaps
from local.aws.tasks.task_images import Image, TaskImages

START = Path(__file__).with_name("task_start.py")
#: programs that are this machine's own Python, as functions run on it
PYTHONS = {"python", "python3", "python3.13"}
#: seconds from SIGTERM to SIGKILL where the container does not say; source: API reference, StopTask
STOP_TIMEOUT_S = 30.0
CLOSED = "The control plane is closed"


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
        for task in everyone:
            task.stop(CLOSED)
        self._host.children.stop_together([task.process for task in everyone if task.process], END_GRACE_S)
        for task in everyone:
            if task.thread.is_alive():
                task.thread.join()

    def _start(self, task: Any, definition: Any) -> None:
        running = FargateTask(task, definition, self._host, self._images, self._stop_limit_s)
        with self._lock:
            self._tasks[task.id] = running
            closed = self._closed
        if closed:
            running.stop(CLOSED)
        running.thread.start()


def _check_overrides(response: Any) -> None:
    """:raises InvalidParameterException: they are for a container that there is not"""
    overrides = response._get_param("overrides") or {}
    definition = response.ecs_backend.describe_task_definition(response._get_param("taskDefinition"))
    names = {container["name"] for container in definition.container_definitions}
    for override in overrides.get("containerOverrides", []):
        if override["name"] not in names:
            raise InvalidParameterException(
                f"Override for container named {override['name']} is not a container in the TaskDefinition."
            )


class FargateTask:
    """:param task: moto's, which shows at every time how this one is
    :param definition: moto's task definition
    """

    def __init__(
        self, task: Any, definition: Any, host: Host, images: TaskImages, stop_limit_s: float
    ) -> None:
        self._task, self._definition = task, definition
        self._host, self._images, self._stop_limit_s = host, images, stop_limit_s
        self._spec: dict[str, Any] = definition.container_definitions[0]
        self._lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None
        self._stopped_for: str | None = None
        #: it runs from this one's start to its end
        self.thread = threading.Thread(target=self._run, name=f"task {task.id}", daemon=True)
        task._transitions = []  # moto would have it go on by being looked at
        task.created_at = datetime.now(UTC)
        container = task.containers[0]
        container.task_arn, container.exitCode = task.task_arn, None
        self._is("PROVISIONING")

    def stop(self, reason: str) -> None:
        """SIGTERM, later SIGKILL; returns at once. A task that is not running yet does not start."""
        with self._lock:
            if self._task.desired_status == "STOPPED":
                return
            self._stopped_for = reason
            self._task.desired_status, self._task.stopped_reason = "STOPPED", reason
            self._task.stop_code = "UserInitiated"
            # "Any tags associated with the task will be deleted": API reference, StopTask
            self._task.tags = []
            process = self.process
        if process is not None:
            timeout_s = min(float(self._spec.get("stopTimeout") or STOP_TIMEOUT_S), self._stop_limit_s)
            stop = self._host.children.stop
            threading.Thread(target=stop, args=(process, timeout_s), daemon=True).start()

    def _run(self) -> None:
        failing = "CannotPullContainerError"
        try:
            image = self._images.image(self._spec["image"])
            failing = "CannotStartContainerError"
            with self._lock:
                if self._stopped_for is None:
                    self.process = self._spawn(image)
        except BreakevenError as error:
            self._gone("TaskFailedToStart", f"{failing}: {error}", None)
            return
        if self.process is None:
            self._gone("UserInitiated", str(self._stopped_for), None)
            return
        self._is("RUNNING")
        self._task.started_at = datetime.now(UTC)
        code = self.process.wait()
        self._host.children.stop(self.process, 0)  # a container ends with its first process
        code = 128 - code if code < 0 else code
        self._gone("EssentialContainerExited", "Essential container in task exited", code)

    def _spawn(self, image: Image) -> subprocess.Popen[bytes]:
        family = self._definition.family
        with (self._host.log_dir / f"{family}.log").open("ab") as output:
            return self._host.children.spawn(
                self._arguments(image),
                env=self._variables(image),
                cwd=image.folder,
                stdout=output,
                stderr=subprocess.STDOUT,
                name=f"task {family} {self._task.id}",
            )

    def _arguments(self, image: Image) -> list[str]:
        entry_point = self._spec.get("entryPoint") or image.entry_point
        # Docker's rule: with an entry point of the definition's own, the image's command is no more
        default = () if self._spec.get("entryPoint") else image.command
        command = self._override().get("command") or self._spec.get("command") or default
        words = [*entry_point, *command]
        if not words:
            raise BreakevenError("neither the image nor the task definition says what to run")
        if words[0] in PYTHONS:
            paths = os.pathsep.join(INSTALLED)
            return [sys.executable, "-I", "-S", "-B", "-u", str(START), paths, *words[1:]]
        return words

    def _variables(self, image: Image) -> dict[str, str]:
        declared = _environment(self._spec)
        given = {
            "AWS_EXECUTION_ENV": "AWS_ECS_FARGATE",
            **{name: value for name, value in image.environment.items() if name != "PATH"},
            **declared,
            **_environment(self._override()),
        }
        return self._host.variables(self._definition.family, declared, given)

    def _override(self) -> dict[str, Any]:
        overrides = self._task.overrides.get("containerOverrides", [])
        found: dict[str, Any] = next((one for one in overrides if one["name"] == self._spec["name"]), {})
        return found

    def _is(self, status: str) -> None:
        self._task.last_status = status
        self._task.containers[0].last_status = "PENDING" if status == "PROVISIONING" else status

    def _gone(self, stop_code: str, reason: str, code: int | None) -> None:
        with self._lock:
            if self._stopped_for is None:
                self._task.desired_status, self._task.stopped_reason = "STOPPED", reason
                self._task.stop_code = stop_code
            self._task.stopped_at = datetime.now(UTC)
            self._task.containers[0].exitCode = code
            if code is None:
                self._task.containers[0].reason = reason
            self._release_network()
            self._is("STOPPED")

    def _release_network(self) -> None:
        interfaces = ec2_backends[self._task._account_id][self._task.region_name].enis
        for attachment in self._task.attachments:
            attachment["status"] = "DELETED"
            for detail in attachment["details"]:
                interfaces.pop(detail["value"], None)


def _environment(spec: dict[str, Any]) -> dict[str, str]:
    return {pair["name"]: str(pair["value"]) for pair in spec.get("environment") or []}
