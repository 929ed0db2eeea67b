"""Fields of a scenario of PerfTest's spec files, beside its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from breakeven.errors import InputError, printable
from breakeven.workload.problems import did_you_mean, shown

TYPES: Final = ("simple", "varying", "rate-vs-latency")
#: of a scenario, with what each must be
SCENARIO_KEYS: Final[Mapping[str, Literal["text", "a list", "a number"]]] = {
    "name": "text",
    "type": "text",
    "params": "a list",
    "uri": "text",
    "interval": "a number",
    "variables": "a list",
}
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "text": (str,),
    "a list": (list,),
    "a number": (int, float),
}


def checked(scenario: object, number: int, where: str) -> Mapping[str, Any]:
    """:raises InputError: it is no scenario of a spec file"""
    place = f"scenario {number}"
    if not isinstance(scenario, Mapping):
        raise InputError(where, place, shown(scenario), "must be an object with name, type and params")
    for key, value in scenario.items():
        if key not in SCENARIO_KEYS:
            remedy = f"no such key of a scenario; {did_you_mean(key, list(SCENARIO_KEYS))}"
            raise InputError(
                where,
                f"{place}.{printable(key)}",
                shown(value),
                f"{remedy}there are {', '.join(SCENARIO_KEYS)}",
            )
        if not isinstance(value, _TYPES[SCENARIO_KEYS[key]]) or isinstance(value, bool):
            raise InputError(where, f"{place}.{key}", shown(value), f"must be {SCENARIO_KEYS[key]}")
    for key in ("name", "type", "params"):
        if not scenario.get(key):
            raise InputError(where, f"{place}.{key}", None, "is required")
    if scenario["type"] not in TYPES:
        remedy = f"{did_you_mean(scenario['type'], TYPES)}must be one of {', '.join(TYPES)}"
        raise InputError(where, f"{place}.type", shown(scenario["type"]), remedy)
    if scenario["type"] == "varying" and not scenario.get("variables"):
        raise InputError(where, f"{place}.variables", None, "is required by type varying")
    return scenario
