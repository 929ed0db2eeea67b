"""Evaluation of a role's identity policies as AWS does it, as far as it is used here.

Of conditions the operators that are in ``OPERATORS``; another one is an error, and not passed over. Source:
IAM User Guide, "Policy evaluation logic" and "IAM JSON policy elements".
"""

from __future__ import annotations

import enum
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import Any

#: condition keys that AWS would know of a call, with their values
Context = tuple[tuple[str, str], ...]
#: calls of which a role remembers what was decided
REMEMBERED = 4096


@dataclass(frozen=True)
class Call:
    """One AWS call: ``caller`` is whose it is, ``context`` the condition keys that AWS would know of it."""

    caller: str
    action: str
    resource: str
    context: Context = ()

    def __str__(self) -> str:
        return f"{self.caller}: {self.action} on {self.resource}"


class UnknownOperatorError(Exception):
    """A condition that cannot be judged here."""


class Verdict(enum.Enum):
    """``UNNAMED``: no statement allows it; ``DENIED``: a statement denies it."""

    ALLOWED = enum.auto()
    UNNAMED = enum.auto()
    DENIED = enum.auto()


@dataclass(frozen=True)
class Statement:
    """``excepted``: the actions, or the resources, are those that the statement does not concern."""

    allows: bool
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    conditions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    actions_excepted: bool = False
    resources_excepted: bool = False

    def concerns(self, call: Call) -> bool:
        """Whether it has something to say of the call."""
        acts = any(matches(each.lower(), call.action.lower()) for each in self.actions)
        if acts == self.actions_excepted:
            return False
        on = any(matches(each, call.resource) for each in self.resources)
        return on != self.resources_excepted and _holds(self.conditions, call)


def remembered(statements: Sequence[Statement]) -> Callable[[Call], Verdict]:
    """What one identity's policies decide; remembers it, as the same is asked over and over."""
    return lru_cache(REMEMBERED)(partial(verdict, tuple(statements)))


def statements(documents: Iterable[Mapping[str, Any]]) -> list[Statement]:
    """The statements of policies, their references filled in."""
    return [_statement(each) for document in documents for each in listed(document["Statement"])]


def verdict(policies: Iterable[Statement], call: Call) -> Verdict:
    """A denial wins; without a statement that allows it a call is denied, too."""
    concerning = [each for each in policies if each.concerns(call)]
    if any(not each.allows for each in concerning):
        return Verdict.DENIED
    return Verdict.ALLOWED if concerning else Verdict.UNNAMED


def matches(pattern: str, text: str) -> bool:
    """``*`` is any number of characters, ``?`` is one."""
    return _pattern(pattern).fullmatch(text) is not None


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    known = {"*": ".*", "?": "."}
    return re.compile("".join(known.get(letter) or re.escape(letter) for letter in pattern), re.DOTALL)


def _statement(given: Mapping[str, Any]) -> Statement:
    unknown = given.keys() - {"Sid", "Effect", "Action", "NotAction", "Resource", "NotResource", "Condition"}
    assert not unknown, f"no part of an identity's statement: {unknown}"
    return Statement(
        allows=given["Effect"] == "Allow",
        actions=tuple(listed(given.get("Action", given.get("NotAction")))),
        resources=tuple(listed(given.get("Resource", given.get("NotResource")))),
        conditions=given.get("Condition", {}),
        actions_excepted="NotAction" in given,
        resources_excepted="NotResource" in given,
    )


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


#: of one wanted value and the call's own; ARNs are compared with wildcards by both of their operators
OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "ArnEquals": matches,
    "ArnLike": matches,
    "Bool": lambda wanted, value: wanted.lower() == value.lower(),
    "StringEquals": operator.eq,
    "StringLike": matches,
}
#: the same, denied: these hold where the call has no such key
NEGATED = {"ArnNotEquals": "ArnEquals", "ArnNotLike": "ArnLike", "StringNotEquals": "StringEquals"}


def _holds(conditions: Mapping[str, Mapping[str, Any]], call: Call) -> bool:
    context = {key.lower(): value for key, value in call.context}
    return all(
        _one_holds(name, listed(wanted), context.get(key.lower()))
        for name, keys in conditions.items()
        for key, wanted in keys.items()
    )


def _one_holds(name: str, wanted: list[Any], value: str | None) -> bool:
    plain = name.removesuffix("IfExists")
    if plain not in OPERATORS and plain not in NEGATED:
        raise UnknownOperatorError(name)
    if value is None:
        return plain != name or plain in NEGATED
    if plain in NEGATED:
        return not any(OPERATORS[NEGATED[plain]](str(each), value) for each in wanted)
    return any(OPERATORS[plain](str(each), value) for each in wanted)
