"""Refusals of parts of a plan, and the name of a fault of a suite: the place that it stands in."""

from __future__ import annotations

from collections.abc import Callable

from breakeven.errors import InputError
from breakeven.terms import Frozen
from breakeven.workload.suite import Suite

#: makes the fault of a field, its value and a remedy, in a cell that cannot run
Fault = Callable[[str, object, str], InputError]


class Refusal(Frozen):
    """What of a plan cannot run; ``case_id`` is null when it is the plan as a whole."""

    case_id: str | None
    field: str
    value: int | float | str
    remedy: str


def origin(suite: Suite, scenario_name: str, name: str) -> str:
    """The path of the place that a scenario's setting comes from; a part of one has dots in its name."""
    scenario = suite.scenarios[scenario_name]
    if getattr(scenario, name, None) is None:
        if any(getattr(cell, name, None) is not None for cell in scenario.cells or ()):
            return f"scenarios.{scenario_name}.cells"
        if getattr(suite.defaults, name, None) is not None:
            return f"defaults.{name}"
    return f"scenarios.{scenario_name}.{name}"
