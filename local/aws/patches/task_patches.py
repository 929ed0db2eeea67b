"""Where moto's task states do otherwise than AWS's; see ``moto_patches.py``."""

from __future__ import annotations

from typing import Any

import moto.stepfunctions.parser.asl.component.state.exec.state_task.state_task_factory as task_factory

from local.aws.boto import Aws
from local.aws.swaps import Swaps
from local.aws.tasks.job_tasks import AthenaTask, BuildTask, EcsTask, JobTask


def athena_tasks_wait(swaps: Swaps, _: Aws) -> None:
    """Symptom: ``athena:startQueryExecution.sync`` ends with "Unsupported sync callback procedure".

    Mend: a task that polls the query until it has ended.
    """
    _serve(swaps, "athena", AthenaTask)


def ecs_tasks_wait(swaps: Swaps, _: Aws) -> None:
    """Symptom: ``ecs:runTask.sync`` refuses its parameters, and does not look at exit codes.

    Mend: a task that has them translated, fails as AWS's does, and stops its task when it is stopped.
    """
    _serve(swaps, "ecs", EcsTask)


def builds_wait(swaps: Swaps, _: Aws) -> None:
    """Symptom: ``codebuild:startBuild.sync`` refuses its parameters, and cannot wait.

    Mend: a task that has them translated, and polls the build until it has ended.
    """
    _serve(swaps, "codebuild", BuildTask)


def _serve(swaps: Swaps, name: str, kind: type[JobTask]) -> None:
    def service_for(service_name: str) -> Any:
        return kind() if service_name == name else original(service_name)

    original = swaps.attribute(task_factory, "state_task_service_for", service_for)
