"""Checks of a template that AWS would refuse: limits exceeded, and roles that do not trust their services.

Static properties (names, lengths, patterns, ranges) are cfn-lint's to hold against the schemas of the
resource types (``tests/infra/workflow/test_rules.py``). Here is what shows only once references are resolved,
or is counted over several resources; ids that are made here are about as long as those that AWS makes.

Of trust: AWS Lambda Developer Guide, "Execution role" ("cannot be assumed by Lambda"); AWS Step Functions
Developer Guide, "Creating an IAM role"; Amazon ECS Developer Guide, "Task IAM role"; IAM User Guide, "Use
instance profiles"; and the guides of the other services for theirs.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from moto.awslambda.models import lambda_backends
from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2.models import ec2_backends
from moto.iam.models import iam_backends
from moto.stepfunctions.parser.models import stepfunctions_parser_backends

from local.aws.strict.requests.policies import listed
from local.aws.strict.service_limits import KIB, MIB, USER_DATA_BYTES

#: CloudFormation user guide, "Understand CloudFormation quotas"
TEMPLATE_BYTES, RESOURCES, OUTPUTS, PARAMETERS = MIB, 500, 200, 200
DESCRIPTION_BYTES, ID_CHARACTERS = KIB, 255
#: Lambda guide, "Lambda quotas": a function's environment variables in all; layers
ENVIRONMENT_BYTES, LAYERS = 4 * KIB, 5
#: IAM guide, "IAM and AWS STS quotas", in characters without white space: a role's inline policies in all, a
#: managed policy, a role's trust policy; and managed policies of a role
INLINE, MANAGED, TRUST, ATTACHED = 10_240, 6_144, 2_048, 10
#: Step Functions guide, "Service quotas": of a state machine's definition
DEFINITION_BYTES = MIB
#: EC2 API reference, CreateSecurityGroup and IpRange: what a security group, and each of its rules, is
#: described with. CloudFormation's schemas say nothing of it, so that cfn-lint does not either
DESCRIBED = re.compile(r"[a-zA-Z0-9. _\-:/()#,@\[\]+=&;{}!$*]{0,255}")
GROUPS = ("AWS::EC2::SecurityGroup", "AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress")
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


def of_template(template: Mapping[str, Any], text: str) -> Iterator[str]:
    """What a template is over, in words.

    :param text: as it is uploaded
    """
    sizes = (
        ("bytes", len(text.encode()), TEMPLATE_BYTES),
        ("resources", len(template.get("Resources", {})), RESOURCES),
        ("outputs", len(template.get("Outputs", {})), OUTPUTS),
        ("parameters", len(template.get("Parameters", {})), PARAMETERS),
        ("bytes of description", len(str(template.get("Description", "")).encode()), DESCRIPTION_BYTES),
    )
    for what, size, most in sizes:
        yield from _over("the template", what, size, most)
    for name in (*template.get("Resources", {}), *template.get("Outputs", {})):
        if not (name.isalnum() and name.isascii()):
            yield f"{name}: a logical id is of letters and digits"
        yield from _over(name, "characters of a logical id", len(name), ID_CHARACTERS)
    for name, resource in template.get("Resources", {}).items():
        if resource.get("Type") in GROUPS:
            for words in _descriptions(resource.get("Properties", {})):
                if not DESCRIBED.fullmatch(words):
                    yield (
                        f"{name}: {words!r} describes a security group or a rule, which EC2 takes up to 255 "
                        "characters for, letters, digits, spaces and . _-:/()#,@[]+=&;{}!$*"
                    )


def _descriptions(properties: Any) -> Iterator[str]:
    """Of a group and of the rules in it."""
    if isinstance(properties, list):
        for each in properties:
            yield from _descriptions(each)
    elif isinstance(properties, Mapping):
        for name, value in properties.items():
            if name in ("Description", "GroupDescription") and isinstance(value, str):
                yield value
            elif name != "Tags":
                yield from _descriptions(value)


def of_account(region: str) -> Iterator[str]:
    """What is over a limit of what stands in the simulated account."""
    for function in lambda_backends[DEFAULT_ACCOUNT_ID][region].list_functions():
        name, variables = function.function_name, function.environment_vars
        size = sum(len(key.encode()) + len(str(value).encode()) for key, value in variables.items())
        yield from _over(name, "bytes of environment variables", size, ENVIRONMENT_BYTES)
        yield from _over(name, "layers", len(function.layers), LAYERS)
    yield from _of_roles()
    for machine in stepfunctions_parser_backends[DEFAULT_ACCOUNT_ID][region].state_machines:
        size = len(machine.definition.encode())
        yield from _over(machine.name, "bytes of definition", size, DEFINITION_BYTES)
    for template in ec2_backends[DEFAULT_ACCOUNT_ID][region].launch_templates.values():
        user_data = template.latest_version().data.get("UserData") or ""
        data = base64.b64decode(user_data if isinstance(user_data, str) else user_data.as_bytes())
        yield from _over(template.name, "bytes of user data", len(data), USER_DATA_BYTES)


def _of_roles() -> Iterator[str]:
    iam = iam_backends[DEFAULT_ACCOUNT_ID]["aws"]
    for role in iam.get_roles():
        inline = sum(_characters(document) for document in role.policies.values())
        yield from _over(role.name, "characters of inline policies", inline, INLINE)
        trust = _characters(role.assume_role_policy_document)
        yield from _over(role.name, "characters of trust policy", trust, TRUST)
        yield from _over(role.name, "managed policies", len(role.managed_policies), ATTACHED)
    ours = (each for each in iam.managed_policies.values() if DEFAULT_ACCOUNT_ID in each.arn)
    for policy in ours:
        newest = next(one for one in policy.versions if one.version_id == policy.default_version_id)
        yield from _over(policy.name, "characters", _characters(newest.document), MANAGED)


def _characters(document: Any) -> int:
    """Of a policy, without white space."""
    parsed = json.loads(document) if isinstance(document, str) else document
    return len(json.dumps(parsed, separators=(",", ":")))


def _over(what: str, of: str, size: int, most: int) -> Iterator[str]:
    if size > most:
        yield f"{what}: {size:,} {of}, at most {most:,}"


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
        if statement["Effect"] == "Allow" and "sts:AssumeRole" in listed(statement["Action"]):
            found.update(map(str, listed(statement["Principal"].get("Service", []))))
    return found
