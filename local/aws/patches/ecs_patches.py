"""Where moto's ECS does otherwise than AWS's; see ``moto_patches.py``."""

from __future__ import annotations

from typing import Any

from moto.core.responses import ActionResult
from moto.core.utils import camelcase_to_underscores, pascal_to_camelcase, remap_nested_keys
from moto.ecr.models import Repository
from moto.ecs.exceptions import InvalidParameterException
from moto.ecs.models import EC2ContainerServiceBackend, TaskDefinition, ecs_backends
from moto.ecs.responses import EC2ContainerServiceResponse

from local.aws.boto import Aws
from local.aws.patches.patch import Patch, around
from local.aws.swaps import Swaps

#: tasks that one call lists, and describes; source: Amazon ECS API Reference, ListTasks and DescribeTasks
TASKS_AT_ONCE = 100


@around(TaskDefinition, "create_from_cloudformation_json")
def stacks_make_whole_tasks(
    original: Any, cls: Any, /, resource_name: str, template: Any, account_id: str, region: str, **_: Any
) -> Any:
    """Symptom: a stack's task definition has no network, no size, no roles and no tags.

    Mend: all that the template says.
    """
    given = remap_nested_keys(template["Properties"], pascal_to_camelcase)
    named = {camelcase_to_underscores(name): value for name, value in given.items()}
    return ecs_backends[account_id][region].register_task_definition(**{"family": resource_name, **named})


@around(Repository, "create_from_cloudformation_json")
def repositories_have_lawful_names(
    original: Any, cls: Any, /, resource_name: str, template: Any, *args: Any, **kwargs: Any
) -> Any:
    """Symptom: a stack's repository that has no name of its own gets one with capitals, which ECR refuses.

    Mend: the same in small letters, as AWS gives it.
    """
    named = template["Properties"].get("RepositoryName")
    return original(cls, named or resource_name.lower(), template, *args, **kwargs)


@around(EC2ContainerServiceBackend, "_calculate_task_resource_requirements")
def containers_share_a_tasks_memory(original: Any, definition: Any) -> Any:
    """Symptom: a task whose memory is the task's and not its container's cannot be run: a TypeError.

    Mend: such a container asks for none of its own.
    """
    kept = definition.container_definitions
    definition = type("", (), {"container_definitions": [{"memory": 0, **one} for one in kept]})
    return original(definition)


@Patch
def task_lists_are_short(swaps: Swaps, _: Aws) -> None:
    """Symptom: all tasks are listed at once, stopped ones, too, and filters go together that AWS refuses.

    Mend: a page of 100 at the most, of tasks that are to run unless others are asked for.
    Source: Amazon ECS API Reference, ListTasks.
    """

    def list_tasks(original: Any, self: Any) -> Any:
        wanted = self._get_param("desiredStatus")
        is_combined = self._get_param("startedBy") and (wanted or self._get_param("family"))
        if is_combined:
            raise InvalidParameterException("startedBy must be the only filter")
        arns = original(self).result["taskArns"]
        tasks = {arn: task for each in self.ecs_backend.tasks.values() for arn, task in each.items()}
        arns = [arn for arn in arns if tasks[arn].desired_status == (wanted or "RUNNING")]
        first = int(self._get_param("nextToken") or 0)
        last = first + int(self._get_param("maxResults") or TASKS_AT_ONCE)
        more = {"nextToken": str(last)} if arns[last:] else {}
        return ActionResult({"taskArns": arns[first:last], **more})

    def describe_tasks(original: Any, self: Any) -> Any:
        if len(self._get_param("tasks", [])) > TASKS_AT_ONCE:
            raise InvalidParameterException("Tasks cannot be more than 100.")
        return original(self)

    swaps.wrap(EC2ContainerServiceResponse, "list_tasks", list_tasks)
    swaps.wrap(EC2ContainerServiceResponse, "describe_tasks", describe_tasks)
