"""The roles of a template with what their policies say, references filled in: no account is asked.

Names are the deployed stack's own (``roles.py``); a resource that the template makes is called by its logical
id, which is the same whatever the context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from local.aws.boto import STATES
from local.aws.strict.requests.policies import statements
from tests.support.grants.roles import FUNCTION, TASK, Roles

REGION, ACCOUNT = "eu-west-1", "123456789012"
PSEUDO = {"AWS::Partition": "aws", "AWS::Region": REGION, "AWS::AccountId": ACCOUNT, "AWS::URLSuffix": "aws"}
#: of a role's logical id, the construct that it is of
ROLE = re.compile(r"(\w+?)(?:Role)?[0-9A-F]{8}")
#: type -> its ARN without its name, where policies name it by ARN
ARNS = {
    "AWS::DynamoDB::Table": f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/",
    "AWS::IAM::Role": f"arn:aws:iam::{ACCOUNT}:role/",
    "AWS::Lambda::Function": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:",
    "AWS::S3::Bucket": "arn:aws:s3:::",
    "AWS::SNS::Topic": f"arn:aws:sns:{REGION}:{ACCOUNT}:",
    "AWS::SQS::Queue": f"arn:aws:sqs:{REGION}:{ACCOUNT}:",
    "AWS::StepFunctions::StateMachine": f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:",
}
#: whose Ref is their ARN
BY_ARN = {"AWS::SNS::Topic", "AWS::StepFunctions::StateMachine"}


class Template:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self._resources: Mapping[str, Mapping[str, Any]] = document["Resources"]

    def roles(self) -> Roles:
        """By the function's short name, ``states`` of the state machine, ``task``, or ``role:NAME``."""
        names = self._names()
        documents: dict[str, list[Any]] = {name: [] for name in names.values()}
        for logical_id, name in names.items():
            own = self._resources[logical_id].get("Properties", {})
            documents[name] += [each["PolicyDocument"] for each in own.get("Policies", [])]
        for policy in [*self._of("AWS::IAM::Policy"), *self._of("AWS::IAM::ManagedPolicy")]:
            for role in policy["Roles"]:
                documents[names[role["Ref"]]].append(policy["PolicyDocument"])
        return {name: statements(map(self.filled, found)) for name, found in documents.items()}

    def encrypted_with(self, key: str) -> set[str]:
        """ARNs of what the template makes that the key encrypts."""
        return {
            self._arn(logical_id)
            for logical_id, resource in self._resources.items()
            if resource["Type"] in ARNS and key in _texts(resource.get("Properties", {}))
            if resource["Type"] not in {"AWS::IAM::Role", "AWS::Lambda::Function"}
        }

    def filled(self, value: Any) -> Any:
        """The value with every reference in it replaced by text."""
        if isinstance(value, list):
            return [self.filled(each) for each in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((name, given),) = value.items()
            if name == "Ref" or name.startswith("Fn::"):
                return self._text(name, given)
        return {key: self.filled(each) for key, each in value.items()}

    def _text(self, name: str, given: Any) -> Any:
        if name == "Ref":
            return PSEUDO.get(given) or self._named(given, arn=self._type(given) in BY_ARN)
        if name == "Fn::GetAtt":
            return self._named(given[0], arn=given[1] == "Arn")
        if name == "Fn::Join":
            return given[0].join(self.filled(given[1]))
        if name == "Fn::Split":
            return self.filled(given[1]).split(given[0])
        if name == "Fn::Select":
            return self.filled(given[1])[int(given[0])]
        assert name == "Fn::Sub", name
        return re.sub(r"\$\{([^}]+)\}", lambda found: self.filled({"Ref": found[1]}), given)

    def _type(self, logical_id: str) -> str:
        return str(self._resources.get(logical_id, {}).get("Type", ""))

    def _named(self, logical_id: str, *, arn: bool) -> str:
        return self._arn(logical_id) if arn else logical_id

    def _arn(self, logical_id: str) -> str:
        return f"{ARNS.get(self._type(logical_id), 'arn:aws:other:::')}{logical_id}"

    def _of(self, kind: str) -> Iterator[Mapping[str, Any]]:
        return (each["Properties"] for each in self._resources.values() if each["Type"] == kind)

    def _names(self) -> dict[str, str]:
        """Of each role, by its logical id."""
        owners = {}
        for logical_id, each in self._resources.items():
            if each["Type"] in {"AWS::Lambda::Function", "AWS::StepFunctions::StateMachine"}:
                field = "Role" if each["Type"] == "AWS::Lambda::Function" else "RoleArn"
                found = FUNCTION.search(f"{logical_id}-")
                owners[each["Properties"][field]["Fn::GetAtt"][0]] = found[1] if found else STATES
            if each["Type"] == "AWS::ECS::TaskDefinition":
                owners[each["Properties"]["TaskRoleArn"]["Fn::GetAtt"][0]] = TASK
        roles = [name for name in self._resources if self._type(name) == "AWS::IAM::Role"]
        return {role: owners.get(role) or f"role:{_constructs(role)}" for role in roles}


def _constructs(logical_id: str) -> str:
    found = ROLE.fullmatch(logical_id)
    assert found, logical_id
    return found[1]


def _texts(value: Any) -> set[str]:
    """Every text in it."""
    if isinstance(value, str):
        return {value}
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {text for each in inner for text in _texts(each)}
