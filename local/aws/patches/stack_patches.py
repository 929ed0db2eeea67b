"""Where moto makes stacks otherwise than AWS; see ``moto_patches.py``."""

from __future__ import annotations

from typing import Any

import moto.stepfunctions.models as sfn_models
from moto.awslambda.models import LambdaFunction
from moto.cloudformation import parsing
from moto.ec2.models.vpcs import VPC

from local.aws import resource_types
from local.aws.patches.patch import around


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
