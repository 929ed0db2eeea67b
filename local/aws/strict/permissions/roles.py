"""The roles of what is deployed in the simulated AWS, by the key that their calls are signed with.

Each function, task and state machine signs with a key of its own: it says which role a call is made in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from moto.awslambda.models import lambda_backends
from moto.core import DEFAULT_ACCOUNT_ID
from moto.ecs.models import ecs_backends
from moto.iam.models import iam_backends
from moto.stepfunctions.parser.models import stepfunctions_parser_backends

from local.aws.boto import PERSON, STATES
from local.aws.strict.requests.policies import Call, Verdict, remembered, statements


class UnknownCallerError(Exception):
    """A key that is nobody's."""


@dataclass(frozen=True)
class Role:
    """``session``: the ARN under which AWS names who calls in it."""

    arn: str
    session: str
    verdict: Callable[[Call], Verdict]


class Roles:
    """Reads roles when a call is first made in them; ``forget`` after policies have changed."""

    def __init__(self, region: str) -> None:
        self._region = region
        self._known: dict[str, Role] = {}

    def of(self, caller: str | None) -> Role | None:
        """None for a person, who may do everything, and for calls that nobody has signed.

        :raises UnknownCallerError: it is nobody's key
        """
        if caller is None or caller == PERSON:
            return None
        found = self._known  # what is read while it is forgotten goes with it
        if caller not in found:
            found[caller] = self._read(caller)
        return found[caller]

    def forget(self) -> None:
        """Read all of them again."""
        self._known = {}

    def _read(self, caller: str) -> Role:
        arn = self._arn(caller)
        name = arn.rpartition("/")[2]
        session = f"arn:aws:sts::{DEFAULT_ACCOUNT_ID}:assumed-role/{name}/{caller}"
        return Role(arn, session, remembered(statements(documents(arn))))

    def _arn(self, caller: str) -> str:
        """The role's ARN."""
        if caller == STATES:
            return self._of_machines()
        functions = lambda_backends[DEFAULT_ACCOUNT_ID][self._region].list_functions()
        for function in functions:
            if function.function_name == caller:
                return str(function.role)
        families = ecs_backends[DEFAULT_ACCOUNT_ID][self._region].task_definitions
        if caller in families:
            return str(families[caller][max(families[caller])].task_role_arn)
        raise UnknownCallerError(f"{caller}: neither a function nor a family of tasks, nor {PERSON!r}")

    def _of_machines(self) -> str:
        """The one that all state machines have: their tasks sign with one key."""
        machines = stepfunctions_parser_backends[DEFAULT_ACCOUNT_ID][self._region].state_machines
        arns = {str(machine.roleArn) for machine in machines}
        if len(arns) != 1:
            raise UnknownCallerError(f"state machines of {len(arns)} roles: {sorted(arns)}")
        return arns.pop()


def documents(role: str) -> list[Mapping[str, Any]]:
    """The policies of a role (its ARN): its own, and those that are attached to it."""
    found = iam_backends[DEFAULT_ACCOUNT_ID]["aws"].get_role_by_arn(role)
    attached = [
        version.document
        for policy in found.managed_policies.values()
        for version in policy.versions
        if version.version_id == policy.default_version_id
    ]
    return [
        json.loads(each) if isinstance(each, str) else each for each in [*found.policies.values(), *attached]
    ]
