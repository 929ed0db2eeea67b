"""The combinations of a spec file's variables, as scenarios with cells."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from breakeven.errors import printable
from breakeven.workload.fields import MAX_LIST
from breakeven.workload.perftest.spec_values import SpecError
from breakeven.workload.perftest.spec_workload import SpecWorkload
from breakeven.workload.scenario import Cell

#: of all variables of one scenario
MAX_COMBINATIONS: Final = 1000


@dataclass(slots=True)
class Group:
    """Combinations that are one scenario: only what its cells hold differs between them."""

    first: SpecWorkload
    targets: list[str]
    cells: list[dict[str, Any]]
    chosen: dict[str, Any]

    def key(self) -> str:
        rest = {key: value for key, value in self.first.settings.items() if key not in Cell.model_fields}
        return repr((rest, self.targets, sorted(set(self.first.settings) & set(Cell.model_fields))))

    def scenario(self) -> dict[str, Any]:
        """As a suite has it: what all cells have in common stands in the scenario itself."""
        common = {
            key: value
            for key, value in self.first.settings.items()
            if all(cell.get(key, value) == value for cell in self.cells)
        }
        differing = [{key: value for key, value in cell.items() if key not in common} for cell in self.cells]
        cells = {"cells": differing} if len(differing) > 1 else {}
        return {"targets": self.targets, **common, **cells}

    def words(self) -> str:
        return ", ".join(printable(f"{key}={value}") for key, value in self.chosen.items())


def parts(cells: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """As many at once as a scenario may have."""
    for first in range(0, len(cells), MAX_LIST):
        yield cells[first : first + MAX_LIST]


def combinations(variables: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """:raises SpecError: a variable that is none, or too many combinations"""
    axes = [_axis(variable) for variable in variables]
    count = 1
    for _, values in axes:
        count *= len(values)
        if count > MAX_COMBINATIONS:
            raise SpecError("variables", count, f"combinations; at most {MAX_COMBINATIONS}")
    for chosen in itertools.product(*(values for _, values in axes)):
        yield {name: value for (name, _), value in zip(axes, chosen, strict=True)}


def _axis(variable: object) -> tuple[str, list[Any]]:
    found = variable if isinstance(variable, Mapping) else {}
    name, values = found.get("name"), found.get("values")
    if not isinstance(name, str) or not isinstance(values, list) or not values:
        raise SpecError("variables", variable, "each has a name, and a list of values")
    if found.get("type", "multicast") != "multicast":
        raise SpecError("variables", found["type"], "PerfTest knows the type multicast only")
    return name, values
