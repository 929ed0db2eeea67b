"""Calls that failed: how many of each kind, when, and what one of them was told, cleaned of secrets."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from breakeven.loadgen.case_figures import MOST_WORDS, CallErrors

#: operations and kinds that are told apart: a target may name its errors as it likes
MOST_KINDS = 20
OTHER = "other"
#: characters of a message that are looked at: the search for secrets takes the square of a long word
MOST_READ = 10 * MOST_WORDS

_NAMED = r"(?:pass(?:word|wd)?|secret|token|signature|credential|authorization|cookie|session)"
_SECRETS = (
    (re.compile(r"(?<=://)[^/\s]+@"), "***@"),  # user and password of an address, which may hold an @
    (
        re.compile(rf"(?i)([\w-]*{_NAMED}[\w-]*[\"']?\s*[:=]\s*[\"']?)(?:(?:basic|bearer)\s+)?[^\s\"'&,;]+"),
        r"\1***",
    ),
    (re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{12,}\b"), "***"),  # access keys
    (re.compile(r"\b\d{12}\b"), "***"),  # account ids
)


def without_secrets(text: str) -> str:
    """The text on one line of limited length, without passwords, keys, tokens and account ids."""
    text = text[:MOST_READ]
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return "".join(character if character.isprintable() else " " for character in text)[:MOST_WORDS]


@dataclass(slots=True)
class _Failures:
    """``first_ns`` and ``last_ns``: monotonic; ``said``: of the first of which anything was."""

    count: int
    first_ns: int
    last_ns: int
    said: str


class CallErrorLog:
    """Failures of one loader. Not safe for threads: its owner has a lock."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], _Failures] = {}

    def add(self, operation: str, kind: str, at_ns: int, count: int, said: str) -> None:
        """:param at_ns: monotonic; ``said``: what the target or the client told of it, empty where nothing"""
        known = (operation, kind) in self._found or len(self._found) < MOST_KINDS
        key = operation, kind if known else OTHER
        found = self._found.setdefault(key, _Failures(0, at_ns, at_ns, ""))
        found.count += count
        found.first_ns, found.last_ns = min(found.first_ns, at_ns), max(found.last_ns, at_ns)
        found.said = found.said or said

    def found(self) -> list[CallErrors]:
        # once: read for each instant, a pause between the two clocks would put a last call before the first
        wall_ns = time.time_ns() - time.monotonic_ns()
        return [
            CallErrors(
                operation=operation,
                kind=without_secrets(kind),
                count=failures.count,
                first_at=_utc(wall_ns + failures.first_ns),
                last_at=_utc(wall_ns + failures.last_ns),
                said=without_secrets(failures.said) or None,
            )
            for (operation, kind), failures in self._found.items()
        ]


def merged(found: Iterable[CallErrors]) -> list[CallErrors]:
    """What several loaders found, by operation and kind, the most frequent first."""
    by_kind: dict[tuple[str, str], CallErrors] = {}
    for each in found:
        before = by_kind.get((each.operation, each.kind))
        by_kind[each.operation, each.kind] = _together(before, each) if before else each
    return sorted(by_kind.values(), key=lambda each: -each.count)


def _together(one: CallErrors, other: CallErrors) -> CallErrors:
    """Of the same operation and kind."""
    return one.model_copy(
        update={
            "count": one.count + other.count,
            "first_at": min(one.first_at, other.first_at),
            "last_at": max(one.last_at, other.last_at),
            "said": one.said or other.said,
        }
    )


def _utc(at_ns: int) -> str:
    """An instant since 1970, to the millisecond."""
    return datetime.fromtimestamp(at_ns / 1e9, UTC).isoformat(timespec="milliseconds")
