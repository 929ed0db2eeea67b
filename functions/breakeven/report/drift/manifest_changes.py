"""Differences between the manifests of two runs: what may explain a figure that moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from breakeven import words
from breakeven.report.contract.report_model import Manifest

#: fields of a manifest, in the order in which they explain a figure; seeds and notes differ in every run
FIELDS = (
    "targets",
    "rabbitmq",
    "sqs",
    "hardware",
    "loaders",
    "versions",
    "project_version",
    "price_books",
    "scenario_sha256",
)
#: facts of a target that differ in every run: what its warm-up measured
LEFT_OUT = {"warm_up"}
ABSENT = "not there"


@dataclass(frozen=True, slots=True)
class Change:
    """``field`` is a path such as ``targets.rabbitmq-quorum-trio.server``."""

    field: str
    before: str
    after: str

    def describe(self) -> str:
        return f"{self.field}: {self.before} → {self.after}"


def changes(before: Manifest, after: Manifest) -> list[Change]:
    """Every fact that differs, those of the targets first."""
    sides = [dict(_flat("", _facts(manifest))) for manifest in (before, after)]
    names = sorted({*sides[0], *sides[1]}, key=lambda name: (FIELDS.index(name.split(".")[0]), name))
    pairs = ((name, *(side.get(name, ABSENT) for side in sides)) for name in names)
    return [Change(name, old, new) for name, old, new in pairs if old != new]


def _facts(manifest: Manifest) -> dict[str, Any]:
    """A price book's name ends in its date, which differs each month: the prices are compared themselves."""
    found = manifest.model_dump(mode="json", include=set(FIELDS))
    return found | {"price_books": [name.partition("@")[0] for name in manifest.price_books]}


def _flat(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, each in value.items():
            if name in LEFT_OUT:
                continue
            yield from _flat(f"{path}.{name}" if path else name, each)
    elif isinstance(value, list):
        yield path, ", ".join(map(str, value))
    else:
        yield path, words.NOTHING if value is None else str(value)
