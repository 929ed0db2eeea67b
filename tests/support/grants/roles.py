"""The roles of a deployed stack with what their policies say, and whose calls are which."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from moto.core import DEFAULT_ACCOUNT_ID
from moto.iam.models import iam_backends

from local.aws.boto import STATES
from local.aws.control_plane import ControlPlane
from local.aws.strict.permissions.roles import documents
from local.aws.strict.requests.policies import Call, Statement, statements
from tests.support.aws.definition import states

Roles = dict[str, list[Statement]]
#: of a function's physical name, its logical id without the construct around it and the hash behind it
FUNCTION = re.compile(r"Functions(\w+?)[0-9A-F]{8}-")
#: likewise of any role's
ROLE = re.compile(r"QueueBreakeven-(\w+?)(?:Role)?[0-9A-F]{8}-")

#: the family of loaders' tasks, and what their role is called
FAMILY, TASK = re.compile(r"QueueBreakeven-loader"), "task"

#: what policies begin with that tests give to roles, for state machines of their own
OF_TESTS = "of-tests-"
EXECUTION = re.compile(r"(:execution:)[^:]+(:)")


def short(function: str) -> str:
    """What a function is called in ``infra/functions/step_table.py``."""
    found = FUNCTION.search(function)
    assert found, function
    return found[1]


def roles_of(plane: ControlPlane) -> Roles:
    """By the function's short name, ``states`` of the state machine, ``task``, or ``role:NAME``."""
    api = plane.client("lambda")
    pages = api.get_paginator("list_functions").paginate()
    owners = {each["Role"]: short(each["FunctionName"]) for page in pages for each in page["Functions"]}
    for machine in plane.client("stepfunctions").list_state_machines()["stateMachines"]:
        arn = machine["stateMachineArn"]
        owners[plane.client("stepfunctions").describe_state_machine(stateMachineArn=arn)["roleArn"]] = STATES
    ecs = plane.client("ecs")
    for arn in ecs.list_task_definitions()["taskDefinitionArns"]:
        owners[ecs.describe_task_definition(taskDefinition=arn)["taskDefinition"]["taskRoleArn"]] = TASK
    found: Roles = {}
    for role in iam_backends[DEFAULT_ACCOUNT_ID]["aws"].roles.values():
        name = owners.get(role.arn) or f"role:{_constructs(role.name)}"
        assert name not in found, f"two roles are called {name}"
        own = list(
            role.managed_policies.values()
        )  # what the CDK puts where a role's own policy grows too long
        assert not [each.arn for each in own if ":aws:policy/" in each.arn], f"{name}: a policy of AWS's"
        found[name] = statements(
            _document(policy)
            for policy in [
                *(held for name, held in role.policies.items() if not name.startswith(OF_TESTS)),
                *map(_current, own),
            ]
        )
    return found


def _constructs(role: str) -> str:
    found = ROLE.search(role)
    assert found, role
    return found[1]


def _current(policy: Any) -> Any:
    (version,) = [each for each in policy.versions if each.version_id == policy.default_version_id]
    return version.document


def _document(policy: Any) -> Mapping[str, Any]:
    document: Mapping[str, Any] = json.loads(policy) if isinstance(policy, str) else policy
    return document


def by_role(calls: set[Call]) -> set[Call]:
    """Calls of functions, tasks and the state machine, as those of their roles; the tests' own left out."""
    return {replace(call, caller=role) for call in calls if (role := _role_of(call.caller))}


def _role_of(caller: str) -> str | None:
    if FUNCTION.search(caller):
        return short(caller)
    return TASK if FAMILY.fullmatch(caller) else caller if caller == STATES else None


def on_one_machine(calls: set[Call], deployed: str) -> set[Call]:
    """Tests' runs have machines of their own: their executions as those of the deployed one (its ARN)."""
    name = deployed.rpartition(":")[2]
    return {replace(call, resource=EXECUTION.sub(rf"\g<1>{name}\g<2>", call.resource)) for call in calls}


def open_to(plane: ControlPlane, deployed: str, machine: str) -> None:
    """Let roles do with executions of a test's own machine what they may with the deployed one's."""
    name = machine.rpartition(":")[2]
    ours, theirs = (f":execution:{arn.rpartition(':')[2]}:" for arn in (deployed, machine))
    for role in list(iam_backends[DEFAULT_ACCOUNT_ID]["aws"].roles.values()):
        held = [each for document in documents(role.arn) for each in document["Statement"]]
        added = [
            json.loads(json.dumps(each).replace(ours, theirs)) for each in held if ours in json.dumps(each)
        ]
        if added:
            plane.client("iam").put_role_policy(
                RoleName=role.name,
                PolicyName=f"{OF_TESTS}{name}",
                PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": added}),
            )


def defined(definition: Mapping[str, Any]) -> set[Call]:
    """What the state machine calls by its definition, in states that no run has come through, too."""
    tasks = (state.get("Resource", "") for state in states(dict(definition)).values())
    return {Call(STATES, "lambda:InvokeFunction", each) for each in tasks if ":function:" in each}
