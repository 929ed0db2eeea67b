"""Corrections of moto's ECS, DynamoDB, S3 and stacks; see ``moto_patches.py``."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator
from typing import Any

import moto.stepfunctions.models as sfn_models
from moto.awslambda.models import LambdaFunction
from moto.cloudformation import parsing
from moto.core.responses import ActionResult
from moto.core.utils import camelcase_to_underscores, pascal_to_camelcase, remap_nested_keys
from moto.dynamodb.responses import DynamoHandler
from moto.ec2.models.vpcs import VPC
from moto.ecr.models import Repository
from moto.ecs.exceptions import InvalidParameterException
from moto.ecs.models import EC2ContainerServiceBackend, TaskDefinition, ecs_backends
from moto.ecs.responses import EC2ContainerServiceResponse
from moto.iam.models import ManagedPolicy
from moto.s3.models import FakeKey
from moto.s3.responses import S3Response
from moto.s3.utils import _VersionedKeyStore as ObjectsByKey

from local.aws import resource_types
from local.aws.boto import Aws
from local.aws.swaps import Patch, Swaps, around

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


@Patch
def stacks_update_managed_policies(swaps: Swaps, _: Aws) -> None:
    """Symptom: a stack in which a managed policy's document has changed is not updated.

    Mend: the document becomes a version of the policy, its default one.
    """

    def update(
        cls: Any, /, original_resource: ManagedPolicy, *, cloudformation_json: Any, **_: Any
    ) -> ManagedPolicy:
        document = json.dumps(cloudformation_json["Properties"]["PolicyDocument"])
        original_resource.backend.create_policy_version(original_resource.arn, document, set_as_default=True)
        return original_resource

    name = "update_from_cloudformation_json"
    swaps.callback(delattr, ManagedPolicy, name)
    setattr(ManagedPolicy, name, classmethod(update))


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


@Patch
def dynamodb_writes_are_atomic(swaps: Swaps, _: Aws) -> None:
    """Symptom: of concurrent updates some are lost, and two conditional puts of one key both succeed.

    Mend: one request at a time; each takes a millisecond or two.
    """
    lock = threading.RLock()

    def call_action(original: Any, self: Any) -> Any:
        with lock:
            return original(self)

    swaps.wrap(DynamoHandler, "call_action", call_action)


@Patch
def s3_conditions_are_atomic(swaps: Swaps, _: Aws) -> None:
    """Symptom: of two conditional writes both find their condition met, and an object is there before its
    metadata is.

    Mend: one request of objects at a time, once its body has come.
    Source: Amazon S3 User Guide, "How to prevent object overwrites with conditional writes".
    """
    lock = threading.RLock()

    def one_at_a_time(original: Any, self: Any, *args: Any, **named: Any) -> Any:
        with lock:
            return original(self, *args, **named)

    for name in ("_key_response", "_bucket_response_delete_keys"):
        swaps.wrap(S3Response, name, one_at_a_time)


@Patch
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

    for mended in (lists, items, values):
        swaps.attribute(ObjectsByKey, mended.__name__, mended)
        swaps.attribute(ObjectsByKey, f"iter{mended.__name__}", mended)


@Patch
def objects_outlive_replacements(swaps: Swaps, _: Aws) -> None:
    """Symptom: an object that is replaced or deleted while it is read is a ValueError of the reading.

    Mend: who began to read it reads what it was; it goes with the last who holds it, as moto's own list of
    all objects that there were, by which it closes them at its end, holds none.
    """

    def dispose(original: Any, self: Any, garbage: bool = False) -> None:
        if garbage:
            original(self, garbage)
        elif self.multipart:
            self.multipart.dispose()
        self.disposed = True

    swaps.wrap(FakeKey, "dispose", dispose)
    swaps.attribute(FakeKey, "instances_tracked", deque(maxlen=0))


@around(sfn_models.StateMachine, "create_from_cloudformation_json")
def definitions_are_substituted(
    original: Any, cls: Any, resource_name: str, cloudformation_json: Any, *args: Any, **kwargs: Any
) -> Any:
    """Symptom: a state machine's DefinitionSubstitutions are ignored.

    Mend: put them in the place of their ``${name}``.
    """
    properties = cloudformation_json["Properties"]
    for name, value in properties.get("DefinitionSubstitutions", {}).items():
        properties["DefinitionString"] = properties["DefinitionString"].replace(f"${{{name}}}", str(value))
    return original(cls, resource_name, cloudformation_json, *args, **kwargs)


@around(LambdaFunction, "update_configuration")
def functions_are_updated_without_layers(original: Any, self: Any, config_updates: dict[str, Any]) -> Any:
    """Symptom: a stack's function is made without its layers, and updating it fails at them.

    Mend: they are passed over then, too: here functions find what a layer holds in their environment.
    """
    return original(self, {name: value for name, value in config_updates.items() if name != "Layers"})


@around(VPC, "create_from_cloudformation_json")
def networks_resolve_names(
    original: Any, cls: Any, resource_name: str, cloudformation_json: Any, *args: Any, **kwargs: Any
) -> Any:
    """Symptom: what a stack says of its network's DNS is passed over.

    Mend: it is set.
    """
    made = original(cls, resource_name, cloudformation_json, *args, **kwargs)
    properties = cloudformation_json["Properties"]
    for name, attribute in {"EnableDnsSupport": "support", "EnableDnsHostnames": "hostnames"}.items():
        if name in properties:
            enabled = str(properties[name]).lower()
            made.ec2_backend.modify_vpc_attribute(made.id, f"enable_dns_{attribute}", enabled)
    return made


@around(parsing, "resource_class_from_type")
def resource_types_are_known(original: Any, resource_type: str) -> Any:
    """Symptom: a resource of a type that moto lacks is skipped, and the stack is CREATE_COMPLETE.

    Mend: refuse it, unless ``local.aws.resource_types`` has it, or names it and why it has no effect here.
    """
    if resource_type in resource_types.WITHOUT_EFFECT:
        return resource_types.WithoutEffect
    found = None if resource_type.startswith("Custom::") else original(resource_type)
    if found is None:
        raise resource_types.UnknownResourceTypeError(resource_type)
    return found
