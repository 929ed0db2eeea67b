"""Roles that a template gives to services: each must trust the service, or making the resource fails.

Sources: AWS Lambda Developer Guide, "Execution role" ("cannot be assumed by Lambda"); AWS Step Functions
Developer Guide, "Creating an IAM role"; Amazon ECS Developer Guide, "Task IAM role"; IAM User Guide, "Use
instance profiles"; and the guides of the other services for theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

#: type -> properties that name a role, and the service that is to assume it
ASSUMED: dict[str, tuple[tuple[str, str], ...]] = {
    "AWS::CodeBuild::Project": (("ServiceRole", "codebuild.amazonaws.com"),),
    "AWS::EC2::FlowLog": (("DeliverLogsPermissionArn", "vpc-flow-logs.amazonaws.com"),),
    "AWS::ECS::TaskDefinition": (
        ("TaskRoleArn", "ecs-tasks.amazonaws.com"),
        ("ExecutionRoleArn", "ecs-tasks.amazonaws.com"),
    ),
    "AWS::IAM::InstanceProfile": (("Roles", "ec2.amazonaws.com"),),
    "AWS::Lambda::Function": (("Role", "lambda.amazonaws.com"),),
    "AWS::Scheduler::Schedule": (("Target", "scheduler.amazonaws.com"),),
    "AWS::StepFunctions::StateMachine": (("RoleArn", "states.amazonaws.com"),),
}
Resources = Mapping[str, Mapping[str, Any]]


def untrusting(template: Mapping[str, Any]) -> list[str]:
    """What of the template cannot be made, as its role does not trust its service; in words."""
    resources: Resources = template["Resources"]
    return [
        f"{name} ({resource['Type']}): the role {role} cannot be assumed by {service}"
        for name, resource in resources.items()
        for field, service in ASSUMED.get(resource["Type"], ())
        for role in _roles(resource["Properties"].get(field))
        if role in resources and service not in _trusted(resources[role]["Properties"])
    ]


def _roles(value: Any) -> Iterator[str]:
    """Logical ids of the roles in a property: named by ARN or by name, in a list or deeper."""
    if isinstance(value, list):
        for each in value:
            yield from _roles(each)
    elif isinstance(value, dict):
        if "Ref" in value:
            yield value["Ref"]
        elif "Fn::GetAtt" in value:
            if value["Fn::GetAtt"][1] == "Arn":
                yield value["Fn::GetAtt"][0]
        elif "RoleArn" in value:
            yield from _roles(value["RoleArn"])


def _trusted(role: Mapping[str, Any]) -> set[str]:
    """Services that may assume it."""
    found: set[str] = set()
    for statement in role["AssumeRolePolicyDocument"]["Statement"]:
        if statement["Effect"] == "Allow" and "sts:AssumeRole" in _listed(statement["Action"]):
            found.update(map(str, _listed(statement["Principal"].get("Service", []))))
    return found


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
