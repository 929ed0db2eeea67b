"""Calls held against grants: what is missing, what nobody needs, and what is granted on everything.

What the simulation cannot show: calls that AWS's services make as one of the roles (implied.yaml names
them), policies of resources and keys, boundaries and control policies of an account.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import yaml
from policy_sentry.querying.actions import get_action_data

from local.aws.strict.requests.policies import Call, Statement, Verdict, matches, verdict
from tests.support.grants.roles import Roles

#: permissions that no call of these runs shows the need of, each with its reason
IMPLIED = Path(__file__).with_name("implied.yaml")


@dataclass(frozen=True)
class Grant:
    """``prefix``: of keys, where only those may be listed."""

    role: str
    action: str
    resource: str
    prefix: str | None = None

    def __str__(self) -> str:
        under = f" under {self.prefix}" if self.prefix else ""
        return f"{self.role}: {self.action} on {self.resource}{under}"


@dataclass(frozen=True)
class Implied:
    """``roles``, ``actions`` and ``resources`` are patterns; any of them will do.

    ``chance``: on a busy machine a run may show the need after all.
    """

    roles: tuple[str, ...]
    actions: tuple[str, ...]
    why: str
    resources: tuple[str, ...] = ("*",)
    chance: bool = False

    def covers(self, grant: Grant) -> bool:
        pairs = ((self.roles, grant.role), (self.actions, grant.action), (self.resources, grant.resource))
        return all(any(fnmatchcase(text, pattern) for pattern in patterns) for patterns, text in pairs)


def implied() -> list[Implied]:
    listed = yaml.safe_load(IMPLIED.read_text())
    return [
        Implied(**{key: tuple(value) if isinstance(value, list) else value for key, value in each.items()})
        for each in listed
    ]


def is_allowed(policies: Iterable[Statement], call: Call) -> bool:
    """Some statement allows it, and none denies it."""
    return verdict(policies, call) is Verdict.ALLOWED


def grants(policies: Iterable[Statement]) -> Iterator[tuple[str, str, Statement]]:
    """Each single action on each single resource that is granted, with its statement."""
    for each in policies:
        if each.allows:
            assert not each.actions_excepted, "everything but something is granted"
            assert not each.resources_excepted, "everything but something is granted"
            for action in each.actions:
                for resource in each.resources:
                    yield action, resource, each


def missing(roles: Roles, calls: set[Call]) -> set[Call]:
    """Calls that their role does not allow."""
    return {call for call in calls if not is_allowed(roles[call.caller], call)}


def granted(roles: Roles) -> Iterator[Grant]:
    for role, policies in roles.items():
        for action, resource, statement in grants(policies):
            for prefix in _prefixes(statement):
                yield Grant(role, action, resource, prefix)


def absent(roles: Roles, reviewed: list[Implied]) -> set[Grant]:
    """What the list says that a role needs, and the role does not have."""
    return {
        Grant(role, action, resource)
        for each in reviewed
        for role in roles
        if any(fnmatchcase(role, pattern) for pattern in each.roles)
        for action in each.actions
        for resource in each.resources
        if not any(
            grant.action == action and fnmatchcase(grant.resource, resource)
            for grant in granted({role: roles[role]})
        )
    }


def too_little(roles: Roles, calls: set[Call], reviewed: list[Implied]) -> list[str]:
    """Everything that would be denied."""
    found = {*map(str, missing(roles, calls)), *map(str, absent(roles, reviewed))}
    return sorted(found)


def unused(roles: Roles, calls: set[Call], reviewed: list[Implied]) -> set[Grant]:
    """Grants that no call has used, and that the list does not give a reason for."""
    return {
        grant
        for grant in granted(roles)
        if not _is_used(grant, calls) and not any(each.covers(grant) for each in reviewed)
    }


def idle(roles: Roles, calls: set[Call], reviewed: list[Implied]) -> list[Implied]:
    """Entries of the list that are the reason for nothing: all that they cover is used, or is not granted."""
    all_granted = list(granted(roles))
    unused = [grant for grant in all_granted if not _is_used(grant, calls)]
    return [
        each
        for each in reviewed
        if not any(each.covers(grant) for grant in (all_granted if each.chance else unused))
    ]


def on_everything(roles: Roles) -> set[Grant]:
    """Grants on ``*``, on no condition, of actions that could have named a resource."""
    return {
        Grant(role, action, resource)
        for role, policies in roles.items()
        for action, resource, statement in grants(policies)
        if resource == "*" and not statement.conditions and can_name_a_resource(action)
    }


def without(policies: list[Statement], action: str) -> list[Statement]:
    """The same, with that action granted nowhere."""

    def left(statement: Statement) -> tuple[str, ...]:
        return tuple(each for each in statement.actions if each != action)

    return [replace(each, actions=left(each)) if each.allows else each for each in policies]


@cache
def can_name_a_resource(action: str) -> bool:
    """By AWS's Service Authorization Reference, as policy_sentry carries it."""
    service, _, operation = action.partition(":")
    known = get_action_data(service, operation)
    assert known, f"{action} is no action"
    return any(each["resource_arn_format"] != "*" for each in known[service])


def _is_used(grant: Grant, calls: set[Call]) -> bool:
    return any(
        call.caller == grant.role
        and matches(grant.action.lower(), call.action.lower())
        and matches(grant.resource, call.resource)
        and (grant.prefix is None or matches(grant.prefix, dict(call.context).get("s3:prefix", "")))
        for call in calls
    )


def _prefixes(statement: Statement) -> list[str | None]:
    wanted = statement.conditions.get("StringLike", {}).get("s3:prefix", [None])
    return wanted if isinstance(wanted, list) else [wanted]
